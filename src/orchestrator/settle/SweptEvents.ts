/**
 * Finds the guard's events of intents: `Swept`, which proves a settlement, and those that say who else spent the nonce.
 *
 * A node may grant so few blocks at a time that a search takes several looks. It then continues where the last look ended, and
 * reads unconfirmed blocks again. An endpoint that is behind shows no logs of its missing blocks. An event that was missed in this
 * way shows by the nonce: it is spent, and no event says by whom. The search then starts anew.
 */
import { Effect, Option, Schema } from "effect"
import { outboxMessages, sweepId } from "../../domain/Accrual.ts"
import { erc20 } from "../../domain/Chain.ts"
import type { Hash } from "../../domain/Hex.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { settles, type Swept } from "../../domain/Swept.ts"
import { type Intent, Intents, type Searches, type Step } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Block, ChainClient, ChainUnavailable, Log, Receipt } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { LogSources } from "./LogSources.ts"

/** A receipt with its canonical block, and the intents that its transaction carried. */
export interface Mined {
  readonly receipt: Receipt
  readonly block: Block
  readonly intents: ReadonlyArray<Intent>
}

/** The search did not come to its end in this look, so nothing may be decided. The next look continues it. */
export class SearchUnfinished extends Schema.TaggedError<SearchUnfinished>()("SearchUnfinished", {
  intentId: Schema.String
}) {}

/** Blocks before the quote's in which a nonce may have been spent: the node that quoted may have been behind. */
const SPENDER_MARGIN = 300n

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const intents = yield* Intents
  const sources = yield* LogSources

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

  /** First of the guard's logs that fits, from `fromBlock` or where the last look ended. */
  const firstLog = Effect.fnUntraced(function* (
    { client, confirmed }: ChainView,
    { id, searches = {} }: Intent,
    wanted: {
      readonly search: keyof Searches
      readonly topics: ReadonlyArray<Hash | null>
      readonly fromBlock: bigint
      readonly toBlock: bigint
      readonly fits: (log: Log) => boolean
    }
  ): Effect.fn.Return<Option.Option<Log>, ChainUnavailable | SearchUnfinished | StoreUnavailable> {
    const { fits, search, toBlock, topics } = wanted
    const fromBlock = larger(wanted.fromBlock, searches[search] ?? 0n)
    const { logs, unread } = yield* sources.reading(
      client,
      client.logs({ address: client.chain.contracts.guard, topics, fromBlock, toBlock, until: fits })
    )
    const found = logs.find(fits)
    if (found !== undefined) return Option.some(found)
    if (unread === undefined) return Option.none<Log>()
    const unconfirmed = Option.match(confirmed, { onNone: () => 0n, onSome: ({ number }) => number + 1n })
    const next = smaller(unread.fromBlock, unconfirmed)
    if (next > fromBlock) yield* intents.noteSearches(id, { [search]: next })
    return yield* new SearchUnfinished({ intentId: id })
  })

  /** Searches the guard's logs for the order's settlement since its quote, by any transaction. */
  const search = (view: ChainView, intent: Intent) =>
    firstLog(view, intent, {
      search: "settlement",
      topics: contracts.sweptTopics(intent.orderDigest),
      fromBlock: intent.quotedAtBlock,
      toBlock: view.head.number,
      fits: proves(view.client, intent)
    })

  /** Has the next look search everything again. */
  const restart = ({ id, searches }: Intent) =>
    searches === undefined
      ? Effect.void
      : intents.noteSearches(id, { settlement: undefined, otherSweeps: undefined, cancellations: undefined })

  /**
   * True when an event up to `lastBlock` says that a cancellation or another order spent the order's nonce. An event counts
   * only if its block is canonical, since the node that returns it may be on another branch.
   */
  const isSpentOtherwise = Effect.fnUntraced(function* (view: ChainView, intent: Intent, toBlock: bigint) {
    const { client } = view
    const { order, orderDigest, quotedAtBlock } = intent
    const spends = (log: Log) =>
      Option.exists(
        contracts.decodeSpent(client.chain.contracts.guard, log),
        ({ nonce, orderHash, owner }) => owner === order.owner && nonce === order.nonce && orderHash !== orderDigest
      )
    const fromBlock = larger(quotedAtBlock - SPENDER_MARGIN, 0n)
    const [otherSweeps = [], cancellations = []] = contracts.spentTopics(order.owner)
    const found = yield* firstLog(view, intent, {
      search: "otherSweeps",
      topics: otherSweeps,
      fromBlock,
      toBlock,
      fits: spends
    }).pipe(
      Effect.flatMap((sweep) =>
        Option.isSome(sweep)
          ? Effect.succeed(sweep)
          : firstLog(view, intent, { search: "cancellations", topics: cancellations, fromBlock, toBlock, fits: spends })
      )
    )
    if (Option.isSome(found)) return yield* isCanonical(client, found.value)
    yield* restart(intent)
    return false
  })

  return { isSettledBy, stepsOf, search, isSpentOtherwise }
})

const isCanonical = (client: ChainClient, { blockHash, blockNumber }: Log) =>
  Effect.map(
    client.block(blockNumber),
    Option.exists(({ hash }) => hash === blockHash)
  )

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
