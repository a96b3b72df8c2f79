/** `./sweep portfolio`: the balances of an account on every chain, and which of them are worth sweeping. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { formatUnits } from "viem"
import * as Address from "../domain/Address.ts"
import { createSweepClient, type Portfolio, type SweepableToken } from "../sdk/index.ts"
import * as SweepService from "./SweepService.ts"
import { table } from "./Table.ts"

/** The balances could not be read. */
export class PortfolioFailed extends Schema.TaggedError<PortfolioFailed>()("PortfolioFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

const row = (token: SweepableToken): ReadonlyArray<string> => [
  String(token.chainId),
  `${formatUnits(token.balance, token.decimals)} ${token.symbol}`,
  token.valueUsd ?? "–",
  token.estimatedNetUsd ?? "–",
  token.sweepable ? "yes" : (token.reason ?? "no"),
  token.standing ?? "–",
  token.address
]

const HEADER = ["CHAIN", "BALANCE", "USD", "USD AFTER FEES", "SWEEPABLE", "WARNING", "TOKEN"]

const shown = ({ tokens, totalUsd, unavailableChains = [] }: Portfolio<SweepableToken>): string =>
  [
    table(HEADER, tokens.map(row), "no tokens"),
    `total: ${totalUsd} USD`,
    ...(unavailableChains.length === 0 ? [] : [`chains that did not answer: ${unavailableChains.join(", ")}`])
  ].join("\n")

export const portfolioCommand = Command.make(
  "portfolio",
  {
    find: SweepService.find,
    owner: Argument.String("owner").pipe(
      Argument.withSchema(
        Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/, { message: "expected the address of an account" }))
      ),
      Argument.withDescription("Account whose balances are listed")
    )
  },
  ({ find, owner }) =>
    Effect.gen(function* () {
      const { url } = yield* SweepService.located
      const client = createSweepClient({ orchestratorUrl: url })
      const called = SweepService.called((detail) => new PortfolioFailed({ detail }))
      const tokens = SweepService.asked(find)
      const portfolio = yield* called((signal) =>
        client.sweepable(Address.of(owner as `0x${string}`), { signal, tokens })
      )
      yield* Console.log(shown(portfolio))
    })
).pipe(
  Command.withDescription("List the balances of an account on every chain, and which of them are worth sweeping"),
  Command.withExamples([
    {
      command: "sweep portfolio 0x…",
      description: "List the balances, on the local network or that of ORCHESTRATOR_URL"
    },
    { command: "sweep portfolio --find 0x… 0x…", description: "Look for a token, too, that no list has" }
  ])
)
