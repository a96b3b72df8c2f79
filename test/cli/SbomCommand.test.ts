/** `sweep sbom` and `sweep test image`, as an operator calls them. */
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

layer(BunServices.layer, { excludeTestServices: true })("sweep test image", (it) => {
  it.effect("says what is missing, and is no failure, where there are no containers", () =>
    Effect.gen(function* () {
      const { code, out } = yield* sweep(["test", "image"], { PATH: "/nowhere" })
      assert.strictEqual(code, 0)
      assert.match(out, /^image: left out, because here is no podman, no buildah, no runc/)
    })
  )
})
