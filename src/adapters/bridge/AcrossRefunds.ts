/**
 * Refunds of Across deposits that nobody filled. The protocol returns them on the source chain together with the repayments of
 * relayers: the pool pays the accounts of a leaf, and records their amounts in one event. The event has no deposit, so a payment is
 * known by its account, token and amount. Several deposits of one account and token may come back as one payment.
 */
import { Effect, Layer, Option } from "effect"
import { decodeEventLog, encodeEventTopics, erc20Abi, numberToHex, zeroHash } from "viem"
import * as Address from "../../domain/Address.ts"
import type { RefundLine } from "../../domain/BridgeRefund.ts"
import * as Chain from "../../domain/Chain.ts"
import { BridgeRefunds } from "../../ports/orchestrator/BridgeRefunds.ts"
import { type ChainClient, Chains, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import { blockBefore, settledBlock } from "./Blocks.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

/** Maximum number of requests for logs in one look. */
const REQUESTS = 20

/**
 * Newest blocks that the next look reads again. An endpoint that is behind has no logs of them, and does not say so. A payment that is
 * read twice is recorded once.
 */
const OVERLAP = 256n

/** Maximum difference between the clocks of two chains, in seconds: the deadline of a deposit is a time of its destination. */
const CLOCK_SKEW_SECONDS = 900

const [EXECUTED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "ExecutedRelayerRefundRoot" })

/** None for a log of another event. viem throws for topics and data that do not match. */
const decodeExecuted = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: spokePoolAbi, eventName: "ExecutedRelayerRefundRoot", topics: [signature, ...indexed], data })
      .args
)

const decodeTransfer = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: erc20Abi, eventName: "Transfer", topics: [signature, ...indexed], data }).args
)

/** A payment, its pool, and true if the pool could not pay a part of its leaf. */
interface Entry {
  readonly line: RefundLine
  readonly pool: Address.Address
  readonly isDeferred: boolean
}

/** Payments of the log of a leaf of one of the pools. */
const entriesOf = (log: Log, pools: ReadonlyArray<Address.Address>): ReadonlyArray<Entry> => {
  const event = pools.includes(log.address) ? Option.getOrUndefined(decodeExecuted(log)) : undefined
  if (event === undefined || event.refundAddresses.length !== event.refundAmounts.length) return []
  return event.refundAddresses.map((account, entry) => ({
    line: {
      txHash: log.transactionHash,
      blockNumber: log.blockNumber,
      logIndex: log.logIndex,
      entry,
      token: Address.of(event.l2TokenAddress),
      account: Address.of(account),
      amount: event.refundAmounts[entry] ?? 0n
    },
    pool: log.address,
    isDeferred: event.deferredRefunds
  }))
}

const isMoved = (logs: ReadonlyArray<Log>, pool: Address.Address, line: RefundLine): boolean =>
  logs.some((log) => {
    if (log.address !== line.token) return false
    const transfer = Option.getOrUndefined(decodeTransfer(log))
    return (
      transfer !== undefined &&
      Address.of(transfer.from) === pool &&
      Address.of(transfer.to) === line.account &&
      transfer.value === line.amount
    )
  })

/**
 * True if the transaction moved the payment's amount from the pool to the account. None while no node has the receipt. Its block is then
 * read again for this account only, for as long as the refund is looked for.
 */
const isTransferred = Effect.fnUntraced(function* (client: ChainClient, pool: Address.Address, line: RefundLine) {
  const { txHash } = line
  const receipt = yield* Effect.catchTag(
    ConfirmedReceipt.find(client, txHash),
    "ChainUnavailable",
    () => Effect.succeedNone
  )
  if (Option.isSome(receipt)) return Option.some(isMoved(receipt.value.logs, pool, line))
  yield* Effect.annotateLogs(Effect.logWarning("bridge.refund_receipt_missing"), {
    bridge: "across",
    chainId: client.chain.id,
    txHash
  })
  return Option.none()
})

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Maps each account with unknown payments before `next` to the block of the first one. */
const heldBackOf = (unknown: ReadonlyArray<RefundLine>, next: bigint): ReadonlyMap<Address.Address, bigint> => {
  const held = new Map<Address.Address, bigint>()
  for (const { account, blockNumber } of unknown) {
    const least = lesser(held.get(account) ?? next, blockNumber)
    if (least < next) held.set(account, least)
  }
  return held
}

const make = Effect.map(Chains, (chains) => {
  const poolsOf = Effect.fnUntraced(function* (chainId: number) {
    const unusable = (detail: string) => new ChainUnavailable({ chainId, method: "Across.refunds", detail })
    const client = yield* Effect.mapError(chains.get(chainId), (error) => unusable(error.message))
    const pools = Chain.spokePools(client.chain)
    if (pools.length === 0) return yield* unusable("Across is no longer configured on the chain")
    return { client, pools }
  })

  const firstBlock: BridgeRefunds["Service"]["firstBlock"] = Effect.fn("Across.firstRefundBlock")(
    function* (chainId, notBefore) {
      const { client } = yield* poolsOf(chainId)
      const head = yield* settledBlock(client)
      if (Option.isNone(head)) {
        return yield* new ChainUnavailable({
          chainId,
          method: "eth_getBlockByNumber",
          detail: "the newest confirmed block is missing"
        })
      }
      return yield* blockBefore(client, head.value, BigInt(notBefore - CLOCK_SKEW_SECONDS))
    }
  )

  const paid: BridgeRefunds["Service"]["paid"] = Effect.fn("Across.refunds")(function* (chainId, accounts, fromBlock) {
    const { client, pools } = yield* poolsOf(chainId)
    const head = yield* settledBlock(client)
    if (Option.isNone(head) || head.value.number < fromBlock) return { lines: [], nextBlock: fromBlock }
    const { logs, unread } = yield* client.logs({
      fromBlock,
      toBlock: head.value.number,
      address: pools,
      topics: [EXECUTED, numberToHex(chainId, { size: 32 })],
      requests: REQUESTS
    })
    const entries = logs.flatMap((log) => entriesOf(log, pools)).filter(({ line }) => accounts.has(line.account))
    // A leaf with deferred payments says nothing about which of them. The tokens' own events do.
    const known = yield* Effect.forEach(entries, ({ isDeferred, line, pool }) =>
      Effect.map(isDeferred ? isTransferred(client, pool, line) : Effect.succeedSome(true), (isPaid) => ({
        line,
        isPaid
      }))
    )
    const overlap = head.value.number - OVERLAP + 1n
    const again = overlap > fromBlock ? overlap : fromBlock
    const nextBlock = unread === undefined ? again : lesser(unread.fromBlock, again)
    const unknown = known.flatMap(({ isPaid, line }) => (Option.isNone(isPaid) ? [line] : []))
    const heldBack = heldBackOf(unknown, nextBlock)
    return {
      lines: known.flatMap(({ isPaid, line }) => (Option.getOrElse(isPaid, () => false) ? [line] : [])),
      nextBlock,
      ...(heldBack.size === 0 ? {} : { heldBack })
    }
  })

  return BridgeRefunds.of({ firstBlock, paid })
})

export const layer = Layer.effect(BridgeRefunds, make)
