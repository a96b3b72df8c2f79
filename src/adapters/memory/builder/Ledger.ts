/** The builders' ledger in memory, for tests. */
import { Effect, Layer, Option, Schema } from "effect"
import type { ChainId } from "../../../domain/ChainId.ts"
import { Hash, lowerCase } from "../../../domain/Hex.ts"
import { type Activity, type LedgerEntry, statusOf } from "../../../domain/LedgerEntry.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import {
  AccrualConflict,
  AccrualNotFound,
  ASSIGNED_AT_ONCE,
  type EarningFilter,
  Ledger,
  UnknownBuilder
} from "../../../ports/builder/Ledger.ts"
import * as Usd from "../../../domain/Usd.ts"
import { earningsOf } from "./Earnings.ts"
import { add, Books, entriesOf, owing, standingClaims, totalsOf } from "./Books.ts"

const bySweep = (books: Books["Service"], kind: LedgerEntry["kind"], sweepId: string) =>
  books.booked.find((entry) => entry.kind === kind && entry.sweepId === sweepId)

/** The value of an accrual, scaled. */
const valued = (usd: string | undefined): { readonly usd?: bigint } => {
  const value = usd === undefined ? undefined : Usd.parse(usd)
  return value === undefined ? {} : { usd: value }
}

/** Books accruals, their chains and reversals. */
const bookings = (
  books: Books["Service"],
  builders: Builders["Service"]
): Pick<Ledger["Service"], "accrue" | "assign" | "reverse"> => {
  /** Returns false if the accrual has a chain. */
  const assignOne = (sweepId: string, chainId: ChainId): boolean => {
    if (bySweep(books, "accrual", sweepId)?.chainId !== undefined || books.chains.has(sweepId)) return false
    books.chains.set(sweepId, chainId)
    return true
  }
  return {
    accrue: Effect.fnUntraced(function* (
      { amount, builderId, chainId, paidTxHash: reported, sweepId, token, usd },
      defaultChainId
    ) {
      const paidTxHash = reported === undefined ? undefined : lowerCase(reported)
      const booked = bySweep(books, "accrual", sweepId)
      const txHash = paidTxHash === undefined ? {} : { txHash: paidTxHash }
      const entry = {
        kind: "accrual" as const,
        builderId,
        token,
        earned: amount,
        paid: paidTxHash === undefined ? 0n : amount,
        sweepId,
        ...txHash,
        ...(chainId === undefined ? {} : { chainId }),
        ...valued(usd)
      }
      if (booked !== undefined) {
        if (bySweep(books, "reversal", sweepId) !== undefined) {
          return yield* new AccrualConflict({ sweepId, reversed: true })
        }
        const same =
          booked.builderId === builderId &&
          booked.token === token &&
          booked.earned === amount &&
          booked.chainId === chainId &&
          booked.txHash === paidTxHash
        if (!same) return yield* new AccrualConflict({ sweepId })
        if (defaultChainId !== undefined) assignOne(sweepId, defaultChainId)
        return "already_booked" as const
      }
      if (Option.isNone(yield* builders.byId(builderId))) return yield* new UnknownBuilder({ builderId })
      yield* add(books, entry)
      if (defaultChainId !== undefined) assignOne(sweepId, defaultChainId)
      return "added" as const
    }),
    assign: (token, chainId, limit = ASSIGNED_AT_ONCE) =>
      Effect.sync(() => {
        const found = entriesOf(books)
          .flatMap((entry) =>
            entry.kind === "accrual" && entry.token === token && entry.chainId === undefined
              ? [entry.sweepId ?? ""]
              : []
          )
          .toSorted()
        const sweepIds = new Set(found.slice(0, limit).filter((sweepId) => assignOne(sweepId, chainId)))
        const moved = books.booked.filter(({ sweepId }) => sweepIds.has(sweepId ?? ""))
        const amount = moved.reduce((sum, entry) => sum + owing(entry), 0n)
        return { sweeps: sweepIds.size, amount, ...(found.length > limit ? { more: true as const } : {}) }
      }),
    reverse: Effect.fnUntraced(function* (sweepId) {
      if (bySweep(books, "reversal", sweepId) !== undefined) return "already_booked" as const
      const accrual = bySweep(books, "accrual", sweepId)
      if (accrual === undefined) return yield* new AccrualNotFound({ sweepId })
      const { usd, ...entry } = accrual
      yield* add(books, {
        ...entry,
        kind: "reversal",
        earned: -accrual.earned,
        paid: -accrual.paid,
        ...(usd === undefined ? {} : { usd: -usd })
      })
      return "added" as const
    })
  }
}

