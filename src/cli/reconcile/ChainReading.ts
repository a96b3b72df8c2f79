/** Reads what a chain's logs show since a moment: settlements of the guards, and payments of the vaults. */
import { Effect, Equal, Option } from "effect"
import { pad } from "viem"
import { hashOf, isOwnSale, sweepId } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import { erc20, vaults } from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import * as LostPayments from "../../domain/LostPayments.ts"
import type { SettledSweep } from "../../domain/LostSweeps.ts"
import { type PayoutBatch, TRANSFER } from "../../domain/Payout.ts"
import { type ChainView, inconsistent } from "../../orchestrator/shared/ChainView.ts"
import * as FeeRecipients from "../../orchestrator/shared/FeeRecipients.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import {
  type Block,
  type BlockRange,
  type ChainClient,
  ChainUnavailable,
  type Log,
  type LogFilter,
  type ReadLogs,
  type Receipt
} from "../../ports/shared/Chains.ts"

/** Receipts that are requested concurrently. */
const CONCURRENCY = 8

/** Requests of one read of logs. A second endpoint has to finish as many in the time in which it may confirm the read. */
const REQUESTS = 16

/** True for the same block at the same time. */
const isSameBlock = Option.makeEquivalence<Block>((a, b) => a.hash === b.hash && a.timestamp === b.timestamp)

/** True for logs of the same places, with the same content. */
const areSameLogs = (one: ReadonlyArray<Log>, other: ReadonlyArray<Log>): boolean => {
  const [a, b] = [one, other].map((logs) =>
    logs.map(({ address, blockHash, data, logIndex, topics, transactionHash }) =>
      [blockHash, transactionHash, logIndex, address, data, ...topics].join(" ").toLowerCase()
    )
  )
  return Equal.equals(a, b)
}

const isSameReceipt = Option.makeEquivalence<Receipt>(
  (a, b) => a.blockHash === b.blockHash && a.status === b.status && areSameLogs(a.logs, b.logs)
)

/** Receipt of a transaction. Fails if a second endpoint contradicts it. */
const receiptOf = ({ corroborated, receipt }: ChainClient, hash: Hash) =>
  corroborated(receipt(hash), { isSame: isSameReceipt, isUnknown: Option.isNone })

/**
 * The first block that is not older than this (UNIX milliseconds). The block after `newest` if there is none. A second endpoint has to agree
 * that the one before it is older, since logs of earlier blocks are not read.
 */
export const firstBlockSince = Effect.fnUntraced(function* (client: ChainClient, newest: bigint, sinceMs: number) {
  let [low, high] = [0n, newest + 1n]
  while (low < high) {
    const middle = (low + high) / 2n
    const block = yield* client.block(middle)
    if (Option.isNone(block)) return yield* inconsistent(client)
    if (Number(block.value.timestamp) * 1000 < sinceMs) low = middle + 1n
    else high = middle
  }
  if (low === 0n) return low
  const before = yield* client.corroborated(client.block(low - 1n), { isSame: isSameBlock, isUnknown: Option.isNone })
  const isOlder = Option.exists(before, ({ timestamp }) => Number(timestamp) * 1000 < sinceMs)
  return isOlder ? low : yield* inconsistent(client)
})

/** The newest block of a range that a read has come to. */
const endOf = ({ unread }: ReadLogs, { toBlock }: BlockRange): bigint =>
  unread === undefined ? toBlock : unread.fromBlock - 1n

/** Reads a part of the range at least. */
const readPart = Effect.fnUntraced(function* (client: ChainClient, filter: LogFilter) {
  const part = yield* client.logs({ ...filter, requests: REQUESTS })
  if (endOf(part, filter) >= filter.fromBlock) return part
  const detail = `no endpoint has read the logs from block ${filter.fromBlock} on`
  return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getLogs", detail })
})

/**
 * Logs of the beginning of a range, with its last block. Fails if a second endpoint has other logs, since one that leaves out a payment
 * would have it paid again. The endpoints may read parts of different length. The shorter one counts.
 */
const provedPart = Effect.fnUntraced(function* (client: ChainClient, filter: LogFilter) {
  let end = filter.toBlock
  const upTo = (last: bigint, { logs }: ReadLogs) => logs.filter(({ blockNumber }) => blockNumber <= last)
  const part = yield* client.corroborated(readPart(client, filter), {
    isSame: (one, other) => {
      for (const each of [endOf(one, filter), endOf(other, filter)]) if (each < end) end = each
      return areSameLogs(upTo(end, one), upTo(end, other))
    }
  })
  const own = endOf(part, filter)
  if (own < end) end = own
  return { logs: upTo(end, part), end }
})

/** All logs of a range. Nodes limit the blocks of a request, so one read may return a part only. */
const allLogs = Effect.fnUntraced(function* (
  client: ChainClient,
  filter: Pick<LogFilter, "address" | "topics">,
  range: BlockRange
) {
  const found: Array<Log> = []
  let { fromBlock } = range
  while (fromBlock <= range.toBlock) {
    const part: Effect.Success<ReturnType<typeof provedPart>> = yield* provedPart(client, {
      ...filter,
      fromBlock,
      toBlock: range.toBlock
    })
    found.push(...part.logs)
    fromBlock = part.end + 1n
  }
  return found
})

type RecipientOf = Effect.Success<typeof FeeRecipients.make>

