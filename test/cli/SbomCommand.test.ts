/** `sweep sbom`, as an operator calls it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { sweepHere } from "./inProcess.ts"
import { sweep } from "./sweep.ts"

layer(BunServices.layer, { excludeTestServices: true })("sweep sbom", (it) => {
  it.effect("prints a document with every dependency, and only a count with --check", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* sweep(["sbom"])
      assert.strictEqual(code, 0, err)
      const { bomFormat, components } = JSON.parse(out) as {
        readonly bomFormat: string
        readonly components: ReadonlyArray<{ readonly name: string }>
      }
      assert.strictEqual(bomFormat, "CycloneDX")
      assert.includeMembers(
        components.map(({ name }) => name),
        Object.keys(packageJson.dependencies)
      )
      const check = yield* sweep(["sbom", "--check"])
      assert.deepStrictEqual(
        [check.code, check.out],
        [0, `sbom: ${components.length} packages, 0 with a refused licence\n`]
      )
    })
  )

  it.effect("refuses flags that exclude each other", () =>
    Effect.gen(function* () {
      const { code, err } = yield* sweepHere(["sbom", "--check", "--licences"])
      assert.strictEqual(code, 1)
      assert.include(err, "--check and --licences exclude each other")
    })
  )
})
