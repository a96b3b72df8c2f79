/** Compares every chain since a restore with the books, and books what they forgot. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option } from "effect"
import * as Money from "../../adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../adapters/sql/builder/Restores.ts"
import * as Transactions from "../../adapters/sql/orchestrator/LostTransactions.ts"
import { mapped, timestamp } from "../../adapters/sql/shared/Database.ts"
import * as OperatorChoices from "../../adapters/sql/shared/OperatorChoices.ts"
import * as LostPayments from "../../domain/LostPayments.ts"
import { nameOf } from "../../domain/PauseName.ts"
import { type ChainView, look } from "../../orchestrator/shared/ChainView.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { UsageError } from "../UsageError.ts"
import * as Booking from "./Booking.ts"
import * as Books from "./Books.ts"
import * as ChainReading from "./ChainReading.ts"
import * as EarlierPayments from "./EarlierPayments.ts"
import * as Guards from "./Guards.ts"
import * as LaneReading from "./LaneReading.ts"
import type { Open, Report } from "./Report.ts"
import * as Vaults from "./Vaults.ts"

/**
 * Time before the restored moment from which chains are read. Clocks of chains and databases differ, and a sweep may have settled
 * before the moment and been booked after it.
 */
const MARGIN_MILLIS = 600_000

type Part = Pick<Report, "payments" | "sweeps" | "treasury" | "transactions" | "open">

const nothing: Part = { payments: [], sweeps: [], treasury: [], transactions: [], open: [] }

const joined = (parts: ReadonlyArray<Part>): Part => ({
  payments: parts.flatMap(({ payments }) => payments),
  sweeps: parts.flatMap(({ sweeps }) => sweeps),
  treasury: parts.flatMap(({ treasury }) => treasury),
  transactions: parts.flatMap(({ transactions }) => transactions),
  open: parts.flatMap(({ open }) => open)
})

/** One comparison of the chains with the books. */
export interface Run {
  readonly restore: Pick<Restores.Restore, "recordedAtMs" | "restoredToMs"> & {
    /** Restores that were open when the run began. It ends no other one. */
    readonly ids: ReadonlyArray<string>
  }
  readonly dryRun: boolean
}

const lanesOf = Effect.fnUntraced(function* (view: ChainView, period: LaneReading.Period, dryRun: boolean) {
  const sql = yield* PgClient.PgClient
  const { name } = view.client.chain
  const { lost, pending } = yield* LaneReading.read(sql, view, period)
  if (!dryRun) yield* Transactions.book(sql, lost)
  const open =
    pending === 0
      ? []
      : [
          {
            stopsPayouts: false,
            text: `${pending} unknown transactions of lanes on ${name} are not confirmed. Run this again in a moment`
          }
        ]
  return { ...nothing, transactions: lost, open }
})

/** Settlements and payments of a chain. Settlements come first, since payments pay what they earned. */
const moneyOf = Effect.fnUntraced(function* (view: ChainView, fromBlock: bigint, { dryRun, restore }: Run) {
  const sql = yield* PgClient.PgClient
  const { chain } = view.client
  const settled = yield* ChainReading.settlements(view, fromBlock)
  const { after, bookings, differing, named, treasury } = yield* Books.of(view.client, settled)
  const booked = yield* Booking.sweeps(sql, bookings, dryRun)
  const before = yield* after
  const books = dryRun ? { ...before, owed: [...before.owed, ...Booking.imagined(booked.accruals)] } : before
  const earned = yield* Money.tokens(sql, chain.id)
  const tokens = new Set([...earned, ...settled.map(({ feeToken }) => feeToken)])
  const { found, openedAt } = yield* ChainReading.earlierPayments(view, fromBlock, books.batches, MARGIN_MILLIS)
  const paid = yield* ChainReading.payments(view, { fromBlock }, [...tokens])
  const findings = EarlierPayments.plan(books, openedAt, found)
  const rest = { ...books, batches: EarlierPayments.paidBy(books.batches, findings) }
  const payments = yield* Booking.payments(sql, chain, [...findings, ...LostPayments.plan(rest, paid)], dryRun)
  const hasFees = Effect.gen(function* () {
    if (settled.some(({ builderFee }) => builderFee > 0n)) return true
    const assignable = yield* Money.assignableTokens(sql, chain.id)
    return earned.some((token) => !assignable.includes(token)) || (yield* Vaults.mayHold(view.client, assignable))
  })
  const open = yield* Vaults.unsettled(view, restore.recordedAtMs, hasFees)
  const unread = yield* Guards.unknown(chain, restore.restoredToMs - MARGIN_MILLIS)
  return {
    ...nothing,
    sweeps: booked.found,
    treasury,
    payments: payments.map(({ row }) => row),
    open: [
      ...Vaults.unnamed(chain, booked.strays, named),
      ...unread,
      ...differing,
      ...booked.open,
      ...payments.flatMap((each) => each.open),
      ...open
    ]
  }
})

