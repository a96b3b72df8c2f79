/** `./sweep build-client`: the TypeScript client as a package, for projects outside the checkout. */
import { Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import { chains } from "../config/Chains.ts"
import type { Chain } from "../domain/Chain.ts"
import type { Venue } from "../domain/Venue.ts"
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
    "Chains file. The package accepts the delegates, the routers and the EIP-712 domain of its chains, and its users need not configure " +
      "them. Default: CHAINS_FILE, if that file exists"
  ),
  Flag.optional
)

/** The client's reader of a venue's calls. */
const readerOf = ({ family, hasDeadlineInSwap = false }: Venue): string => {
  switch (family) {
    case "uniswap-v2":
      return "readUniswapV2Call"
    case "uniswap-v3":
      return hasDeadlineInSwap ? "readUniswapV3Call" : "readSwapRouter02"
    case "solidly":
      return "readSolidlyCall"
    case "slipstream":
      return "readSlipstreamCall"
    case "uniswap-v4":
      return "readUniswapV4Call"
  }
}

/** Reader by address of each router of a chain. */
const routersOf = ({ swapRouter, venues = [] }: Pick<Chain, "swapRouter" | "venues">) =>
  Object.fromEntries([
    ...(swapRouter === undefined ? [] : [[swapRouter, "readSwapRouter02"] as const]),
    ...venues.map((venue) => [venue.router, readerOf(venue)] as const)
  ])

/**
 * Facts of a chains file's chains for their clients. The delegates are computed from the chains' settings, as `./sweep deploy` does.
 */
export const shippedBy = Effect.fnUntraced(function* (file: string) {
  const domainName = yield* chains.domainName.config
  const served = (yield* ChainsFile.read(file)).map((entry) => chainOf(entry, domainName))
  return {
    domainName,
    delegates: Object.fromEntries(served.map(({ contracts, id }) => [id, contracts.delegate])),
    // A chain without routers keeps the client's own.
    routers: Object.fromEntries(
      served
        .map((chain) => [chain.id, routersOf(chain)] as const)
        .filter(([, routers]) => Object.keys(routers).length > 0)
    )
  }
})

/** Those of the named file, or of CHAINS_FILE. Without either file, only the domain name is known. */
const shipped = Effect.fnUntraced(function* (named: Option.Option<string>) {
  if (Option.isSome(named)) return yield* shippedBy(named.value)
  const file = yield* chains.chainsFile.config
  const fs = yield* FileSystem.FileSystem
  if (yield* fs.exists(file)) return yield* shippedBy(file)
  return { domainName: yield* chains.domainName.config, delegates: {}, routers: {} }
})

/** One line for each fact that the package has. */
const report = ({
  delegates,
  domainName,
  routers
}: Effect.Success<ReturnType<typeof shipped>>): ReadonlyArray<string> => [
  ...Object.entries(delegates).map(([id, delegate]) => `accepts delegate ${delegate} on chain ${id}`),
  ...(Object.keys(delegates).length === 0 ? ["accepts no delegate: its users pass `review.delegates`"] : []),
  ...Object.entries(routers).map(
    ([id, readers]) => `accepts routers ${Object.keys(readers).join(", ")} on chain ${id}`
  ),
  `signs for the EIP-712 domain ${domainName}`
]

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
      const facts = yield* shipped(named)
      const exitCode = yield* ProjectScript.run("scripts/build-sdk.ts", [target, JSON.stringify(facts)])
      if (exitCode !== 0) return yield* new ClientBuildFailed({ exitCode })
      for (const line of report(facts)) yield* Console.log(line)
    })
).pipe(
  Command.withDescription("Build the TypeScript client as the package token-sweep"),
  Command.withExamples([
    { command: "sweep build-client node_modules/token-sweep", description: "Install the client into a project" },
    {
      command: "sweep build-client dist/client --chains chains.json",
      description: "Build the client for an operator's deployment, with its delegates and routers"
    }
  ])
)
