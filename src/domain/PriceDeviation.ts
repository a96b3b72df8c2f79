/**
 * Follows the deviation of one token's price to its end, as one process sees it. An end needs proof: two sources that agree, or one source
 * whose level lasts. A source that says nothing proves nothing.
 */
import type { UsdPrice } from "./Fees.ts"
import { isWithin } from "./PriceReadings.ts"
import type { Agreement, Kept, State } from "./PriceReview.ts"

export interface Rules {
  /** Distance within which two prices are one level, in basis points. */
  readonly maxDeviationBps: number
  /** Time for which a level of one source must last to end a deviation. */
  readonly confirmMillis: number
}

/** A reading of all sources that have a price now. */
export interface Reading {
  /**
   * `wild`: the sources differ. `held`: a new level waits for confirmation. `agreed`: at least two sources agree. `single`: one source
   * alone has a price, which counts. `unknown`: no price counts, or a source that has answered before does not answer now.
   */
  readonly finding: "wild" | "held" | "agreed" | "single" | "unknown"
  readonly price: UsdPrice
}

/** The deviation of a token, as this process follows it. */
export interface Watch {
  /** True if the newest reading that tells anything shows the deviation. */
  readonly deviates: boolean
  /** True if the newest reading proves the end. */
  readonly isOver: boolean
  /** UNIX milliseconds of the newest reading that tells anything. */
  readonly atMs: number
  /** The present level, with the time since which no other one was read. Absent while the sources differ. */
  readonly level?: Kept
}

/** `isComplete`: false if a source does not answer that has answered before. */
export const readingOf = (
  { counted, doubt, price }: Agreement,
  { candidate }: State,
  { isComplete, maxDeviationBps }: { readonly isComplete: boolean; readonly maxDeviationBps: number }
): Reading | undefined => {
  if (price === undefined) return undefined
  if (doubt === "wild") return { finding: "wild", price }
  if (counted.length === 0) return { finding: "unknown", price }
  if (candidate !== undefined) return { finding: "held", price }
  const agreeing = counted.filter((other) => isWithin(other, price, BigInt(maxDeviationBps))).length
  return { finding: agreeing > 1 ? "agreed" : isComplete ? "single" : "unknown", price }
}

/** Begins to follow a deviation that another process saw and no longer follows. */
export const takenOver = (nowMs: number): Watch => ({ deviates: false, isOver: false, atMs: nowMs })

/** Continues the watch by a reading. Undefined if there is nothing to follow. */
export const next = (
  watch: Watch | undefined,
  { finding, price }: Reading,
  nowMs: number,
  { confirmMillis, maxDeviationBps }: Rules
): Watch | undefined => {
  if (finding === "wild") return { deviates: true, isOver: false, atMs: nowMs }
  if (finding === "unknown") return watch === undefined ? undefined : { ...watch, isOver: false }
  const known = watch?.level
  const level =
    known !== undefined && isWithin(price, known.price, BigInt(maxDeviationBps)) ? known : { price, atMs: nowMs }
  if (finding === "held") return { deviates: true, isOver: false, atMs: nowMs, level }
  const isOver = finding === "agreed" || nowMs - level.atMs >= confirmMillis
  return watch === undefined ? undefined : { deviates: false, isOver, atMs: nowMs, level }
}