/** A part of a chain that cannot be read is open. The others are booked all the same. */
const orOpen = (name: string, what: string, stopsPayouts: boolean) =>
  Effect.catch((failure: { readonly message: string }) =>
    Effect.succeed<Part>({
      ...nothing,
      open: [{ stopsPayouts, text: `${what} of ${name} were not reconciled: ${failure.message}` }]
    })
  )

const ofChain = Effect.fnUntraced(function* (client: ChainClient, run: Run) {
  const { name } = client.chain
  const view = yield* look(client)
  const newest = Option.getOrElse(view.confirmed, () => view.head).number
  const { restoredToMs } = run.restore
  const fromBlock = yield* ChainReading.firstBlockSince(client, newest, restoredToMs - MARGIN_MILLIS)
  const money = yield* moneyOf(view, fromBlock, run).pipe(orOpen(name, "sweeps and payments", true))
  const lanes = yield* lanesOf(view, { restoredToMs, fromBlock }, run.dryRun).pipe(
    mapped("reconcile lanes"),
    orOpen(name, "lanes", false)
  )
  return joined([money, lanes])
})

/** Chains that the books name and that cannot be compared, since the chains file lacks them. */
const unlisted = (ids: ReadonlyArray<number>, clients: ReadonlyArray<ChainClient>): ReadonlyArray<Open> =>
  ids
    .filter((id) => !clients.some(({ chain }) => chain.id === id))
    .map((id) => ({
      stopsPayouts: true,
      text: `chain ${id} is in the books and not in CHAINS_FILE, so it was not reconciled. Add it to the file, and run this again`
    }))

/**
 * Ends the restores of the run if nothing is left that stops payouts. Returns true if payouts are possible then, and what remains open.
 * Another run may have ended the restores, or a restore may have been recorded meanwhile. Ends none if another database answers now:
 * nobody compared the chains with it.
 */
const ended = Effect.fnUntraced(function* ({ restore }: Run, open: ReadonlyArray<Open>) {
  const sql = yield* PgClient.PgClient
  const isSettled = !open.some(({ stopsPayouts }) => stopsPayouts)
  const isForeign = yield* Restores.isForeign(sql)
  if (isSettled && !isForeign) yield* Restores.close(sql, restore.ids)
  const reconciled = !(yield* Restores.isUnreconciled(sql))
  const text = isForeign
    ? "another database took over while this ran. Run this again with its moment as --since"
    : "another restore was recorded while this ran. Run this again"
  return { reconciled, open: isSettled && !reconciled ? [...open, { stopsPayouts: true, text }] : open }
})

/** Reminds of what no chain shows, while a restore is open. */
const takenBack = ({ ids, restoredToMs }: Run["restore"]): ReadonlyArray<Open> =>
  ids.length === 0
    ? []
    : [
        {
          stopsPayouts: false,
          text:
            `reversals, suspensions, changes of markups and caps, and revoked or rotated keys after ${new Date(restoredToMs).toISOString()} ` +
            "are lost, and so are pauses, limits, endpoints and states of lanes. Repeat them before you pay builders, and before you end the " +
            "pause of all sweeps with `sweep operate resume all`"
        }
      ]

/** Reconciles all chains, and ends the restores of the run if nothing is left that stops payouts. */
export const reconcile = Effect.fnUntraced(function* (run: Run) {
  const sql = yield* PgClient.PgClient
  const chains = yield* Chains
  const parts = yield* Effect.forEach(chains.all, (client) =>
    ofChain(client, run).pipe(orOpen(client.chain.name, "blocks", true))
  )
  const { open, ...found } = joined(parts)
  const listed = chains.all.map(({ chain }) => chain)
  const foreign = Vaults.foreign(listed, yield* Transactions.recentVaults(sql, Vaults.shared(listed)))
  const blocking = [...unlisted(yield* Restores.chainIds(sql), chains.all), ...foreign, ...open]
  const unassigned = yield* Money.unassigned(sql)
  const toAssign =
    unassigned.length === 0
      ? []
      : [
          {
            stopsPayouts: false,
            text: `${unassigned.length} builder fees are not assigned. Assign them with \`sweep reconcile assign\``
          }
        ]
  const end = run.dryRun ? { reconciled: false, open: blocking } : yield* ended(run, blocking)
  const report = {
    restoredToMs: run.restore.restoredToMs,
    dryRun: run.dryRun,
    reconciled: end.reconciled,
    ...found,
    unassigned,
    open: [...end.open, ...toAssign, ...takenBack(run.restore)]
  } satisfies Report
  return { ...report, restoreIds: run.restore.ids }
}, mapped("reconcile"))

