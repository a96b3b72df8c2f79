/**
 * Proves by a chain's own logs that a transfer arrived, in transactions that a service names. The service's word is never enough: the
 * transfer must be at the chain's confirmation depth, later than the deposit, to the recipient, of the token and of at least the
 * minimum. Neither the recipient nor the owner may have paid it. Its transaction may not be a sweep, a fill or a refund of Across, or a
 * mint of CCTP, which belong to other orders. One log line proves one order at most, and an order gets one line at most, also across
 * replicas and restarts.
 *
 * A log does not tell for whom a payer pays: a service could cite a transfer of somebody else to the same recipient.
 */
import { Effect, Option } from "effect"
import { decodeEventLog, encodeEventTopics, erc20Abi, type Hex as ViemHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"
import { settledBlock } from "./Blocks.ts"
import * as CctpContracts from "./CctpContracts.ts"
import * as CctpMessage from "./CctpMessage.ts"
import * as ProofClaims from "./ProofClaims.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

export interface Arrival {
  /** ERC-20 on the chain. */
  readonly token: Address.Address
  readonly recipient: Address.Address
  /** Owner of the order. A transfer by the owner or the recipient proves nothing. */
  readonly owner: Address.Address
  readonly minAmountOut: bigint
  /** UNIX seconds of the deposit's block. */
  readonly depositedAt: bigint
  /** Names the order among all orders. */
  readonly order: string
  /** Blocks after which the transfer counts. Default: the chain's `confirmations`. */
  readonly confirmations?: number | undefined
}

/** The transfer that proves an arrival. */
export interface Proof {
  readonly txHash: Hash
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly amount: bigint
}

/** Transactions that are looked at. A delivery has one. */
const MOST_TRANSACTIONS = 4

/** Difference between the clocks of two chains, in seconds. */
const SKEW_SECONDS = 15n

const [FILLED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FilledRelay" })
const [REFUNDED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "ExecutedRelayerRefundRoot" })
const [CLAIMED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "ClaimedRelayerRefund" })

/** Events of payments of Across: of a fill, of the leaf of a refund, and of a part of a leaf that the pool could not pay at first. */
const PAID_BY_ACROSS: ReadonlySet<string> = new Set([FILLED, REFUNDED, CLAIMED])

const [TRANSFER] = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer" })

const transferOf = Option.liftThrowable(({ data, topics }: Log) => {
  const event = decodeEventLog({ abi: erc20Abi, data, topics: topics as [ViemHex, ...ReadonlyArray<ViemHex>] })
  if (event.eventName !== "Transfer") throw new Error("another event")
  return event.args
})

/** Amount that a log brought to the recipient. None for any other log. */
export const arrived = (log: Log, { minAmountOut, owner, recipient, token }: Arrival): Option.Option<bigint> =>
  log.address !== token || log.topics[0]?.toLowerCase() !== TRANSFER
    ? Option.none()
    : transferOf(log).pipe(
        Option.filter(({ to, value }) => to === recipient && value > 0n && value >= minAmountOut),
        Option.filter(({ from }) => from !== recipient && from !== owner),
        Option.map(({ value }) => value)
      )

/** True if the transaction is a sweep, a payment of Across or a mint of CCTP: what arrives in it belongs to another order. */
const isOfAnother = ({ chain }: ChainClient, logs: ReadonlyArray<Log>): boolean => {
  // Orders of earlier generations still settle.
  const guards = new Set(Generations.all(chain).map(({ guard }) => guard))
  const pools = Chain.spokePools(chain)
  const messengers = (chain.targets ?? []).filter(({ kind, name }) => kind === "bridge" && name === CctpContracts.NAME)
  return logs.some(
    (log) =>
      guards.has(log.address) ||
      (pools.includes(log.address) && PAID_BY_ACROSS.has(log.topics[0]?.toLowerCase() ?? "")) ||
      messengers.some(({ address }) => CctpMessage.isMint(log, address))
  )
}

