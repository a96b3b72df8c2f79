/** `./sweep treasury`: shows and sells collected fees, over the orchestrator's operator routes. */
import { Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { ChainId } from "../domain/ChainId.ts"
import { RoundOutcome, TreasuryView } from "../domain/Treasury.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { asBooks, asOpened, sharedVault } from "./TreasuryTables.ts"
import { UsageError } from "./UsageError.ts"

const WORDS: Readonly<Record<string, string>> = {
  NotFound: "the orchestrator does not serve this chain",
  TreasuryNotConfigured:
    "the orchestrator sells nothing there. Set TREASURY_ASSETS, and for sales by the service FEE_RECIPIENT_KEY or FEE_RECIPIENT_KMS_KEY to the fee recipient's key. Nothing is sold where the fee recipient is the builders' vault, too. Remove the chain from TREASURY_ASSETS first. Set builderVault as docs/how-to/turn-fees-into-money.md says",
  ChainNotAnswering: "the chain does not answer. Try again later"
}

/** The chain of the flag, or else the only one with an asset. */
const chosen = Effect.fnUntraced(function* (flag: Option.Option<number>, { chains }: TreasuryView) {
  if (Option.isSome(flag)) return flag.value
  const [only, ...others] = chains.filter(({ asset }) => asset !== undefined)
  if (only !== undefined && others.length === 0) return only.chainId
  return yield* new UsageError({
    detail:
      only === undefined
        ? "TREASURY_ASSETS of the orchestrator names no chain"
        : `--chain is not set. Set it to one of ${chains.flatMap(({ asset, chainId }) => (asset === undefined ? [] : [chainId])).join(", ")}`
  })
})

const plan = Command.make(
  "plan",
  {
    chainId: Flag.Int("chain").pipe(
      Flag.withSchema(ChainId),
      Flag.withDescription("Id of the chain. Default: the only one with an asset"),
      Flag.optional
    ),
    output: Flag.String("output").pipe(
      Flag.withDescription("Write to this file instead of standard output"),
      Flag.optional
    )
  },
  ({ chainId, output }) =>
    Effect.gen(function* () {
      const { explained, treasury } = yield* OrchestratorClient.connect
      const view = yield* explained(treasury.treasury())
      const chain = yield* chosen(chainId, view)
      const shared = view.chains.find((each) => each.chainId === chain && each.selling === "shared_vault")
      if (shared !== undefined) return yield* new UsageError({ detail: sharedVault(shared) })
      const { batch, leftOut } = yield* explained(treasury.plan({ query: { chainId: chain } }), WORDS)
      for (const { detail, token } of leftOut) yield* Console.error(`left out ${token}: ${detail}`)
      const text = JSON.stringify(batch, null, 2)
      if (Option.isNone(output)) return yield* Console.log(text)
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(output.value, `${text}\n`)
      yield* Console.error(`wrote ${output.value}`)
    })
).pipe(
  Command.withDescription(
    "Print the planned sales as a file that the fee recipient's Safe imports and runs as one transaction"
  ),
  Command.withExamples([
    {
      command: "sweep treasury plan --chain 8453 --output sales.json",
      description: "Write the sales on Base to a file"
    }
  ])
)

const sell = Command.make("sell", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, treasury } = yield* OrchestratorClient.connect
    yield* printed(RoundOutcome, yield* explained(treasury.sell(), WORDS), json, asOpened)
  })
).pipe(
  Command.withDescription(
    "Sell collected fees now, where the fee recipient's key is configured. The sales run in the background"
  ),
  Command.withExamples([{ command: "sweep treasury sell", description: "Plan a round of sales and list it" }])
)

export const treasuryCommand = Command.make("treasury", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, treasury } = yield* OrchestratorClient.connect
    yield* printed(TreasuryView, yield* explained(treasury.treasury()), json, asBooks)
  })
).pipe(
  Command.withDescription(
    "Show collected fees: the amounts that were collected, sold and lost, and that are held, by chain and token"
  ),
  Command.withExamples([{ command: "sweep treasury", description: "Show the books and the plan of each balance" }]),
  Command.withSubcommands([plan, sell])
)
