/**
 * Decides when an endpoint may be sent a request. Pure and total: the state after each event, and the delay before a request.
 *
 * A budget has two token buckets, one of requests and one of compute units, each of one second. A rate starts at the operator's
 * limit. A refusal for the rate halves it, but not below what the endpoint answered in a second, since it proved that it grants
 * this much. The rate is then restored by 7 % a second. Between two reductions are at least five seconds, or three refusals in a row.
 * While an endpoint refuses everything, pauses double.
 *
 * An overloaded endpoint may refuse a share of all requests, regardless of their number. If that share stays after a reduction,
 * reductions are of no use: the rate is restored, and reduced no more until the share grows.
 */
import * as Bucket from "./Bucket.ts"

/** Limits of an endpoint that an operator states. Default of each: no limit. */
export interface Limits {
  /** Calls per second. Each call of a batch counts. */
  readonly requestsPerSecond?: number | undefined
  /** Compute units per second, as hosted providers count them. */
  readonly computeUnitsPerSecond?: number | undefined
}

/** Cost of a request. */
export interface Cost {
  readonly requests: number
  readonly computeUnits: number
}

const NO_REPLIES = { answered: 0, refused: 0 }

export const FREE: Cost = { requests: 0, computeUnits: 0 }

export interface Budget {
  readonly requests: Bucket.Bucket
  readonly compute: Bucket.Bucket
  /** Time of the last event, in milliseconds, as all times here. */
  readonly at: number
  /** Start of the second in which answers are counted. */
  readonly secondAt: number
  /** No request is sent before this time. */
  readonly pausedUntil: number
  /** Time of the last refusal that counted. Refusals of requests from before it tell nothing new. */
  readonly refusedAt: number
  /** Time of the last reduction. */
  readonly reducedAt: number
  /** Refusals that counted since the last answer. */
  readonly refusals: number
  /** Replies since the last change of the rate's course. */
  readonly replies: { readonly answered: number; readonly refused: number }
  /** The rate of requests before the last reduction, and the share of refusals then. Undefined if there were too few replies. */
  readonly before: { readonly rate: number; readonly share: number } | undefined
  /** Share of refusals that reductions did not change, while they are suspended. */
  readonly suspendedAt: number | undefined
}

export type Event =
  /** A request is about to be sent. It is sent if the delay is 0, and its cost is then spent. */
  | { readonly _tag: "Asked"; readonly cost: Cost }
  /** A request was sent that did not ask, such as the repetition of a call that a batch left unanswered. */
  | { readonly _tag: "Sent"; readonly cost: Cost }
  | { readonly _tag: "Answered"; readonly cost: Cost }
  /** A request was refused for the rate. `sentAt` is when it was sent. */
  | { readonly _tag: "Limited"; readonly sentAt: number; readonly retryAfterMillis?: number | undefined }
  /** The last refusals were not for the rate. The budget forgets also what it learned before them, and learns it again. */
  | { readonly _tag: "Mistaken" }

export interface Decision {
  readonly budget: Budget
  /** Milliseconds until the request can be sent. 0: it may be sent now. */
  readonly delayMillis: number
}

const REDUCTION_SPACING_MILLIS = 5_000
/** Least rates after reductions, unless the operator's limit is lower. */
const FLOOR = { requests: 10, compute: 250 }
/** A share of refusals is known after this many replies. */
const REPLIES = 20
/** Shares between which reductions may be of no use. A lower one is that of any endpoint near its limit. */
const USELESS = { from: 0.12, to: 0.6 }
/** A share stays if it does not fall below this part of it, and grows if it rises above the other. */
const SAME_SHARE = { from: 0.7, to: 1.3 }
/** Refusals in a row after which a rate is reduced again at once. */
const REFUSALS_IN_A_ROW = 3
/** Rate after the first reduction of an endpoint without a stated limit, unless it answered more. */
const FIRST_RATE = { requests: 25, compute: 625 }
/** First and longest pause after refusals that name no time, in milliseconds. */
const PAUSE = { first: 50, longest: 10_000 }
/** Longest pause that an endpoint can ask for, in milliseconds. */
const LONGEST_RETRY_AFTER_MILLIS = 600_000

export const make = (limits: Limits, now: number): Budget => ({
  requests: Bucket.make(limits.requestsPerSecond ?? Number.POSITIVE_INFINITY, FLOOR.requests),
  compute: Bucket.make(limits.computeUnitsPerSecond ?? Number.POSITIVE_INFINITY, FLOOR.compute),
  at: now,
  secondAt: now,
  pausedUntil: now,
  refusedAt: Number.NEGATIVE_INFINITY,
  reducedAt: Number.NEGATIVE_INFINITY,
  refusals: 0,
  replies: NO_REPLIES,
  before: undefined,
  suspendedAt: undefined
})

/** The budget at a clock that was set back. All its times are set back as well, so that a pause gets no longer. */
const setBack = (state: Budget, now: number): Budget => {
  const millis = now - state.at
  return {
    ...state,
    at: now,
    secondAt: state.secondAt + millis,
    pausedUntil: state.pausedUntil + millis,
    refusedAt: state.refusedAt + millis,
    reducedAt: state.reducedAt + millis
  }
}

