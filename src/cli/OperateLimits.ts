/** `./sweep operate limits`: shows and changes limits of chains over the orchestrator's operator routes. */
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Uint256 } from "../domain/Amount.ts"
import { ChainId } from "../domain/ChainId.ts"
import { type LimitSubject, LimitView, NAMES } from "../domain/Limit.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

const chain = Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain"))

const limit = Flag.Literals("limit", NAMES).pipe(Flag.withDescription("Limit, by its name in the chains file"))

const wei = Flag.String("wei").pipe(
  Flag.withSchema(Uint256),
  Flag.withDescription("New value in wei of the chain's native currency")
)

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, for the record"), Flag.withDefault(""))

const REFUSALS: Readonly<Record<string, string>> = {
  NotFound: "the orchestrator does not serve this chain. GET /chains lists the chains"
}

const amount = (wei: bigint | null): string => (wei === null ? "no limit" : String(wei))

const rowOf = ({ chosen, configured, subject, wei }: LimitView): ReadonlyArray<string> => [
  String(subject.chainId),
  subject.limit,
  amount(wei),
  amount(configured),
  chosen === null ? "–" : new Date(chosen.sinceMs).toISOString(),
  chosen?.actor ?? "–",
  chosen?.reason ?? ""
]

const asTable = (limits: ReadonlyArray<LimitView>): string =>
  table(["CHAIN", "LIMIT", "WEI", "SETTING", "SINCE", "BY", "REASON"], limits.map(rowOf), "no chain is served")

const change = (subject: LimitSubject, wei: bigint | null, reason: string, asJson: boolean) =>
  Effect.gen(function* () {
    const { explained, limits } = yield* OrchestratorClient.connect
    const request = { payload: { subject, wei, reason } }
    yield* printed(LimitView, yield* explained(limits.changeLimit(request), REFUSALS), asJson, (view) =>
      asTable([view])
    )
  })

const set = Command.make("set", { chain, limit, wei, reason, json }, ({ chain, json, limit, reason, wei }) =>
  change({ chainId: chain, limit }, wei, reason, json)
).pipe(
  Command.withDescription(
    "Set a limit in place of the chains file and the settings, on every replica within two seconds"
  ),
  Command.withExamples([
    {
      command:
        'sweep operate limits set --chain 8453 --limit dailySpendCapWei --wei 50000000000000000 --reason "gas spikes"',
      description: "Spend at most 0.05 ETH on gas in 24 hours"
    },
    {
      command: "sweep operate limits set --chain 8453 --limit unlistedLossBudgetWei --wei 0",
      description: "Serve listed tokens only"
    }
  ])
)

const clear = Command.make("clear", { chain, limit, reason, json }, ({ chain, json, limit, reason }) =>
  change({ chainId: chain, limit }, null, reason, json)
).pipe(
  Command.withDescription("Drop the operator's choice, so that the settings hold again"),
  Command.withExamples([
    {
      command: "sweep operate limits clear --chain 8453 --limit dailySpendCapWei",
      description: "Return to the setting"
    }
  ])
)

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, limits } = yield* OrchestratorClient.connect
    yield* printed(Schema.Array(LimitView), yield* explained(limits.limits()), json, asTable)
  })
).pipe(
  Command.withDescription("List the limits of every chain, with the settings that choices replace"),
  Command.withExamples([{ command: "sweep operate limits list", description: "Show who changed what, and why" }])
)

export const operateLimits = Command.make("limits").pipe(
  Command.withDescription("Limits of chains: gas spent in a day, losses of an hour, and the price of gas"),
  Command.withSubcommands([list, set, clear])
)
