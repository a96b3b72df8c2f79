/** Sweeps as their builder sees them: the sum of their events. */
import { Schema } from "effect"
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import { stepsTo } from "./Intent.ts"
import { SweepEvent, type SweepStatus } from "./SweepEvent.ts"
import { described } from "./Described.ts"

const { builderId: _builder, id: _id, occurredAtMs: _at, ...facts } = SweepEvent.fields

export const Sweep = Schema.Struct({
  ...facts,
  startedAtMs: described(Schema.Int, "UNIX time in milliseconds when the sweep was submitted."),
  updatedAtMs: described(Schema.Int, "UNIX time in milliseconds when the sweep reached its status.")
}).annotate({ identifier: "Sweep" })
export type Sweep = typeof Sweep.Type

/** Number of sweeps in each status. */
export type SweepCounts = Readonly<Record<SweepStatus, number>>

export const NO_SWEEPS: SweepCounts = { submitted: 0, settled_source: 0, delivered: 0, failed: 0 }

/** Amount that delivered sweeps moved, per token and chain. */
export interface Volume {
  readonly chainId: ChainId
  readonly token: Address.Address
  readonly amount: bigint
  readonly sweeps: number
}

/** Sweeps that started on one UTC day. */
export interface SweepDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly sweeps: number
  readonly delivered: number
  readonly failed: number
}

/** Sweeps that started in a period. */
export interface SweepTotals {
  readonly counts: SweepCounts
  /** Ordered by chain and token. */
  readonly volume: ReadonlyArray<Volume>
  /** Newest first; days without sweeps are left out. */
  readonly days: ReadonlyArray<SweepDay>
}

/**
 * Share of delivered sweeps among those that have ended, in basis points, rounded down. Undefined if none has ended.
 */
export const successRateBps = ({ delivered, failed }: SweepCounts): number | undefined =>
  delivered + failed === 0 ? undefined : Math.floor((delivered * 10_000) / (delivered + failed))

/** Rank of each status. Events may arrive in any order; the event of the highest rank gives the sweep its status. */
export const RANKS: Readonly<Record<SweepStatus, number>> = {
  submitted: stepsTo("submitted"),
  settled_source: stepsTo("settled_source"),
  delivered: stepsTo("delivered"),
  failed: stepsTo("failed")
}

/** The sweep after one more of its events. */
export const withEvent = (before: Sweep | undefined, event: SweepEvent): Sweep => {
  const { builderId: _builder, id: _id, occurredAtMs, ...told } = event
  if (before === undefined) return { ...told, startedAtMs: occurredAtMs, updatedAtMs: occurredAtMs }
  const startedAtMs = Math.min(before.startedAtMs, occurredAtMs)
  return RANKS[event.status] > RANKS[before.status]
    ? { ...told, startedAtMs, updatedAtMs: occurredAtMs }
    : { ...before, startedAtMs }
}

const DAY_MILLIS = 24 * 3_600_000

/** Start of the UTC day that is `back` days before the day of `millis`, in UNIX milliseconds. */
export const startOfDay = (millis: number, back = 0): number => (Math.floor(millis / DAY_MILLIS) - back) * DAY_MILLIS

/** Every day of a period, oldest first, including those without sweeps. */
export const everyDay = (days: ReadonlyArray<SweepDay>, fromMs: number, toMs: number): ReadonlyArray<SweepDay> => {
  const known = new Map(days.map((day) => [day.day, day]))
  const count = Math.max(0, Math.ceil((toMs - startOfDay(fromMs)) / DAY_MILLIS))
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(startOfDay(fromMs) + index * DAY_MILLIS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, sweeps: 0, delivered: 0, failed: 0 }
  })
}