const advance = (state: Budget, now: number): Budget => {
  if (now === state.at) return state
  if (now < state.at) return setBack(state, now)
  const millis = now - state.at
  const seconds = Math.floor((now - state.secondAt) / 1_000)
  return {
    ...state,
    requests: Bucket.advanced(state.requests, millis, seconds),
    compute: Bucket.advanced(state.compute, millis, seconds),
    at: now,
    secondAt: state.secondAt + 1_000 * seconds
  }
}

/** Milliseconds until a request of this cost can be sent behind others that wait. Changes nothing. */
export const delayOf = (state: Budget, cost: Cost, ahead: Cost, now: number): number => {
  const current = advance(state, now)
  return Math.max(
    0,
    current.pausedUntil - now,
    Bucket.delayOf(current.requests, ahead.requests, cost.requests),
    Bucket.delayOf(current.compute, ahead.computeUnits, cost.computeUnits)
  )
}

const spend = (state: Budget, cost: Cost): Budget =>
  Bucket.isUnlimited(state.requests) && Bucket.isUnlimited(state.compute)
    ? state
    : {
        ...state,
        requests: Bucket.spent(state.requests, cost.requests),
        compute: Bucket.spent(state.compute, cost.computeUnits)
      }

const answered = (state: Budget, cost: Cost): Budget => ({
  ...state,
  requests: { ...state.requests, answered: state.requests.answered + cost.requests },
  compute: { ...state.compute, answered: state.compute.answered + cost.computeUnits },
  refusals: 0,
  replies: { answered: state.replies.answered + 1, refused: state.replies.refused }
})

const reduced = (state: Bucket.Bucket, first: number): Bucket.Bucket => {
  const granted = Math.max(state.answered, state.answeredBefore, state.floor)
  const rate = Math.min(state.ceiling, Math.max(Bucket.isUnlimited(state) ? first : state.rate / 2, granted))
  return { ...state, rate, level: Math.min(state.level, 0) }
}

/** Compute units adapt only where the operator stated a limit of them. */
const reducedRates = (state: Budget): Pick<Budget, "requests" | "compute"> => ({
  requests: reduced(state.requests, FIRST_RATE.requests),
  compute:
    state.compute.ceiling === Number.POSITIVE_INFINITY ? state.compute : reduced(state.compute, FIRST_RATE.compute)
})

/** Share of refusals; undefined if there were too few replies. */
const shareOf = ({ replies: { answered, refused } }: Budget): number | undefined =>
  answered + refused < REPLIES ? undefined : refused / (answered + refused)

/** Reduces the rates, or restores them if the last reduction was of no use. */
const adapted = (state: Budget, now: number): Budget => {
  const { before, suspendedAt } = state
  const share = shareOf(state)
  if (suspendedAt !== undefined && (share === undefined || share <= SAME_SHARE.to * suspendedAt)) return state
  const isUseless =
    suspendedAt === undefined &&
    before !== undefined &&
    share !== undefined &&
    share >= Math.max(USELESS.from, SAME_SHARE.from * before.share) &&
    share <= USELESS.to
  return isUseless
    ? {
        ...state,
        requests: { ...state.requests, rate: Math.max(state.requests.rate, before.rate) },
        compute: { ...state.compute, rate: state.compute.ceiling },
        replies: NO_REPLIES,
        before: undefined,
        suspendedAt: share
      }
    : {
        ...state,
        ...reducedRates(state),
        reducedAt: now,
        replies: NO_REPLIES,
        before: share === undefined ? undefined : { rate: state.requests.rate, share },
        suspendedAt: undefined
      }
}

const limited = (
  { replies, ...rest }: Budget,
  sentAt: number,
  retryAfterMillis: number | undefined,
  now: number
): Budget => {
  const named = retryAfterMillis === undefined ? 0 : Math.min(LONGEST_RETRY_AFTER_MILLIS, Math.max(0, retryAfterMillis))
  const pausedUntil = Math.max(rest.pausedUntil, now + named)
  const state = { ...rest, pausedUntil, replies: { answered: replies.answered, refused: replies.refused + 1 } }
  if (sentAt < state.refusedAt) return state
  const pause = Math.min(PAUSE.longest, PAUSE.first * 2 ** Math.min(state.refusals, 20))
  const isDue = state.refusals + 1 >= REFUSALS_IN_A_ROW || now - state.reducedAt >= REDUCTION_SPACING_MILLIS
  return {
    ...(isDue ? adapted(state, now) : state),
    pausedUntil: retryAfterMillis === undefined ? Math.max(pausedUntil, now + pause) : pausedUntil,
    refusedAt: now,
    refusals: state.refusals + 1
  }
}

const forgiven = ({ at, compute, requests, secondAt }: Budget, now: number): Budget => ({
  ...make({}, now),
  at,
  secondAt,
  requests: Bucket.restored(requests),
  compute: Bucket.restored(compute)
})

export const decide = (before: Budget, event: Event, now: number): Decision => {
  const budget = advance(before, now)
  switch (event._tag) {
    case "Asked": {
      const delayMillis = delayOf(budget, event.cost, FREE, now)
      return delayMillis > 0 ? { budget, delayMillis } : { budget: spend(budget, event.cost), delayMillis: 0 }
    }
    case "Sent":
      return { budget: spend(budget, event.cost), delayMillis: 0 }
    case "Answered":
      return { budget: answered(budget, event.cost), delayMillis: 0 }
    case "Limited":
      return { budget: limited(budget, event.sentAt, event.retryAfterMillis, now), delayMillis: 0 }
    case "Mistaken":
      return { budget: forgiven(budget, now), delayMillis: 0 }
  }
}
