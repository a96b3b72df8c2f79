/**
 * Recognises an endpoint that refuses one method at any rate, by the error of a request that comes too soon. BNB Chain's public nodes
 * answer each `eth_getLogs` by -32005 "limit exceeded", whatever its range. Infura says the same to too many requests, so the text does
 * not tell, but other answers do: refusals in a row, with answers to other methods between them and no refusal of those. Pure and total.
 */
import { isWithin } from "../../../domain/Age.ts"

/** The only method that endpoints are known to switch off in this way. */
export const METHOD = "eth_getLogs"

/** Refusals in a row after which the method counts as switched off. */
const REFUSALS = 3

/** Least time between two of them, in milliseconds. Limits are per second, and a cheaper method may be granted where this one is not. */
const SPACING_MILLIS = 1_000

/** Time in which a method that is switched off is not asked for, in milliseconds. One request then tries it again. */
const OFF_MILLIS = 60_000

export interface RefusedMethod {
  /** Refusals in a row that have time and an answer to another method between them. */
  readonly refusals: number
  /** UNIX milliseconds of the last of them. */
  readonly refusedAt: number
  /** True if another method was answered since the last of them. */
  readonly isOtherAnswered: boolean
  /** UNIX milliseconds until which the method is not asked for. */
  readonly offUntil: number
}

export const initial: RefusedMethod = {
  refusals: 0,
  refusedAt: Number.NEGATIVE_INFINITY,
  isOtherAnswered: true,
  offUntil: 0
}

/** True if the method counts as switched off. */
export const isOff = ({ refusals }: RefusedMethod): boolean => refusals >= REFUSALS

/** Milliseconds until the method may be asked for again. Refusals in a row have time between them. */
export const waitMillis = (state: RefusedMethod, now: number): number => {
  if (state.refusals === 0) return 0
  const [until, longest] = isOff(state)
    ? [state.offUntil, OFF_MILLIS]
    : [state.refusedAt + SPACING_MILLIS, SPACING_MILLIS]
  // A longer wait means that the clock was set back. The method would then be off for as long as that.
  return until - now > longest ? 0 : Math.max(0, until - now)
}

/** True if a refusal in this state concerns the method: it is switched off, or another one was answered since the last refusal. */
export const isItsOwn = (state: RefusedMethod): boolean => isOff(state) || (state.refusals > 0 && state.isOtherAnswered)

/** The state after a request of the method is begun. Only one is, until its answer is known or the time is over. */
export const asked = (state: RefusedMethod, now: number): RefusedMethod =>
  isOff(state) ? { ...state, offUntil: now + OFF_MILLIS } : state

/** The state after a request of the method ended without a reply: it was not sent, failed, or was interrupted. It tried nothing. */
export const unanswered = (state: RefusedMethod, now: number): RefusedMethod =>
  isOff(state) ? { ...state, offUntil: now + SPACING_MILLIS } : state

/** True if the last refusal is so near that another one tells nothing new. */
const isNear = ({ refusedAt }: RefusedMethod, now: number): boolean => isWithin(SPACING_MILLIS, refusedAt, now)

/** The state after a reply to the method. */
export const replied = (state: RefusedMethod, reply: "answered" | "limited", now: number): RefusedMethod => {
  if (reply === "answered") return initial
  // Other refusals may be for the rate.
  if (isOff(state) || !state.isOtherAnswered || isNear(state, now)) return state
  return { refusals: state.refusals + 1, refusedAt: now, isOtherAnswered: false, offUntil: now + OFF_MILLIS }
}

/** The state after a reply to another method. */
export const repliedToOther = (state: RefusedMethod, reply: "answered" | "limited"): RefusedMethod => {
  if (isOff(state) || state.refusals === 0) return state
  if (reply === "limited") return initial
  return state.isOtherAnswered ? state : { ...state, isOtherAnswered: true }
}
