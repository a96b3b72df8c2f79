/** The README's client, run as it stands, has a sweep delivered. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import * as SettingsTables from "../../src/cli/SettingsTables.ts"
import { projectRoot } from "../../src/cli/Project.ts"
import { DevInfo } from "../../src/devnet/DevInfo.ts"
import { Schema } from "effect"
import { Services } from "../support/Services.ts"

const readme = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(`${projectRoot}/README.md`))

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("README", (it) => {
  it.effect("its shell client sweeps", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const { info } = yield* Services
      const script = (yield* readme).match(/^PATH="\$PWD[^`]*/m)?.[0]
      if (script === undefined) return assert.fail("the README has no shell client")

      const directory = yield* fs.makeTempDirectoryScoped()
      yield* fs.makeDirectory(path.join(directory, ".sweep"))
      yield* fs.symlink(path.join(projectRoot, "node_modules"), path.join(directory, "node_modules"))
      const json = yield* Schema.encodeEffect(Schema.fromJsonString(DevInfo))(info)
      yield* fs.writeFileString(path.join(directory, ".sweep", "dev.json"), json)

      const output = yield* Effect.promise(async () => {
        const shell = Bun.spawn(["sh", "-eu", "-c", script], {
          cwd: directory,
          stdout: "pipe",
          stderr: "pipe",
          timeout: 25_000
        })
        const [out, error] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
        return `${out}\n${error}`
      })
      assert.include(output, `"status":"delivered"`)
    }).pipe(Effect.provide(BunServices.layer))
  )

  it.effect("lists every setting with its default and its meaning", () =>
    Effect.gen(function* () {
      const listed = (yield* readme).match(/<!-- settings[^>]*-->\n([^]*?)<!-- \/settings -->/)?.[1]
      const cells = (table: string | undefined) => table?.replaceAll(/ +/g, " ").replaceAll(/-+/g, "-").trim()
      assert.strictEqual(cells(listed), cells(SettingsTables.asMarkdown()))
    }).pipe(Effect.provide(BunServices.layer))
  )
})
