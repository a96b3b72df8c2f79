/** Finds the guard's events of intents: `Swept`, which proves a settlement, and those that say who else spent the nonce. */
import { Effect, Option } from "effect"
import { outboxMessages, sweepId } from "../../domain/Accrual.ts"
import { erc20 } from "../../domain/Chain.ts"
import type { Hash } from "../../domain/Hex.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { settles, type Swept } from "../../domain/Swept.ts"
import type { Intent, Step } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Block, ChainClient, Log, Receipt } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"

/** A receipt with its canonical block, and the intents that its transaction carried. */
export interface Mined {
  readonly receipt: Receipt
  readonly block: Block
  readonly intents: ReadonlyArray<Intent>
}

/** Blocks in one log query. Nodes limit the range. */
const LOG_RANGE = 5_000n

/** Blocks before the quote's in which a nonce may have been spent: the node that quoted may have been behind. */
const SPENDER_MARGIN = 300n

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts

  const proves = (client: ChainClient, intent: Intent) => (log: Pick<Log, "address" | "topics" | "data">) =>
    Option.exists(contracts.decodeSwept(client.chain.contracts.guard, log), (event) =>
      settles(event, intent.order, intent.orderDigest)
    )

  /** True when the receipt holds the guard's event for the intent's order. */
  const isSettledBy = (client: ChainClient, intent: Intent, receipt: Receipt): boolean =>
    receipt.logs.some(proves(client, intent))

  /** The steps that settle those intents whose event the receipt holds. Decodes each log once. */
  const stepsOf = ({ client }: ChainView, { block, intents, receipt }: Mined): ReadonlyArray<Step> => {
    const { chain } = client
    const events = new Map<Hash, { readonly event: Swept; readonly index: number }>()
    for (const [index, log] of receipt.logs.entries()) {
      const event = Option.getOrUndefined(contracts.decodeSwept(chain.contracts.guard, log))
      if (event !== undefined && !events.has(event.orderHash)) events.set(event.orderHash, { event, index })
    }
    const txHash = receipt.transactionHash
    return intents.flatMap(({ attributed, id, order, orderDigest }) => {
      const found = events.get(orderDigest)
      if (found === undefined || !settles(found.event, order, orderDigest)) return []
      const outbox = outboxMessages(
        {
          sweepId: sweepId(txHash, found.index),
          chainId: chain.id,
          feeToken: erc20(chain, order.tokenIn),
          feeAmount: order.feeAmount,
          builderFee: order.builderFee,
          txHash,
          settledAtMs: Number(block.timestamp) * 1000
        },
        attributed
      )
      const delivered = isCrossChain(order, chain.id) ? [] : [{ _tag: "Delivered", txHash } as const]
      return [{ id, events: [{ _tag: "SettledAtSource", txHash }, ...delivered], outbox }]
    })
  }

  /** Searches the guard's logs for the order's settlement since its quote, by any transaction. */
  const search = ({ client, head }: ChainView, intent: Intent) =>
    firstLog(
      client,
      contracts.sweptTopics(intent.orderDigest),
      intent.quotedAtBlock,
      head.number,
      proves(client, intent)
    )

  /**
   * True when an event up to `lastBlock` says that a cancellation or another order spent the order's nonce. An event counts
   * only if its block is canonical, since the node that returns it may be on another branch.
   */
  const isSpentOtherwise = Effect.fnUntraced(function* (
    client: ChainClient,
    { order, orderDigest, quotedAtBlock }: Intent,
    lastBlock: bigint
  ) {
    const spends = (log: Log) =>
      Option.exists(
        contracts.decodeSpent(client.chain.contracts.guard, log),
        ({ nonce, orderHash, owner }) => owner === order.owner && nonce === order.nonce && orderHash !== orderDigest
      )
    const firstBlock = quotedAtBlock > SPENDER_MARGIN ? quotedAtBlock - SPENDER_MARGIN : 0n
    for (const topics of contracts.spentTopics(order.owner)) {
      const found = yield* firstLog(client, topics, firstBlock, lastBlock, spends)
      if (Option.isSome(found)) return yield* isCanonical(client, found.value)
    }
    return false
  })

  return { isSettledBy, stepsOf, search, isSpentOtherwise }
})

const isCanonical = (client: ChainClient, { blockHash, blockNumber }: Log) =>
  Effect.map(
    client.block(blockNumber),
    Option.exists(({ hash }) => hash === blockHash)
  )

/** First of the guard's logs that fits, in both blocks and those between. */
const firstLog = Effect.fnUntraced(function* (
  client: ChainClient,
  topics: ReadonlyArray<Hash | null>,
  firstBlock: bigint,
  lastBlock: bigint,
  fits: (log: Log) => boolean
) {
  const address = client.chain.contracts.guard
  for (let fromBlock = firstBlock; fromBlock <= lastBlock; fromBlock += LOG_RANGE) {
    const end = fromBlock + LOG_RANGE - 1n
    const toBlock = end < lastBlock ? end : lastBlock
    const found = (yield* client.logs({ address, topics, fromBlock, toBlock })).find(fits)
    if (found !== undefined) return Option.some(found)
  }
  return Option.none<Log>()
})
