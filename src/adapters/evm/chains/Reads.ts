/** Reads of blocks, accounts, fees and receipts. */
import { Deferred, Effect, Option, Schema } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import { feesWithin } from "../../../domain/ChainMoney.ts"
import { type Hash, Hex } from "../../../domain/Hex.ts"
import type { ChainClient, ChainUnavailable, FeesPerGas } from "../../../ports/shared/Chains.ts"
import * as Choice from "../rpc/Choice.ts"
import * as Receipts from "../rpc/Receipts.ts"
import * as Rpc from "../rpc/Schemas.ts"
import * as ContractCode from "./ContractCode.ts"
import { type Node, tag } from "./Node.ts"

/** Number of blocks in a fee estimate. */
const FEE_BLOCKS = 10

const median = (values: ReadonlyArray<bigint>): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)]

/** The tip is the median of recent blocks. */
const feesFrom = (history: typeof Rpc.RpcFeeHistory.Type, chain: Chain): FeesPerGas => {
  const rewards = (history.reward ?? []).flatMap((percentiles) => percentiles.slice(0, 1)).filter((tip) => tip > 0n)
  return feesWithin({ baseFeePerGas: history.baseFeePerGas.at(-1) ?? 0n, tip: median(rewards) ?? 0n }, chain)
}

/** Time in milliseconds in which the other endpoints may still have something after two have nothing. */
const LATE_MILLIS = 100

/**
 * Makes a read of all endpoints. An endpoint may be behind, so one that has nothing proves less than two. The read ends at its proof, and
 * does not wait for an endpoint that is silent or refuses for the rate.
 * @returns An answer that is something, or else nothing if two endpoints, or the only one, have nothing.
 */
const makeEverywhere = (pool: Node["pool"], unavailable: Node["unavailable"]) =>
  Effect.fnUntraced(function* <A>(
    method: string,
    params: ReadonlyArray<unknown>,
    decode: (method: string, answer: unknown) => Effect.Effect<A, ChainUnavailable>,
    isNothing: (found: A) => boolean
  ): Effect.fn.Return<A, ChainUnavailable> {
    const having: Array<Choice.Given<A>> = []
    const lacking: Array<Choice.Given<A>> = []
    const proved = yield* Deferred.make<void>()
    const collect = (found: Choice.Given<A>) =>
      Effect.suspend(() => {
        const answers = isNothing(found.answer) ? lacking : having
        answers.push(found)
        return having.length > 0 || lacking.length >= 2 ? Deferred.succeed(proved, undefined) : Effect.void
      })
    const survey = pool.everywhere((endpoint) =>
      endpoint.request(method, params).pipe(
        Effect.flatMap((answer) => decode(method, answer)),
        Effect.tap((answer) => collect({ answer, by: endpoint }))
      )
    )
    const needed = yield* Effect.raceFirst(
      Effect.map(survey, ({ length }) => Math.min(length, 2)),
      Deferred.await(proved).pipe(
        Effect.andThen(Effect.suspend(() => (having.length > 0 ? Effect.void : Effect.sleep(LATE_MILLIS)))),
        Effect.as(2)
      )
    )
    const [best] = having
    if (best !== undefined) return yield* Choice.used(Effect.succeed(best))
    const [nothing] = yield* Effect.forEach(lacking, (given) => Choice.used(Effect.succeed(given)))
    return nothing === undefined || lacking.length < needed
      ? yield* unavailable(method, "fewer than two endpoints answered")
      : nothing
  })

type Reads = Pick<
  ChainClient,
  "block" | "code" | "balance" | "transactionCount" | "accounts" | "feesPerGas" | "receipt"
>

/**
 * Makes the reads.
 * @param withLimits Returns the chain with the limits of fees that hold now.
 */
export const make = (
  { chain, decoded, pool, read, readHead, unavailable, wellFormed }: Node,
  withLimits: (chain: Chain) => Effect.Effect<Chain>
): Reads => {
  const asQuantity = decoded(Rpc.Quantity)
  const asHex = decoded(Hex)
  const asBlock = decoded(Schema.NullOr(Rpc.RpcBlock))
  const asFeeHistory = decoded(Rpc.RpcFeeHistory)

  const block: ChainClient["block"] = Effect.fnUntraced(function* (which) {
    const method = "eth_getBlockByNumber"
    const params = [tag(which), false]
    const answer = yield* asBlock(method, yield* which === "latest" ? readHead(method, params) : read(method, params))
    return answer === null ? Option.none() : Option.some(Rpc.block(answer))
  })

  const everywhere = makeEverywhere(pool, unavailable)

  const keptCode = ContractCode.make(
    Effect.fnUntraced(function* (address: Address.Address) {
      return yield* asHex("eth_getCode", yield* read("eth_getCode", [address, "latest"]))
    })
  )

  const code: ChainClient["code"] = (address, scope) =>
    scope === "everywhere"
      ? everywhere("eth_getCode", [address, "latest"], asHex, (found) => found === "0x")
      : keptCode(address)

  const balance: ChainClient["balance"] = Effect.fnUntraced(function* (address) {
    return yield* asQuantity("eth_getBalance", yield* read("eth_getBalance", [address, "latest"]))
  })

  const transactionCount: ChainClient["transactionCount"] = Effect.fnUntraced(function* (address, which) {
    const method = "eth_getTransactionCount"
    return yield* asQuantity(method, yield* read(method, [address, tag(which)]))
  })

  const accounts: ChainClient["accounts"] = Effect.fnUntraced(function* (addresses) {
    const lookups = addresses.flatMap((address) => [
      { method: "eth_getCode", params: [address, "latest"] },
      { method: "eth_getTransactionCount", params: [address, "pending"] }
    ])
    // If some of them were refused for the rate, each is asked for by itself: of many, one would be refused each time.
    const together = pool.first((endpoint) =>
      Effect.catchTag(endpoint.requestAll(lookups), "RateLimited", () => Effect.undefined)
    )
    const oneByOne = Effect.forEach(lookups, ({ method, params }) => pool.request(method, params), {
      concurrency: "unbounded"
    })
    const answers = yield* Effect.mapError(
      Effect.flatMap(together, (answered) => (answered === undefined ? oneByOne : Effect.succeed(answered))),
      (failure) => unavailable("eth_getCode", failure.message)
    )
    return yield* wellFormed("eth_getCode", Receipts.accounts(answers))
  })

  const feesPerGas: ChainClient["feesPerGas"] = Effect.gen(function* () {
    const method = "eth_feeHistory"
    const history = yield* read(method, [numberToHex(FEE_BLOCKS), "latest", [50]])
    return feesFrom(yield* asFeeHistory(method, history), yield* withLimits(chain))
  }).pipe(Effect.withSpan("Chains.feesPerGas"))

  /** Reader of a receipt. That of another transaction proves nothing about this one. */
  const receiptReader = (hash: Hash) => (method: string, answer: unknown) =>
    Effect.flatMap(wellFormed(method, Receipts.receipt(answer)), (found) =>
      found !== null && found.transactionHash !== hash
        ? Effect.fail(unavailable(method, "the receipt is of another transaction"))
        : Effect.succeed(Option.fromNullOr(found))
    )

  const receipt: ChainClient["receipt"] = Effect.fnUntraced(function* (hash, scope) {
    const method = "eth_getTransactionReceipt"
    const asReceipt = receiptReader(hash)
    if (scope === "everywhere") return yield* everywhere(method, [hash], asReceipt, Option.isNone)
    return yield* asReceipt(method, yield* read(method, [hash]))
  })

  return { block, code, balance, transactionCount, accounts, feesPerGas, receipt }
}
