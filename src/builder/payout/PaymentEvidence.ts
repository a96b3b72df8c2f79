/**
 * Reads for conclusions about payments, which one endpoint alone must not cause: a second one is asked and has to agree. An endpoint that
 * does not answer, or does not follow the chain, stops nothing.
 */
import { Clock, Effect, Equal, Option } from "effect"
import { hexToBigInt } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type Hash, type Hex, size } from "../../domain/Hex.ts"
import { isSpent, spentData } from "../../domain/PayoutPayment.ts"
import type { Block, BlockHash, ChainClient, Receipt } from "../../ports/shared/Chains.ts"

/** An endpoint does not follow the chain if its newest block is older than this many seconds. */
const STALE_SECONDS = 600n

const isSameBlock = (a: Option.Option<Block>, b: Option.Option<Block>): boolean =>
  Option.getOrUndefined(a)?.hash === Option.getOrUndefined(b)?.hash &&
  Option.getOrUndefined(a)?.timestamp === Option.getOrUndefined(b)?.timestamp

/** Receipts that nodes compute from the same block are equal in this, while some leave out fees. */
const essence = ({ blockHash, blockNumber, logs, status, transactionHash }: Receipt) => ({
  blockHash,
  blockNumber,
  logs,
  status,
  transactionHash
})

/** Two endpoints without a receipt prove nothing, so that the next one is asked. */
const isSameReceipt = (a: Option.Option<Receipt>, b: Option.Option<Receipt>): boolean =>
  Option.isSome(a) && Option.isSome(b) && Equal.equals(essence(a.value), essence(b.value))

/** Receipt of a transaction; none if no endpoint has one. */
export const receiptOf = (client: ChainClient, txHash: Hash) =>
  client.corroborated(client.receipt(txHash), { isSame: isSameReceipt, isUnknown: Option.isNone })

/** Lowest head of two endpoints. One that names blocks which the chain does not have yet would prove a time that has not come. */
const lowestHead = Effect.fnUntraced(function* (client: ChainClient) {
  const nowSeconds = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  const isStale = (head: Option.Option<Block>) =>
    !Option.exists(head, ({ timestamp }) => timestamp + STALE_SECONDS >= nowSeconds)
  const seen: Array<Option.Option<Block>> = []
  const look = Effect.tap(client.block("latest"), (head) => Effect.sync(() => seen.push(head)))
  yield* client.corroborated(look, {
    isSame: (a, b) => !isStale(a) && !isStale(b),
    isUnknown: isStale,
    // Heads differ, and their difference contradicts nothing.
    blockOf: () => undefined
  })
  const following = seen.filter((head) => !isStale(head))
  const numbers = (following.length > 0 ? following : seen).flatMap(Option.toArray).map(({ number }) => number)
  const [first, ...others] = numbers
  return first === undefined
    ? Option.none<bigint>()
    : Option.some(others.reduce((lowest, number) => (number < lowest ? number : lowest), first))
})

const confirmedOnce = Effect.fnUntraced(function* (client: ChainClient) {
  const head = yield* lowestHead(client)
  const number = Option.getOrElse(head, () => -1n) - BigInt(client.chain.confirmations) + 1n
  if (number < 0n) return Option.none<Block>()
  return yield* client.corroborated(client.block(number), {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    blockOf: () => number
  })
})

/** A contradiction that took so many milliseconds had to wait until it showed if an endpoint follows the chain. */
const WAITED_MILLIS = 1_000

/** The newest block that is confirmed on both endpoints; none on a chain that is shorter than its confirmations. */
export const confirmedBlock = Effect.fnUntraced(function* (client: ChainClient) {
  const startedAt = yield* Clock.currentTimeMillis
  return yield* Effect.catchTag(confirmedOnce(client), "ChainUnavailable", (failure) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      // Both heads may be known now.
      failure.isContradiction === true && now - startedAt >= WAITED_MILLIS
        ? confirmedOnce(client)
        : Effect.fail(failure)
    )
  )
})

/** True when Permit2 has spent the account's nonce of the batch in a block; none if Permit2 is not there. */
export const spentIn = (client: ChainClient, id: string, account: Address.Address, block: bigint | BlockHash) =>
  client.corroborated(
    client.call({ to: client.chain.permit2, data: spentData(id, account), block }).pipe(
      Effect.catchTag("CallReverted", () => Effect.succeed<Hex>("0x")),
      Effect.map((word) => (size(word) === 32 ? Option.some(isSpent(id, hexToBigInt(word))) : Option.none()))
    )
  )
