/** `./sweep build-client`: the TypeScript client as a package, for projects outside the checkout. */
import { Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import { chains } from "../config/Chains.ts"
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

const chainsFlag = Flag.String("chains").pipe(
  Flag.withDescription(
    "Chains file. The package accepts the delegates of its chains, and its users need not configure them. Default: CHAINS_FILE, if " +
      "that file exists"
  ),
  Flag.optional
)

/** Computes the delegates of a chains file's chains from their settings, as `./sweep deploy` does. */
export const delegatesOf = Effect.fnUntraced(function* (file: string) {
  const domainName = yield* chains.domainName.config
  const entries = yield* ChainsFile.read(file)
  return entries.map((entry) => [entry.id, chainOf(entry, domainName).contracts.delegate] as const)
})

/** The delegates of the named file, or of CHAINS_FILE. Without either file, there are none. */
const shippedDelegates = Effect.fnUntraced(function* (named: Option.Option<string>) {
  if (Option.isSome(named)) return yield* delegatesOf(named.value)
  const file = yield* chains.chainsFile.config
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists(file)) ? yield* delegatesOf(file) : []
})

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

export const buildClientCommand = Command.make(
  "build-client",
  { directory, chains: chainsFlag },
  ({ chains: named, directory }) =>
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
      const delegates = yield* shippedDelegates(named)
      const json = JSON.stringify(Object.fromEntries(delegates))
      const exitCode = yield* ProjectScript.run("scripts/build-sdk.ts", [target, json])
      if (exitCode !== 0) return yield* new ClientBuildFailed({ exitCode })
      for (const [chainId, delegate] of delegates)
        yield* Console.log(`accepts delegate ${delegate} on chain ${chainId}`)
      if (delegates.length === 0) yield* Console.log("accepts no delegate: its users pass `review.delegates`")
    })
).pipe(
  Command.withDescription("Build the TypeScript client as the package token-sweep"),
  Command.withExamples([
    { command: "sweep build-client node_modules/token-sweep", description: "Install the client into a project" },
    {
      command: "sweep build-client dist/client --chains chains.json",
      description: "Build the client for an operator's deployment, with its delegates"
    }
  ])
)