/**
 * The open restore to which a moment belongs: the one that was recorded last. Undefined if the database was restored again since. It then
 * has another identity. A moment after the record also names another restore, since a database of that moment has the record.
 */
const ongoing = (open: ReadonlyArray<Restores.Restore>, sinceMs: number, isForeign: boolean) =>
  isForeign
    ? undefined
    : open
        .toSorted((one, other) => one.recordedAtMs - other.recordedAtMs)
        .slice(-1)
        .find(({ recordedAtMs }) => sinceMs < recordedAtMs)

/**
 * Records a restore to a moment, which pauses all sweeps. If the moment belongs to an open restore, it only moves the beginning: all
 * payments that the database forgot were signed before that restore was recorded, and sessions and pauses since then are known.
 */
const record = Effect.fnUntraced(function* (sql: PgClient.PgClient, sinceMs: number, isForeign: boolean) {
  const open = yield* Restores.open(sql)
  const same = ongoing(open, sinceMs, isForeign)
  if (same !== undefined && open.some(({ restoredToMs }) => restoredToMs <= sinceMs)) return
  yield* Transactions.keepLanes(sql, sinceMs)
  if (same !== undefined && (yield* Restores.move(sql, same.id, sinceMs))) return
  yield* Restores.record(sql, sinceMs, Booking.ACTOR)
})

/**
 * Pauses all sweeps if nobody has since the restores were recorded, since earlier releases recorded restores without a pause. A resumption
 * is in the operators' log, too, and is not undone.
 */
const pauseOnce = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  // Another run waits for this one, and then sees its pause.
  yield* sql`SELECT id FROM builder.restores WHERE reconciled_at IS NULL ORDER BY id FOR UPDATE`
  const open = yield* Restores.open(sql)
  const [earliest] = open
  if (earliest === undefined) return
  const recordedAt = timestamp(Math.max(...open.map(({ recordedAtMs }) => recordedAtMs)))
  const choices = yield* sql`SELECT 1 AS choice FROM orchestrator.operator_log
    WHERE subject = ${nameOf({ scope: "all" })} AND starts_with(action, 'pause.') AND at >= ${recordedAt} LIMIT 1`
  if (choices.length === 0) yield* OperatorChoices.pauseAll(sql, earliest.restoredToMs, Booking.ACTOR)
})

/** The database has another identity than the last record noted, and nobody said which moment it lacks. */
const UNNAMED =
  "the database was restored again, or a replica took over, after the last restore was recorded. Data may be missing since then. Give " +
  "the moment with --since"

/**
 * The restore that is reconciled. With `sinceMs`, a new one to that moment is recorded, unless it is recorded already, or belongs to an
 * open one. A database with another identity was restored again, also to the same moment, so its day of forgotten payments begins now. The
 * end of a reconciliation ends every restore that is open now, so it begins at the earliest one. Undefined if none is recorded and none is
 * named.
 */
export const restoreOf = Effect.fnUntraced(function* (sinceMs: number | undefined, dryRun: boolean) {
  const sql = yield* PgClient.PgClient
  const now = yield* Clock.currentTimeMillis
  if (sinceMs !== undefined && sinceMs > now) {
    return yield* new UsageError({ detail: `--since ${new Date(sinceMs).toISOString()} is in the future` })
  }
  const latest = yield* Restores.latest(sql)
  const isForeign = yield* Restores.isForeign(sql)
  if (isForeign && sinceMs === undefined && latest !== undefined) return yield* new UsageError({ detail: UNNAMED })
  if (sinceMs !== undefined && !dryRun && (isForeign || latest?.restoredToMs !== sinceMs)) {
    yield* record(sql, sinceMs, isForeign)
  }
  if (!dryRun) yield* sql.withTransaction(pauseOnce(sql))
  const open = yield* Restores.open(sql)
  const [earliest] = open
  if (earliest === undefined) {
    if (!isForeign && latest !== undefined && (sinceMs === undefined || latest.restoredToMs === sinceMs)) {
      return { ...latest, ids: [] }
    }
    return sinceMs === undefined ? undefined : { restoredToMs: sinceMs, recordedAtMs: now, ids: [] }
  }
  return {
    ids: open.map(({ id }) => id),
    restoredToMs: Math.min(earliest.restoredToMs, sinceMs ?? earliest.restoredToMs),
    recordedAtMs: Math.max(...open.map(({ recordedAtMs }) => recordedAtMs), ...(isForeign ? [now] : []))
  }
}, mapped("reconcile"))
