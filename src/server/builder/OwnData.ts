/** A builder's own data: balances, earnings and sweeps. */
import { Effect, Option } from "effect"
import { MAX_PAGE } from "../../api/builder/AccountSchemas.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { balances, lifetime, paid } from "../../domain/LedgerEntry.ts"
import { parse } from "../../domain/SearchTerm.ts"
import { eventId, SweepStatus } from "../../domain/SweepEvent.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { type SweepFilter, Sweeps } from "../../ports/builder/Sweeps.ts"
import { Webhooks } from "../../ports/builder/Webhooks.ts"
import * as EarningPages from "./EarningPages.ts"
import { newestFirst, paged, type PageQuery } from "./Pages.ts"

export interface SweepQuery extends PageQuery, Omit<SweepFilter, "search"> {
  /** Owner, transaction or id. */
  readonly q?: string
}

export const make = Effect.gen(function* () {
  const builders = yield* Builders
  const earnings = yield* EarningPages.make
  const ledger = yield* Ledger
  const store = yield* Sweeps
  const webhooks = yield* Webhooks

  const accruals = Effect.fnUntraced(function* (builderId: string) {
    const totals = yield* ledger.totals(builderId)
    const walletChainId = Option.flatMapNullishOr(yield* builders.byId(builderId), (builder) => builder.walletChainId)
    return {
      balances: balances(totals),
      lifetime: lifetime(totals),
      paid: paid(totals),
      ...(Option.isNone(walletChainId) ? {} : { walletChainId: walletChainId.value })
    }
  })

  const activity = Effect.fnUntraced(function* (builderId: string, query: EarningPages.EarningQuery) {
    // The specification has no pages: a client that knows of none reads the first answer alone.
    const page = yield* earnings.page(builderId, query.cursor === undefined ? { limit: MAX_PAGE, ...query } : query)
    return { entries: page.rows, ...page.next }
  })

  const sweeps = Effect.fnUntraced(function* (builderId: string, { q, ...query }: SweepQuery) {
    const term = q === undefined ? undefined : parse(q)
    if (q !== undefined && term === undefined) return { sweeps: [] }
    const { cursor: _, limit: __, ...filter } = query
    const search = term === undefined ? {} : { search: term }
    const page = yield* paged(
      query,
      (slice) => store.list(builderId, { ...filter, ...search, ...newestFirst(slice) }),
      (row) => row.cursor
    )
    return { sweeps: page.rows.map((row) => row.sweep), ...page.next }
  })

  const sweep = Effect.fnUntraced(function* (builderId: string, asked: string) {
    const id = Uuid.stored(asked)
    const found = yield* store.find(builderId, id)
    if (Option.isNone(found)) return yield* new NotFound()
    const messages = SweepStatus.literals.map((status) => eventId(id, status))
    const [events, own, deliveries] = yield* Effect.all(
      [
        store.timeline(builderId, id),
        earnings.ofSweep(builderId, found.value),
        webhooks.ofMessages(builderId, messages)
      ],
      { concurrency: "unbounded" }
    )
    return { sweep: found.value, events, earnings: own, deliveries }
  })

  return { accruals, activity, sweeps, sweep }
})
