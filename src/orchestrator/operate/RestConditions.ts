/** Reads what decides if a transfer of a lane's rest is mined, or can be. */
import { Deferred, Effect, Option, Result, Schema } from "effect"
import { parseTransaction } from "viem"
import type * as Address from "../../domain/Address.ts"
import { Hash } from "../../domain/Hex.ts"
import type { Conditions, Terms } from "../../domain/RestTransfer.ts"
import { LaneBook, type Withdrawal } from "../../ports/orchestrator/LaneBook.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"

/** Newest records of operators in which versions of a transfer are looked up. */
const RECORDS = 1_000

/** Newest versions of a transfer that are looked up, besides the first one. */
const NEWEST = 7

/** Versions of a transfer that are looked up at the same time. */
const LOOKUPS = 4

/** Timeout of a lookup at all endpoints in milliseconds. A version is then looked up at one of them. */
const EVERYWHERE_MILLIS = 750

const isHash = Schema.is(Hash)

const parsed = Option.liftThrowable(parseTransaction)

/** Content of a stored transfer. None if its bytes are no transaction, so that one such row does not hold up others. */
export const termsOf = ({ amount, raw }: Pick<Withdrawal, "amount" | "raw">): Option.Option<Terms> =>
  Option.flatMap(parsed(raw), ({ gas, maxFeePerGas, maxPriorityFeePerGas = 0n }) =>
    gas === undefined || maxFeePerGas === undefined
      ? Option.none()
      : Option.some({ amount, gas, maxFeePerGas, maxPriorityFeePerGas })
  )

/** Makes `look(client, lane, recipient)`. `reverted` is the node's answer if the recipient refuses transfers. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const withLimits = yield* LimitChoices.make

  return Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, recipient: Address.Address) {
    const estimate = client.estimateGas({ from: lane, to: recipient, data: "0x" }).pipe(
      Effect.map((gas) => ({ gas, reverted: undefined })),
      Effect.catchTag("CallReverted", ({ detail }) => Effect.succeed({ gas: 0n, reverted: detail }))
    )
    const [balance, { baseFeePerGas, ...market }, rollup, { gas, reverted }] = yield* Effect.all(
      [client.balance(lane), client.feesPerGas, contracts.rollupFee(client, 0), estimate],
      { concurrency: "unbounded" }
    )
    const { maxFeePerGasWei: limit } = yield* withLimits(client.chain)
    return { conditions: { balance, baseFeePerGas, market, limit, gas, rollup } satisfies Conditions, reverted }
  })
})

/** Finds the receipt of a version. It is orphaned if the block of its number is another one. */
const lookUp = Effect.fnUntraced(function* (
  client: ChainClient,
  version: Hash,
  scope?: "everywhere"
): Effect.fn.Return<"missing" | "mined" | "orphaned", ChainUnavailable> {
  const receipt = yield* client.receipt(version, scope)
  if (Option.isNone(receipt)) return "missing"
  const block = yield* client.block(receipt.value.blockNumber)
  // A node that is behind does not have the block yet.
  return Option.isNone(block) || block.value.hash === receipt.value.blockHash ? "mined" : "orphaned"
})

/**
 * True if a block has the version. One endpoint decides if too few of them answer, or if one still has a fork that ended. A replacement
 * that was not necessary never pays twice, while a transfer that nothing may replace can hold up its lane for ever.
 */
const hasBlock = Effect.fnUntraced(function* (client: ChainClient, version: Hash) {
  const found = yield* lookUp(client, version, "everywhere").pipe(
    Effect.timeoutOption(EVERYWHERE_MILLIS),
    Effect.catchTag("ChainUnavailable", () => Effect.succeedNone)
  )
  const isClear = Option.isSome(found) && found.value !== "orphaned"
  return (isClear ? found.value : yield* lookUp(client, version)) === "mined"
})

/** True if a block has one of the versions. The first receipt ends the search. A failed lookup counts only if no other finds a receipt. */
const anyHasBlock = Effect.fnUntraced(function* (client: ChainClient, versions: Iterable<Hash>) {
  const proved = yield* Deferred.make<boolean>()
  const survey = Effect.gen(function* () {
    const outcomes = yield* Effect.forEach(
      versions,
      (version) =>
        hasBlock(client, version).pipe(
          Effect.tap((isMined) => (isMined ? Deferred.succeed(proved, true) : Effect.void)),
          Effect.result
        ),
      { concurrency: LOOKUPS }
    )
    if (outcomes.some((outcome) => Result.isSuccess(outcome) && outcome.success)) return true
    yield* Effect.forEach(outcomes, (outcome) => Effect.fromResult(outcome), { discard: true })
    return false
  })
  return yield* Effect.raceFirst(survey, Deferred.await(proved))
})

/**
 * Makes `isMined(client, stored)`, which is true if a block has used the nonce of a stored transfer. Ask it after the balance. The node that
 * tells the count may be a block behind the one that told the balance, so a receipt of a version is a proof as well. Of many versions only
 * the newest and the first are looked up. The count proves the others.
 */
export const makeIsMined = Effect.map(LaneBook, (book) =>
  Effect.fnUntraced(function* (client: ChainClient, { hash, lane, nonce }: Withdrawal) {
    const count = yield* client.transactionCount(lane, "latest")
    if (count > nonce) return true
    const later = (yield* book.log(RECORDS)).flatMap(({ details: { replaces, txHash } }) =>
      replaces === hash && isHash(txHash) ? [txHash] : []
    )
    return yield* anyHasBlock(client, [...[...new Set(later)].slice(0, NEWEST), hash])
  })
)
