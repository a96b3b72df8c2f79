/**
 * Proves by the destination chain's own logs that a transfer arrived, in transactions that a service names. The service's word is never
 * enough: the transfer must be at the chain's confirmation depth, later than the deposit, to the recipient, of the token and of at
 * least the minimum. One log line proves one order at most, also across replicas and restarts.
 */
import { Effect, Option } from "effect"
import { decodeEventLog, encodeEventTopics, erc20Abi, type Hex as ViemHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type ChainClient, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"
import { settledBlock } from "./Blocks.ts"

export interface Arrival {
  /** ERC-20 on the destination chain. */
  readonly token: Address.Address
  readonly recipient: Address.Address
  readonly minAmountOut: bigint
  /** UNIX seconds of the deposit's block. */
  readonly depositedAt: bigint
  /** Names the order among all orders. */
  readonly order: string
}

/** Transactions that are looked at. A delivery has one. */
const MOST_TRANSACTIONS = 4

/** Difference between the clocks of two chains, in seconds. */
const SKEW_SECONDS = 15n

/** A claim is kept for longer than any delivery is awaited. */
const CLAIM_MILLIS = 10 * 365 * 86_400_000

/** Time after which a claim that a crash interrupted can be made again by the same order. */
const LEASE_MILLIS = 10_000

const PENDING: Delivery = { _tag: "Pending" }

const [TRANSFER] = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer" })

const transferOf = Option.liftThrowable(({ data, topics }: Log) => {
  const event = decodeEventLog({ abi: erc20Abi, data, topics: topics as [ViemHex, ...ReadonlyArray<ViemHex>] })
  if (event.eventName !== "Transfer") throw new Error("another event")
  return event.args
})

/** Amount that a log brought to the recipient. None for any other log. */
export const arrived = (log: Log, { minAmountOut, recipient, token }: Arrival): Option.Option<bigint> =>
  log.address !== token || log.topics[0]?.toLowerCase() !== TRANSFER
    ? Option.none()
    : transferOf(log).pipe(
        Option.filter(({ to, value }) => to === recipient && value >= minAmountOut),
        Option.map(({ value }) => value)
      )

export const make = (idempotency: Idempotency["Service"]) => {
  /** True if the log line is now, or was already, the proof of this order. */
  const claim = Effect.fnUntraced(function* (chainId: number, log: Log, order: string) {
    const id = `arrival:${chainId}:${log.transactionHash.toLowerCase()}:${log.logIndex}`
    const claimed = yield* idempotency.claim({
      id,
      attempt: order,
      fingerprint: order,
      leaseMillis: LEASE_MILLIS,
      lifetimeMillis: CLAIM_MILLIS
    })
    if (claimed._tag === "Answered") return true
    if (claimed._tag !== "Claimed") return false
    yield* idempotency.complete({ id, attempt: order }, { status: 200, body: "" })
    return true
  })

  /** The delivery, if one of the transactions proves it. Pending otherwise. */
  return Effect.fn("ProvedArrival.prove")(
    function* (destination: ChainClient, txHashes: ReadonlyArray<Hash>, arrival: Arrival) {
      const head = yield* settledBlock(destination)
      if (Option.isNone(head)) return PENDING
      for (const hash of txHashes.slice(0, MOST_TRANSACTIONS)) {
        const receipt = Option.getOrUndefined(yield* destination.receipt(hash))
        if (receipt === undefined || receipt.status !== "success" || receipt.blockNumber > head.value.number) continue
        const block = Option.getOrUndefined(yield* destination.block(receipt.blockNumber))
        if (block === undefined || block.hash !== receipt.blockHash) continue
        if (block.timestamp + SKEW_SECONDS < arrival.depositedAt) continue
        for (const log of receipt.logs) {
          const amountOut = Option.getOrUndefined(arrived(log, arrival))
          if (amountOut === undefined || !(yield* claim(destination.chain.id, log, arrival.order))) continue
          const delivered: Delivery = { _tag: "Delivered", txHash: receipt.transactionHash, amountOut }
          return delivered
        }
      }
      return PENDING
    },
    (effect, destination) =>
      Effect.catchTag(effect, "StoreUnavailable", (error) =>
        Effect.fail(
          new ChainUnavailable({ chainId: destination.chain.id, method: "Bridge.delivery", detail: error.message })
        )
      )
  )
}
