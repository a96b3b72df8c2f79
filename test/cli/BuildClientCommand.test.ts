/** `./sweep build-client` replaces a build of the client, and nothing else. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import { sweep } from "./sweep.ts"

layer(BunServices.layer, { excludeTestServices: true })("sweep build-client", (it) => {
  it.effect("refuses a directory with other files, and leaves them", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* fs.makeTempDirectoryScoped()
      const file = path.join(directory, "notes.txt")
      yield* fs.writeFileString(file, "mine")
      for (const target of [directory, projectRoot]) {
        const { code, err } = yield* sweep(["build-client", target])
        assert.strictEqual(code, 1)
        assert.match(err, /is not empty and holds no build of the client/)
      }
      assert.strictEqual(yield* fs.readFileString(file), "mine")
    })
  )
})
