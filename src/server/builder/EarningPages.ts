/** Pages of a builder's accruals, each with the sweep that earned it. */
import { Effect, Option } from "effect"
import { hashOf } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"
import { parse, textOf } from "../../domain/SearchTerm.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { Sweeps } from "../../ports/builder/Sweeps.ts"
import { newestFirst, type PageQuery, paged } from "./Pages.ts"

export interface EarningQuery extends PageQuery {
  readonly status?: EarningStatus
  readonly chainId?: ChainId
  readonly token?: Address.Address
  readonly fromMs?: number
  readonly toMs?: number
  /** Settlement, transaction or intent. */
  readonly q?: string
}

/** Accruals that one transaction of a builder has, at most. */
const SETTLED = 500

/** Makes `page`, a page of accruals, and `ofSweep`, those of a settlement with its markup. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sweeps = yield* Sweeps

  /** An accrual names its settlement by the transaction alone, so a sweep is known if no other one there has the same markup. */
  const withIntents = Effect.fnUntraced(function* (builderId: string, earnings: ReadonlyArray<Activity>) {
    const hashes = new Set(earnings.flatMap(({ sweepId }) => hashOf(sweepId) ?? []))
    if (hashes.size === 0) return earnings
    const settled = Map.groupBy(yield* sweeps.ofTransactions(builderId, [...hashes]), ({ txHash }) => txHash)
    return earnings.map((earning) => {
      const hash = hashOf(earning.sweepId)
      const found = hash === undefined ? [] : (settled.get(hash) ?? [])
      const [sweep, ...others] = found.filter(({ builderFee }) => builderFee === earning.amount)
      return sweep === undefined || others.length > 0 ? earning : { ...earning, intentId: sweep.intentId }
    })
  })

  /** Settlement that a text names: itself, or that of an intent. None for an intent that has not settled. */
  const settlementOf = Effect.fnUntraced(function* (builderId: string, text: string) {
    const term = parse(text)
    if (term === undefined) return Option.none<string>()
    const lower = textOf(term).toLowerCase()
    if (term._tag === "Hash" || hashOf(lower) !== undefined) return Option.some(lower)
    const sweep = yield* sweeps.find(builderId, textOf(term))
    // Settlements of other reporters have any text as their id.
    const settlement: string | undefined = Option.isNone(sweep) ? textOf(term) : sweep.value.txHash
    return Option.fromUndefinedOr(settlement)
  })

  const page = Effect.fnUntraced(function* (builderId: string, { q, ...query }: EarningQuery) {
    const settlement = q === undefined ? Option.none() : yield* settlementOf(builderId, q)
    if (q !== undefined && Option.isNone(settlement)) return { rows: [], next: {} }
    const { cursor: _, limit: __, ...filter } = query
    const found = yield* paged(
      query,
      (slice) =>
        ledger.activity(builderId, {
          ...filter,
          ...newestFirst(slice),
          ...(Option.isNone(settlement) ? {} : { settlement: settlement.value })
        }),
      (row) => row.id
    )
    return {
      rows: yield* withIntents(
        builderId,
        found.rows.map(({ activity }) => activity)
      ),
      next: found.next
    }
  })

  const ofSweep = Effect.fnUntraced(function* (
    builderId: string,
    { builderFee, txHash }: { readonly txHash?: string; readonly builderFee: bigint }
  ) {
    if (txHash === undefined) return []
    const rows = yield* ledger.activity(builderId, { settlement: txHash, limit: SETTLED })
    const earnings = rows.map(({ activity }) => activity)
    return yield* withIntents(
      builderId,
      earnings.filter(({ amount }) => amount === builderFee)
    )
  })

  return { ofSweep, page }
})
