/**
 * Proves by a chain's own logs that a transfer arrived, in transactions that a service names. The service's word is never enough: the
 * transfer must be at the chain's confirmation depth, later than the deposit, to the recipient, of the token and of at least the
 * minimum. Neither the recipient nor the owner may have paid it. Its transaction may not be a sweep, a fill or a refund of Across, or a
 * mint of CCTP, which belong to other orders. One log line proves one order at most, also across replicas and restarts.
 *
 * A log does not tell for whom a payer pays: a service could cite a transfer of somebody else to the same recipient.
 */
import { Effect, Option } from "effect"
import { decodeEventLog, encodeEventTopics, erc20Abi, type Hex as ViemHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type ChainClient, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
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

export const make = (idempotency: Idempotency["Service"]) => {
  const claims = ProofClaims.make(idempotency)

  /** Makes the log line the proof of this order, unless it is another's. */
  const claim = (chainId: number, log: Log, order: string) =>
    claims(`arrival:${chainId}:${log.transactionHash.toLowerCase()}:${log.logIndex}`, order)

  /** The proof, if one of the transactions has it. */
  return Effect.fn("ProvedArrival.prove")(
    function* (client: ChainClient, txHashes: ReadonlyArray<Hash>, arrival: Arrival) {
      const head = yield* settledBlock(client, arrival.confirmations)
      if (Option.isNone(head)) return Option.none<Proof>()
      for (const hash of txHashes.slice(0, MOST_TRANSACTIONS)) {
        const receipt = Option.getOrUndefined(yield* client.receipt(hash))
        if (receipt === undefined || receipt.status !== "success" || receipt.blockNumber > head.value.number) continue
        if (isOfAnother(client, receipt.logs)) continue
        const block = Option.getOrUndefined(yield* client.block(receipt.blockNumber))
        if (block === undefined || block.hash !== receipt.blockHash) continue
        if (block.timestamp + SKEW_SECONDS < arrival.depositedAt) continue
        for (const log of receipt.logs) {
          const amount = Option.getOrUndefined(arrived(log, arrival))
          if (amount === undefined) continue
          const claimed = yield* claim(client.chain.id, log, arrival.order)
          // Otherwise the order would take a second line, which may be the only proof of another order.
          if (claimed === "later") return Option.none<Proof>()
          if (claimed === "another's") continue
          const { blockNumber, transactionHash: txHash } = receipt
          return Option.some<Proof>({ txHash, blockNumber, logIndex: log.logIndex, amount })
        }
      }
      return Option.none<Proof>()
    },
    (effect, client) =>
      Effect.catchTag(effect, "StoreUnavailable", (error) =>
        Effect.fail(
          new ChainUnavailable({ chainId: client.chain.id, method: "Bridge.delivery", detail: error.message })
        )
      )
  )
}
