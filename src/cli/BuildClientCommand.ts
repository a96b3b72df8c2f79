/** `./sweep build-client`: the TypeScript client as a package, for projects outside the checkout. */
import { Effect, FileSystem, Path, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import * as ProjectScript from "./ProjectScript.ts"
import { UsageError } from "./UsageError.ts"

export class ClientBuildFailed extends Schema.TaggedError<ClientBuildFailed>()("ClientBuildFailed", {
  exitCode: Schema.Int
}) {
  override get message(): string {
    return `scripts/build-sdk.ts failed with exit code ${this.exitCode}; its output is above`
  }
}

const directory = Argument.String("directory").pipe(
  Argument.withDescription(
    "Directory of the package; an earlier build there is replaced. The archive is written beside it"
  )
)

const Manifest = Schema.fromJsonString(Schema.Struct({ name: Schema.String }))

/** The build empties its directory, so a directory with anything else in it is refused. */
const replaceable = Effect.fnUntraced(function* (target: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* fs.exists(target))) return true
  if ((yield* fs.readDirectory(target)).length === 0) return true
  const manifest = yield* Effect.option(
    Effect.flatMap(fs.readFileString(path.join(target, "package.json")), Schema.decodeEffect(Manifest))
  )
  return manifest._tag === "Some" && manifest.value.name === packageJson.name
})

export const buildClientCommand = Command.make("build-client", { directory }, ({ directory }) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const target = path.resolve(directory)
    // The checkout's own manifest has the package's name, too.
    const isCheckout = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(path.join(target, "src")))
    if (isCheckout || !(yield* replaceable(target))) {
      return yield* new UsageError({
        detail: `${target} is not empty and holds no build of the client. Name another directory`
      })
    }
    const exitCode = yield* ProjectScript.run("scripts/build-sdk.ts", [target])
    if (exitCode !== 0) return yield* new ClientBuildFailed({ exitCode })
  })
).pipe(
  Command.withDescription("Build the TypeScript client as the package token-sweep"),
  Command.withExamples([
    { command: "sweep build-client node_modules/token-sweep", description: "Install the client into a project" }
  ])
)
