/** Ledger, payouts, revenue and audit log in memory, for tests. Nothing is rolled back, as nothing fails half way. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Revenue } from "../../../domain/Accrual.ts"
import { MAX_UINT256 } from "../../../domain/Amount.ts"
import type { LedgerEntry, LedgerTotals } from "../../../domain/LedgerEntry.ts"
import { type PayoutBatch, total } from "../../../domain/Payout.ts"
import { type AuditRecord, AuditLog } from "../../../ports/builder/AuditLog.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import { AccrualConflict, AccrualNotFound, Ledger, UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import {
  NothingOwed,
  PaymentInFlight,
  PaymentTaken,
  PayoutClosed,
  PayoutNotFound,
  Payouts
} from "../../../ports/builder/Payouts.ts"
import { type DailyRevenue, RevenueBook, RevenueConflict } from "../../../ports/builder/RevenueBook.ts"
import { UnitOfWork } from "../../../ports/builder/UnitOfWork.ts"

interface Batch extends PayoutBatch {
  /** The entries that it claims, or claimed before it failed. */
  readonly claims: ReadonlyArray<LedgerEntry>
}

interface Books {
  readonly entries: Array<LedgerEntry>
  readonly batches: Map<string, Batch>
}

const chainKey = (chainId: number | undefined): number => chainId ?? 0

/** Sums in the order of token, then chain, the unknown chain first. */
const totalsOf = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<LedgerTotals> => {
  const sums = new Map<string, LedgerTotals>()
  for (const { chainId, earned, paid, token } of entries) {
    const key = `${token}:${chainKey(chainId)}`
    const sum = sums.get(key) ?? { token, earned: 0n, paid: 0n, ...(chainId === undefined ? {} : { chainId }) }
    sums.set(key, { ...sum, earned: sum.earned + earned, paid: sum.paid + paid })
  }
  return [...sums.values()].sort((a, b) =>
    a.token === b.token ? chainKey(a.chainId) - chainKey(b.chainId) : a.token < b.token ? -1 : 1
  )
}

const owing = ({ earned, paid }: LedgerEntry): bigint => earned - paid

const standingClaims = (books: Books): Map<string, Batch> =>
  new Map(
    [...books.batches.values()]
      .filter(({ status }) => status !== "failed")
      .flatMap((batch) => batch.claims.map((entry) => [entry.id, batch] as const))
  )

const add = (books: Books, entry: Omit<LedgerEntry, "id" | "createdAtMs">) =>
  Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
    books.entries.push({ ...entry, id: String(books.entries.length + 1), createdAtMs })
  })

const ledger = (books: Books, builders: Builders["Service"]) => {
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

const payouts = (books: Books, builders: Builders["Service"]) => {
  const find = (id: string) => {
    const batch = books.batches.get(id)
    return batch === undefined ? Effect.fail(new PayoutNotFound({ id })) : Effect.succeed(batch)
  }
  const close = (batch: Batch, change: Partial<Batch>) =>
    Effect.map(Clock.currentTimeMillis, (closedAtMs) => {
      const after = { ...batch, ...change, closedAtMs }
      books.batches.set(batch.id, after)
      return view(after)
    })
  const view = (batch: Batch): PayoutBatch => {
    const { claims: _, ...shown } = batch
    return shown
  }
  return Payouts.of({
    open: Effect.fnUntraced(function* ({ chainId, id, minAmount, token, withUnknownChain }) {
      const claimed = standingClaims(books)
      const owed = books.entries.filter(
        (entry) =>
          entry.token === token &&
          entry.kind !== "payment" &&
          owing(entry) !== 0n &&
          (entry.chainId === chainId || (withUnknownChain && entry.chainId === undefined)) &&
          !claimed.has(entry.id)
      )
      const least = minAmount > 1n ? minAmount : 1n
      const lines: Array<PayoutBatch["lines"][number]> = []
      for (const builderId of [...new Set(owed.map((entry) => entry.builderId))].sort()) {
        const own = owed.filter((entry) => entry.builderId === builderId)
        const amount = own.reduce((sum, entry) => sum + owing(entry), 0n)
        const builder = yield* builders.byId(builderId)
        if (amount < least || amount > MAX_UINT256 || Option.isNone(builder)) continue
        lines.push({ builderId, payoutAddress: builder.value.payoutAddress, amount, entries: own.length })
      }
      if (lines.length === 0) return yield* new NothingOwed()
      const batch: Batch = {
        id,
        chainId,
        token,
        status: "open",
        minAmount,
        total: total(lines),
        lines,
        createdAtMs: yield* Clock.currentTimeMillis,
        claims: owed.filter((entry) => lines.some((line) => line.builderId === entry.builderId))
      }
      books.batches.set(id, batch)
      return view(batch)
    }),
    find: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(books.batches.get(id)), view)),
    list: ({ before, limit }) =>
      Effect.sync(() => {
        const newest = [...books.batches.values()].map(view).toReversed()
        const start = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1
        return newest.slice(start, start + limit)
      }),
    record: Effect.fnUntraced(function* (id, payment, known) {
      const batch = yield* find(id)
      const { payments = [] } = batch
      if (payments.some(({ txHash }) => txHash === payment.txHash)) return view(batch)
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      if (payments.length !== known) return yield* new PaymentInFlight({ id })
      const recordedAtMs = yield* Clock.currentTimeMillis
      const after = { ...batch, payments: [...payments, { ...payment, recordedAtMs }] }
      books.batches.set(id, after)
      return view(after)
    }),
    markPaid: Effect.fnUntraced(function* (id, txHash, known = 0) {
      const batch = yield* find(id)
      if (batch.status === "paid" && batch.txHash === txHash) return view(batch)
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      const { payments = [] } = batch
      if (payments.every((payment) => payment.txHash !== txHash) && payments.length !== known) {
        return yield* new PaymentInFlight({ id })
      }
      for (const other of books.batches.values()) {
        if (other.txHash === txHash && other.chainId === batch.chainId && other.token === batch.token) {
          return yield* new PaymentTaken({ txHash })
        }
      }
      for (const { builderId } of batch.lines) {
        const own = batch.claims.filter((entry) => entry.builderId === builderId)
        for (const { chainId, earned, paid } of totalsOf(own)) {
          if (earned === paid) continue
          yield* add(books, {
            kind: "payment",
            builderId,
            token: batch.token,
            earned: 0n,
            paid: earned - paid,
            txHash,
            ...(chainId === undefined ? {} : { chainId })
          })
        }
      }
      return yield* close(batch, { status: "paid", txHash })
    }),
    fail: Effect.fnUntraced(function* (id, failureReason, known = 0) {
      const batch = yield* find(id)
      if (batch.status === "failed") return view(batch)
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      if ((batch.payments?.length ?? 0) !== known) return yield* new PaymentInFlight({ id })
      return yield* close(batch, { status: "failed", failureReason })
    })
  })
}

