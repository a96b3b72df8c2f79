/**
 * Prices of two endpoints, of which the lower one counts. One endpoint that names a false price could otherwise make sweeps wait until
 * their deadlines, and stop a chain whose fees are limited.
 */
import { Effect, Option, Result } from "effect"
import * as ChainMoney from "../../domain/ChainMoney.ts"
import { type ChainClient, ChainUnavailable, type FeesPerGas } from "../../ports/shared/Chains.ts"

interface Comparison<A> {
  readonly isSame: (one: A, other: A) => boolean
  readonly lower: (one: A, other: A) => A
}

/** Reads a price on two endpoints, and returns the lower answer. A contradiction is logged with the names of both. */
export const of = Effect.fnUntraced(function* <A>(
  { chain, corroborated }: ChainClient,
  price: Effect.Effect<A, ChainUnavailable>,
  { isSame, lower }: Comparison<A>
): Effect.fn.Return<A, ChainUnavailable> {
  const answers: Array<A> = []
  const read = Effect.tap(price, (answer) => Effect.sync(() => void answers.push(answer)))
  const outcome = yield* Effect.result(corroborated(read, { isSame }))
  if (Result.isSuccess(outcome)) return answers.reduce(lower, outcome.success)
  const [first, ...others] = answers
  if (first === undefined || others.length === 0) return yield* outcome.failure
  yield* Effect.logWarning("chain.prices_contradict").pipe(
    Effect.annotateLogs({ chain: chain.name, detail: outcome.failure.detail })
  )
  return others.reduce(lower, first)
})

/** Fees of the next block by two endpoints. */
export const feesPerGas = (client: ChainClient): Effect.Effect<FeesPerGas, ChainUnavailable> =>
  of(client, client.feesPerGas, { isSame: ChainMoney.areFeesAlike, lower: ChainMoney.lowerFees })

/** Base fee of the newest block by two endpoints. */
export const baseFee = (client: ChainClient): Effect.Effect<bigint, ChainUnavailable> => {
  const { id: chainId } = client.chain
  const missing = new ChainUnavailable({ chainId, method: "eth_getBlockByNumber", detail: "there is no latest block" })
  const read = Effect.flatMap(
    client.block("latest"),
    Option.match({ onNone: () => Effect.fail(missing), onSome: ({ baseFeePerGas }) => Effect.succeed(baseFeePerGas) })
  )
  return of(client, read, { isSame: ChainMoney.arePricesAlike, lower: ChainMoney.lowerPrice })
}
