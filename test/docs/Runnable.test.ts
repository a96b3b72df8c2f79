/** Runs the guides' programs as they stand, in an empty folder beside a running local network. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path, Schema } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import { DevInfo } from "../../src/devnet/DevInfo.ts"
import { Services } from "../support/Services.ts"
import { codeBlocks, guides } from "./Markdown.ts"

/** What each program prints when it did what its guide says. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  "docs/quickstart.md run=sweep.mjs": /delivered 0x[0-9a-f]{64}/,
  "docs/signing.md run=vectors.mjs": /both vectors reproduced/
}

const runnable = guides.flatMap(codeBlocks).filter(({ info }) => info.startsWith("run="))

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("the guides' programs", (it) => {
  it.effect("are all expected to run", () =>
    Effect.sync(() =>
      assert.sameMembers(
        runnable.map(({ file, info }) => `${file} ${info}`),
        Object.keys(EXPECTED)
      )
    )
  )

  for (const { code, file, info } of runnable) {
    it.effect(`${file}: ${info}`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const { info: dev } = yield* Services
        const directory = yield* fs.makeTempDirectoryScoped()
        const program = info.replace("run=", "")
        yield* fs.makeDirectory(path.join(directory, ".sweep"))
        yield* fs.symlink(path.join(projectRoot, "node_modules"), path.join(directory, "node_modules"))
        const json = yield* Schema.encodeEffect(Schema.fromJsonString(DevInfo))(dev)
        yield* fs.writeFileString(path.join(directory, ".sweep", "dev.json"), json)
        yield* fs.writeFileString(path.join(directory, program), code)
        const output = yield* Effect.promise(async () => {
          const node = Bun.spawn(["node", program], {
            cwd: directory,
            stdout: "pipe",
            stderr: "pipe",
            timeout: 30_000
          })
          const [out, error] = await Promise.all([new Response(node.stdout).text(), new Response(node.stderr).text()])
          return `${out}\n${error}`
        })
        assert.match(output, EXPECTED[`${file} ${info}`] ?? /^never$/)
      }).pipe(Effect.provide(BunServices.layer))
    )
  }
})