const isHash = Schema.is(Hash)

/** The id of a settlement, or the hash of its transaction as it is stored. */
const asStored = (settlement: string): string => (isHash(settlement) ? lowerCase(settlement) : settlement)

const isMatching = (
  { chainId, fromMs = 0, settlement, status, toMs = Infinity, token }: EarningFilter,
  earning: Activity
): boolean =>
  (status === undefined || statusOf(earning) === status) &&
  (chainId === undefined || earning.chainId === chainId) &&
  (token === undefined || earning.token === token) &&
  (settlement === undefined ||
    earning.sweepId === settlement ||
    earning.sweepId.startsWith(`${asStored(settlement)}_`)) &&
  earning.createdAtMs >= fromMs &&
  earning.createdAtMs < toMs

/** Sums and lists of what is booked. */
const reads = (
  books: Books["Service"]
): Pick<Ledger["Service"], "totals" | "allTotals" | "activity" | "earnings" | "entries" | "ofTransaction"> => ({
  ofTransaction: (builderId, txHash) =>
    Effect.sync(() =>
      entriesOf(books)
        .filter((entry) => entry.builderId === builderId && entry.sweepId?.startsWith(`${lowerCase(txHash)}_`) === true)
        .slice(0, 500)
    ),
  totals: (builderId) =>
    Effect.sync(() =>
      totalsOf(
        entriesOf(books).filter((entry) => entry.builderId === builderId),
        standingClaims(books)
      )
    ),
  earnings: (builderId, period) => Effect.sync(() => earningsOf(books, builderId, period)),
  allTotals: Effect.sync(() => totalsOf(entriesOf(books), standingClaims(books))),
  activity: (builderId, page) =>
    Effect.sync(() => {
      const claims = standingClaims(books)
      const shown = (entry: LedgerEntry): Activity => ({
        sweepId: entry.sweepId ?? "",
        token: entry.token,
        amount: entry.earned,
        paid: entry.txHash !== undefined || claims.get(entry.id)?.status === "paid",
        createdAtMs: entry.createdAtMs,
        ...(entry.chainId === undefined ? {} : { chainId: entry.chainId }),
        ...(bySweep(books, "reversal", entry.sweepId ?? "") === undefined ? {} : { reversed: true as const }),
        ...(entry.usd === undefined ? {} : { usd: Usd.format(entry.usd) })
      })
      return entriesOf(books)
        .filter((entry) => entry.builderId === builderId && entry.kind === "accrual")
        .map((entry) => ({ id: entry.id, activity: shown(entry) }))
        .filter(({ id }) => page.before === undefined || Number(id) < Number(page.before))
        .filter(({ activity }) => isMatching(page, activity))
        .toReversed()
        .slice(0, page.limit)
    }),
  entries: (builderId, { after, limit }) =>
    Effect.sync(() =>
      entriesOf(books)
        .filter((entry) => entry.builderId === builderId && Number(entry.id) > Number(after ?? 0))
        .slice(0, limit)
    )
})

/** Shares its state with `Payouts` that are built together with it. */
export const layer = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const books = yield* Books
    return Ledger.of({ ...bookings(books, yield* Builders), ...reads(books) })
  })
).pipe(Layer.provide(Books.layer))