/** Settlements of a transaction, by the logs of its receipt. */
const settlementsOf = Effect.fnUntraced(function* (client: ChainClient, txHash: Hash, recipientOf: RecipientOf) {
  const { decodeSwept } = yield* SweepContracts
  const { chain } = client
  const receipt = yield* receiptOf(client, txHash)
  if (Option.isNone(receipt)) return yield* inconsistent(client)
  const block = yield* client.block(receipt.value.blockNumber)
  if (Option.isNone(block) || block.value.hash !== receipt.value.blockHash) return yield* inconsistent(client)
  const settledAtMs = Number(block.value.timestamp) * 1000
  const events = receipt.value.logs.flatMap((log, index) => {
    const found = Generations.all(chain).flatMap(({ delegate, guard }) =>
      Option.match(decodeSwept(guard, log), { onNone: () => [], onSome: (event) => [{ delegate, event, index }] })
    )
    // A chains file may name the current contracts among the earlier ones too.
    return found.slice(0, 1)
  })
  return yield* Effect.forEach(events, ({ delegate, event, index }) =>
    Effect.gen(function* () {
      const { amountIn, builder, builderFee, feeAmount, orderHash, tokenIn } = event
      const recipient = event.owner === event.destination ? yield* recipientOf(client, delegate) : Option.none()
      return {
        sweepId: sweepId(txHash, index),
        chainId: chain.id,
        feeToken: erc20(chain, tokenIn),
        amountIn,
        feeAmount,
        builderFee,
        txHash,
        settledAtMs,
        orderHash,
        recipient: builder,
        isOwnSale: isOwnSale(
          event,
          Option.getOrElse(recipient, () => chain.feeRecipient)
        )
      } satisfies SettledSweep
    })
  )
})

/** Every settlement of the chain's guards in confirmed blocks from `fromBlock` on, in the order of the chain. */
export const settlements = Effect.fnUntraced(function* ({ client, confirmed }: ChainView, fromBlock: bigint) {
  if (Option.isNone(confirmed)) return []
  const { sweptTopics } = yield* SweepContracts
  // The first topic is the event. The one after it selects an order.
  const topics = sweptTopics("0x").slice(0, 1)
  const address = Generations.all(client.chain).map(({ guard }) => guard)
  const logs = yield* allLogs(client, { address, topics }, { fromBlock, toBlock: confirmed.value.number })
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const recipientOf = yield* FeeRecipients.make
  const found = yield* Effect.forEach(hashes, (hash) => settlementsOf(client, hash, recipientOf), {
    concurrency: CONCURRENCY
  })
  return found.flat()
})

/** The settlement with this id; none if no confirmed block has it. */
export const settlement = Effect.fnUntraced(function* ({ client, confirmed }: ChainView, id: string) {
  const txHash = hashOf(id)
  if (txHash === undefined || Option.isNone(confirmed)) return Option.none()
  const receipt = yield* receiptOf(client, txHash)
  if (Option.isNone(receipt) || receipt.value.blockNumber > confirmed.value.number) return Option.none()
  const found = yield* settlementsOf(client, txHash, yield* FeeRecipients.make)
  return Option.fromUndefinedOr(found.find((each) => each.sweepId === id))
})

/** Payments of the vaults in these tokens, in confirmed blocks of the range, in the order of the chain. Default of `toBlock`: the newest. */
export const payments = Effect.fnUntraced(function* (
  { client, confirmed }: ChainView,
  { fromBlock, toBlock }: { readonly fromBlock: bigint; readonly toBlock?: bigint },
  tokens: ReadonlyArray<Address.Address>
) {
  if (Option.isNone(confirmed) || tokens.length === 0) return []
  const payers = vaults(client.chain)
  const { number } = confirmed.value
  const range = { fromBlock, toBlock: toBlock === undefined || toBlock > number ? number : toBlock }
  const topics = [TRANSFER, payers.map((vault) => pad(vault, { size: 32 }))]
  const logs = yield* allLogs(client, { address: tokens, topics }, range)
  const blocks = new Map(logs.map(({ blockNumber, transactionHash }) => [transactionHash, blockNumber]))
  return LostPayments.payments(payers, logs).map((payment) => ({
    ...payment,
    blockNumber: blocks.get(payment.txHash) ?? fromBlock
  }))
})

/**
 * Payments of the vaults before `fromBlock` that may pay a batch that is open. Each is read from the block in which the oldest of these
 * batches was opened. Clocks of chains and databases may differ by the margin.
 */
export const earlierPayments = Effect.fnUntraced(function* (
  view: ChainView,
  fromBlock: bigint,
  batches: ReadonlyArray<PayoutBatch>,
  marginMillis: number
) {
  const openings = yield* Effect.forEach(
    batches.filter(({ status }) => status === "open"),
    (batch) =>
      Effect.map(firstBlockSince(view.client, fromBlock - 1n, batch.createdAtMs - marginMillis), (block) => ({
        batch,
        block
      })),
    { concurrency: CONCURRENCY }
  )
  const earlier = openings.filter(({ block }) => block < fromBlock)
  const first = earlier.reduce((oldest, { block }) => (block < oldest ? block : oldest), fromBlock)
  const tokens = new Set(earlier.map(({ batch }) => batch.token))
  return {
    openedAt: new Map(openings.map(({ batch, block }) => [batch.id, block])),
    found: yield* payments(view, { fromBlock: first, toBlock: fromBlock - 1n }, [...tokens])
  }
})
