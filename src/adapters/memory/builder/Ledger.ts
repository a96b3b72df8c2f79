/** The builders' ledger in memory, for tests. */
import { Effect, Layer, Option } from "effect"
import type { LedgerEntry } from "../../../domain/LedgerEntry.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import { AccrualConflict, AccrualNotFound, Ledger, UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import { add, Books, standingClaims, totalsOf } from "./Books.ts"

const make = (books: Books["Service"], builders: Builders["Service"]) => {
  const bySweep = (kind: LedgerEntry["kind"], sweepId: string) =>
    books.entries.find((entry) => entry.kind === kind && entry.sweepId === sweepId)
  return Ledger.of({
    accrue: Effect.fnUntraced(function* ({ amount, builderId, chainId, paidTxHash, sweepId, token }) {
      const booked = bySweep("accrual", sweepId)
      const txHash = paidTxHash === undefined ? {} : { txHash: paidTxHash }
      const entry = {
        kind: "accrual" as const,
        builderId,
        token,
        earned: amount,
        paid: paidTxHash === undefined ? 0n : amount,
        sweepId,
        ...txHash,
        ...(chainId === undefined ? {} : { chainId })
      }
      if (booked !== undefined) {
        const same =
          booked.builderId === builderId &&
          booked.token === token &&
          booked.earned === amount &&
          booked.chainId === chainId &&
          booked.txHash === paidTxHash
        return same ? ("already_booked" as const) : yield* new AccrualConflict({ sweepId })
      }
      if (Option.isNone(yield* builders.byId(builderId))) return yield* new UnknownBuilder({ builderId })
      yield* add(books, entry)
      return "added" as const
    }),
    reverse: Effect.fnUntraced(function* (sweepId) {
      if (bySweep("reversal", sweepId) !== undefined) return "already_booked" as const
      const accrual = bySweep("accrual", sweepId)
      if (accrual === undefined) return yield* new AccrualNotFound({ sweepId })
      yield* add(books, { ...accrual, kind: "reversal", earned: -accrual.earned, paid: -accrual.paid })
      return "added" as const
    }),
    totals: (builderId) => Effect.sync(() => totalsOf(books.entries.filter((entry) => entry.builderId === builderId))),
    allTotals: Effect.sync(() => totalsOf(books.entries)),
    activity: (builderId, { before, limit }) =>
      Effect.sync(() => {
        const claims = standingClaims(books)
        return books.entries
          .filter((entry) => entry.builderId === builderId && entry.kind === "accrual")
          .filter(({ id }) => before === undefined || Number(id) < Number(before))
          .toReversed()
          .slice(0, limit)
          .map((entry) => ({
            id: entry.id,
            activity: {
              sweepId: entry.sweepId ?? "",
              token: entry.token,
              amount: entry.earned,
              paid: entry.txHash !== undefined || claims.get(entry.id)?.status === "paid",
              createdAtMs: entry.createdAtMs,
              ...(entry.chainId === undefined ? {} : { chainId: entry.chainId }),
              ...(bySweep("reversal", entry.sweepId ?? "") === undefined ? {} : { reversed: true as const })
            }
          }))
      }),
    entries: (builderId, { after, limit }) =>
      Effect.sync(() =>
        books.entries
          .filter((entry) => entry.builderId === builderId && Number(entry.id) > Number(after ?? 0))
          .slice(0, limit)
      )
  })
}

/** Shares its state with `Payouts` that are built together with it. */
export const layer = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    return make(yield* Books, yield* Builders)
  })
).pipe(Layer.provide(Books.layer))
