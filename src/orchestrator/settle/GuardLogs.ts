/**
 * Searches the guard's logs for the event of an intent.
 *
 * A node may grant so few blocks at a time that a search takes several looks. It then continues where the last look ended, and
 * reads unconfirmed blocks again. An endpoint that is behind shows no logs of its missing blocks. An event that was missed in this
 * way shows by the nonce: it is spent, and no event says by whom. The search then starts anew.
 */
import { Effect, Option, Schema } from "effect"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { Searches } from "../../ports/orchestrator/Searches.ts"
import type { ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { LogSources } from "./LogSources.ts"

/** The search did not come to its end in this look, so nothing may be decided. The next look continues it. */
export class SearchUnfinished extends Schema.TaggedError<SearchUnfinished>()("SearchUnfinished", {
  intentId: Schema.String
}) {}

/** Makes `first`, which finds a log, and `restart`, which forgets how far the searches of an intent came. */
export const make = Effect.gen(function* () {
  const intents = yield* Intents
  const sources = yield* LogSources

  /** First of the logs of its guards that fits, from `fromBlock` or where the last look ended. */
  const first = Effect.fnUntraced(function* (
    { client, confirmed }: ChainView,
    { id, order, searches = {} }: Intent,
    wanted: {
      readonly search: keyof Searches
      readonly topics: ReadonlyArray<Hash | null>
      readonly fromBlock: bigint
      readonly toBlock: bigint
      readonly fits: (log: Log) => boolean
    }
  ): Effect.fn.Return<Option.Option<Log>, ChainUnavailable | SearchUnfinished | StoreUnavailable> {
    const { fits, search, toBlock, topics } = wanted
    const address = Generations.guardsOf(client.chain, order.nonce)
    // Without an address, the node would return logs of all contracts.
    if (address.length === 0) return yield* new SearchUnfinished({ intentId: id })
    const fromBlock = larger(wanted.fromBlock, searches[search] ?? 0n)
    const { logs, unread } = yield* sources.reading(
      client,
      client.logs({ address, topics, fromBlock, toBlock, until: fits })
    )
    const found = logs.find(fits)
    if (found !== undefined) return Option.some(found)
    if (unread === undefined) return Option.none<Log>()
    const unconfirmed = Option.match(confirmed, { onNone: () => 0n, onSome: ({ number }) => number + 1n })
    const next = smaller(unread.fromBlock, unconfirmed)
    if (next > fromBlock) yield* intents.noteSearches(id, { [search]: next })
    return yield* new SearchUnfinished({ intentId: id })
  })

  /** Has the next look search everything again. */
  const restart = ({ id, searches }: Intent) =>
    searches === undefined
      ? Effect.void
      : intents.noteSearches(id, { settlement: undefined, otherSweeps: undefined, cancellations: undefined })

  return { first, restart }
})

/** The larger of two numbers. */
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