/** A transfer that proves an arrival, and the id by which an order claims it. */
interface Line {
  readonly id: string
  readonly proof: Proof
}

/** The lines of a transaction that prove the arrival. None while no node has it at the depth. */
const linesIn = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  hash: Hash,
  arrival: Arrival
): Effect.fn.Return<Option.Option<ReadonlyArray<Line>>, ChainUnavailable> {
  const receipt = Option.getOrUndefined(yield* ConfirmedReceipt.find(client, hash))
  if (receipt === undefined || receipt.blockNumber > head.number) return Option.none()
  const block = Option.getOrUndefined(yield* client.block(receipt.blockNumber))
  if (block === undefined || block.hash !== receipt.blockHash) return Option.none()
  const isUsable =
    receipt.status === "success" &&
    block.timestamp + SKEW_SECONDS >= arrival.depositedAt &&
    !isOfAnother(client, receipt.logs)
  if (!isUsable) return Option.some([])
  const { blockNumber, transactionHash: txHash } = receipt
  return Option.some(
    receipt.logs.flatMap((log) =>
      Option.toArray(arrived(log, arrival)).map((amount): Line => ({
        id: `arrival:${client.chain.id}:${log.transactionHash.toLowerCase()}:${log.logIndex}`,
        proof: { txHash, blockNumber, logIndex: log.logIndex, amount }
      }))
    )
  )
})

/** Reads the transactions. One that cannot be read does not affect the lines of the others. */
const read = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  txHashes: ReadonlyArray<Hash>,
  arrival: Arrival
) {
  let failed: ChainUnavailable | undefined
  const unread: Array<Hash> = []
  const found = yield* Effect.forEach(
    txHashes.slice(0, MOST_TRANSACTIONS),
    Effect.fnUntraced(function* (hash) {
      const lines = yield* Effect.catchTag(linesIn(client, head, hash, arrival), "ChainUnavailable", (error) => {
        failed ??= error
        return Effect.succeedNone
      })
      if (Option.isNone(lines)) unread.push(hash)
      return Option.getOrElse(lines, (): ReadonlyArray<Line> => [])
    }),
    { concurrency: MOST_TRANSACTIONS }
  )
  return { failed, lines: found.flat(), unread }
})

export const make = (idempotency: Idempotency["Service"]) => {
  const claim = ProofClaims.make(idempotency)
  const { take } = ProofClaims.makeOne(idempotency)

  /** Id that an order claims together with a line of a transaction, so that looks that cannot read the line know of it. */
  const markOf = (chainId: number, txHash: Hash, order: string) =>
    `arrival-of:${chainId}:${txHash.toLowerCase()}:${order}`

  /** The proof, if one of the transactions has it. An order keeps the line that it claimed, and gets no other. */
  return Effect.fn("ProvedArrival.prove")(
    function* (client: ChainClient, txHashes: ReadonlyArray<Hash>, arrival: Arrival) {
      const { id: chainId } = client.chain
      const { order } = arrival
      const head = yield* settledBlock(client, arrival.confirmations)
      if (Option.isNone(head)) return Option.none<Proof>()
      const { failed, lines, unread } = yield* read(client, head.value, txHashes, arrival)
      const ids = lines.map(({ id }) => id)
      const taken = yield* take(ids, [...ids, ...unread.map((hash) => markOf(chainId, hash, order))], order)
      const own = taken._tag === "Own" ? lines.find(({ id }) => id === taken.id) : undefined
      if (own !== undefined) {
        yield* claim(markOf(chainId, own.proof.txHash, order), order)
        return Option.some(own.proof)
      }
      return failed === undefined ? Option.none<Proof>() : yield* failed
    },
    (effect, client) =>
      Effect.catchTag(effect, "StoreUnavailable", (error) =>
        Effect.fail(
          new ChainUnavailable({ chainId: client.chain.id, method: "Bridge.delivery", detail: error.message })
        )
      )
  )
}
