/** Wallets to quote, and the scene in which their owner holds plenty. */
import { Effect } from "effect"
import type { SweepQuotesRequest, SweepToken } from "../../../src/domain/SweepQuotes.ts"
import type { WalletOffer } from "../../../src/orchestrator/quote/WalletQuotes.ts"
import * as Quoting from "../../support/Quoting.ts"

const { DESTINATION, OWNER, STABLE, TOKEN, WHOLE, destination, source } = Quoting

export const AMOUNT = 100n * WHOLE

export const token = (changes: Partial<SweepToken> = {}): SweepToken => ({
  chainId: source.id,
  token: TOKEN,
  amount: AMOUNT,
  ...changes
})

export const wallet = (
  tokens: ReadonlyArray<SweepToken>,
  changes: Partial<SweepQuotesRequest> = {}
): SweepQuotesRequest => ({
  owner: OWNER,
  destination: DESTINATION,
  destChainId: source.id,
  tokenOut: STABLE,
  tokens,
  userId: "user",
  subscriptionActive: false,
  ...changes
})

export type Scene = Effect.Success<ReturnType<typeof Quoting.make>>

/** A scene whose owner holds plenty on both chains. */
export const make = Effect.fnUntraced(function* (options: Quoting.Options = {}) {
  const scene = yield* Quoting.make(options)
  scene.script.balances = new Map([source, destination].map(({ id }) => [id, 1_000n * WHOLE]))
  for (const { id } of [source, destination]) yield* (yield* scene.chain(id)).setBalance(OWNER, 5n * WHOLE)
  return scene
})

export const offered = ({ quotes }: WalletOffer) => quotes.flatMap((entry) => ("quote" in entry ? [entry] : []))

/** The reason of each token; `quoted` for one with a quote. */
export const outcomes = ({ quotes }: WalletOffer) =>
  quotes.map((entry) => ("reason" in entry ? entry.reason : "quoted"))
