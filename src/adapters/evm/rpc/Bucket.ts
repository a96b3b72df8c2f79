/** A token bucket of one second, whose rate changes. Pure and total. */

/** Factor by which a reduced rate grows in a second. */
const RESTORED_PER_SECOND = 1.07
/** A rate above this is no limit. */
const UNLIMITED = 100_000

export interface Bucket {
  /** Limit per second. Infinite without one. */
  readonly ceiling: number
  /** Least rate after reductions. */
  readonly floor: number
  /** Current rate per second. */
  readonly rate: number
  /** Tokens that can be spent now, at most the rate of one second. */
  readonly level: number
  /** Answered in the current second. */
  readonly answered: number
  /** Answered in the second before. */
  readonly answeredBefore: number
}

export const make = (ceiling: number, floor: number): Bucket => ({
  ceiling,
  floor: Math.min(ceiling, floor),
  rate: ceiling,
  level: ceiling,
  answered: 0,
  answeredBefore: 0
})

/** A request that costs more than a second grants is sent when the bucket is full. */
const capacity = ({ rate }: Bucket): number => Math.max(1, rate)

export const isUnlimited = ({ rate }: Bucket): boolean => rate === Number.POSITIVE_INFINITY

/** The bucket after some milliseconds, during `seconds` turns of the counted second. */
export const advanced = (state: Bucket, millis: number, seconds: number): Bucket => {
  if (isUnlimited(state) && seconds === 0) return state
  const grown = state.rate * RESTORED_PER_SECOND ** (millis / 1_000)
  const rate = isUnlimited(state) || grown >= Math.min(state.ceiling, UNLIMITED) ? state.ceiling : grown
  return {
    ceiling: state.ceiling,
    floor: state.floor,
    rate,
    level:
      rate === Number.POSITIVE_INFINITY
        ? rate
        : Math.min(Math.max(1, rate), state.level + (Math.min(state.rate, rate) * millis) / 1_000),
    answered: seconds === 0 ? state.answered : 0,
    answeredBefore: seconds === 0 ? state.answeredBefore : seconds === 1 ? state.answered : 0
  }
}

/** Milliseconds until the bucket has `cost` beyond what is ahead. */
export const delayOf = (state: Bucket, ahead: number, cost: number): number => {
  if (isUnlimited(state)) return 0
  const missing = ahead + Math.min(cost, capacity(state)) - state.level
  return missing <= 0 ? 0 : Math.max(1, Math.ceil((1_000 * missing) / state.rate))
}

export const spent = (state: Bucket, cost: number): Bucket =>
  isUnlimited(state) ? state : { ...state, level: state.level - cost }

export const restored = (state: Bucket): Bucket => ({
  ...state,
  rate: state.ceiling,
  level: state.ceiling === Number.POSITIVE_INFINITY ? state.ceiling : state.level
})