const sameRevenue = (a: Revenue, b: Revenue): boolean =>
  a.chainId === b.chainId &&
  a.token === b.token &&
  a.amount === b.amount &&
  a.txHash === b.txHash &&
  a.settledAtMs === b.settledAtMs

const revenueBook = () => {
  const lines = new Map<string, Revenue>()
  const book = (revenue: Revenue) =>
    Effect.suspend(() => {
      const { sweepId } = revenue
      const booked = lines.get(sweepId)
      if (booked === undefined) {
        lines.set(sweepId, revenue)
        return Effect.succeed("added" as const)
      }
      return sameRevenue(booked, revenue)
        ? Effect.succeed("already_booked" as const)
        : Effect.fail(new RevenueConflict({ sweepId }))
    })
  return RevenueBook.of({
    book,
    bookAll: (revenues) =>
      Effect.map(
        Effect.forEach(revenues, (revenue) => Effect.option(Effect.as(book(revenue), revenue.sweepId))),
        (booked) => new Set(booked.flatMap(Option.toArray))
      ),
    daily: ({ fromMs, toMs }) =>
      Effect.sync(() => {
        const days = new Map<string, DailyRevenue>()
        for (const { amount, chainId, settledAtMs, token } of lines.values()) {
          if (settledAtMs < fromMs || settledAtMs >= toMs) continue
          const day = new Date(settledAtMs).toISOString().slice(0, 10)
          const key = `${day}:${chainId}:${token}`
          const sum = days.get(key) ?? { day, chainId, token, amount: 0n, sweeps: 0 }
          days.set(key, { ...sum, amount: sum.amount + amount, sweeps: sum.sweeps + 1 })
        }
        return [...days.values()].sort((a, b) =>
          a.day === b.day ? a.chainId - b.chainId || (a.token < b.token ? -1 : 1) : a.day > b.day ? -1 : 1
        )
      })
  })
}

const auditLog = () => {
  const records: Array<AuditRecord> = []
  return AuditLog.of({
    append: (record) =>
      Effect.map(Clock.currentTimeMillis, (atMs) => {
        records.push({ ...record, id: String(records.length + 1), atMs })
      }),
    list: ({ before, limit }) =>
      Effect.sync(() =>
        records
          .filter(({ id }) => before === undefined || Number(id) < Number(before))
          .toReversed()
          .slice(0, limit)
      )
  })
}

export const layer = Layer.effectContext(
  Effect.map(Builders, (builders) => {
    const books: Books = { entries: [], batches: new Map() }
    return Context.make(Ledger, ledger(books, builders)).pipe(
      Context.add(Payouts, payouts(books, builders)),
      Context.add(RevenueBook, revenueBook()),
      Context.add(AuditLog, auditLog()),
      Context.add(UnitOfWork, UnitOfWork.of({ atomically: (effect) => effect }))
    )
  })
)
