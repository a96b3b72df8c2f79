/** Standing of an endpoint among those of its chain: its failures, and its head as the others let it count. The functions that note something change the standing. */
import { isWithin } from "../../../domain/Age.ts"
import { toleratedBlocks } from "../../../domain/HeadLag.ts"
import type { EndpointFailed } from "./JsonRpc.ts"

/** Cooldown of an endpoint that failed or was overtaken, in milliseconds. */
export const COOLDOWN_MILLIS = 10_000

/** A recorded height expires after this many milliseconds. Beside a subscription, heads are read once in 60 seconds. */
const HEIGHT_LIFETIME_MILLIS = 75_000

/** An endpoint hangs if its height has not changed for this many milliseconds. */
const LIVE_MILLIS = 60_000

/**
 * An only other endpoint limits a head until it has had the same head for this many milliseconds and block times. That is shorter than the
 * age at which the head counts as stale, so that an endpoint that hangs wakes nobody.
 */
const LIMITING = { millis: 15_000, blocks: 4 }

/** An endpoint counts as one with other blocks for this many milliseconds after a check. */
const VERDICT_MILLIS = 60_000

/**
 * A head this many blocks above all known ones counts only after a check of the endpoint. The blocks that the chain may have made since the
 * highest known head was recorded are added.
 */
const FAR_BLOCKS = 100n

/** Least time, in milliseconds and block times, after which an endpoint's heads show if it follows the chain. */
const OBSERVED = { millis: 10_000, blocks: 4 }

/** An endpoint that rises faster than this many times the chain's pace is still reading old blocks. */
const FASTEST = 4

/** Blocks by which an endpoint may rise at once. */
const LEAP_BLOCKS = 10

/** A failure is forgotten after this many milliseconds, so that an endpoint that nobody asked since is asked again. */
const FAILURE_LIFETIME_MILLIS = 30_000

export interface Standing {
  cooldownUntil: number
  /** Time of the last failure, if there was no answer since. */
  failedAt: number | undefined
  /** True if it served another chain, and has not answered since. */
  isElsewhere: boolean
  /** Time at which its blocks were found to be others than those of other endpoints. */
  refutedAt: number
  /** Time at which its blocks were others than those of one other endpoint, so that nobody knew whose are true. */
  differedAt: number
  height: bigint
  heightAt: number
  /** Time of the first known height. A gap between two heights does not change it. */
  knownSince: number
  /** Time since when the height is this one. */
  changedAt: number
  /** True if the height rose lately, at the pace of the chain. */
  isRising: boolean
  /** The highest height that a check has proved, and the time of the check. */
  proved: { readonly height: bigint; readonly at: number } | undefined
}

export const initial = (): Standing => ({
  cooldownUntil: 0,
  failedAt: undefined,
  isElsewhere: false,
  refutedAt: Number.NEGATIVE_INFINITY,
  differedAt: Number.NEGATIVE_INFINITY,
  height: 0n,
  heightAt: Number.NEGATIVE_INFINITY,
  knownSince: Number.NEGATIVE_INFINITY,
  changedAt: Number.NEGATIVE_INFINITY,
  isRising: false,
  proved: undefined
})

/** A longer cooldown means that the clock was set back. It is over then. */
export const isCoolingDown = ({ cooldownUntil, refutedAt }: Standing, now: number): boolean =>
  (cooldownUntil > now && cooldownUntil - now <= COOLDOWN_MILLIS) || isWithin(COOLDOWN_MILLIS, refutedAt, now)

/** True if it served another chain, or other blocks than the other endpoints. */
export const isElsewhere = (standing: Standing, now: number): boolean =>
  standing.isElsewhere ||
  isWithin(VERDICT_MILLIS, standing.refutedAt, now) ||
  isWithin(VERDICT_MILLIS, standing.differedAt, now)

export const knownHeight = ({ height, heightAt }: Standing, now: number): bigint | undefined =>
  isWithin(HEIGHT_LIFETIME_MILLIS, heightAt, now) ? height : undefined

/** False if each endpoint failed at its last request, not long ago. */
export const isAnswering = (standings: ReadonlyArray<Standing>, now: number): boolean =>
  standings.length === 0 ||
  standings.some(({ failedAt }) => failedAt === undefined || !isWithin(FAILURE_LIFETIME_MILLIS, failedAt, now))

/** Notes an answer, as undefined, or a failure. */
export const note = (standing: Standing, failure: EndpointFailed | undefined, now: number): void => {
  standing.cooldownUntil = failure === undefined ? 0 : now + COOLDOWN_MILLIS
  standing.failedAt = failure === undefined ? undefined : now
  // A failure of another kind proves nothing about the chain.
  standing.isElsewhere = failure !== undefined && (standing.isElsewhere || failure.isOtherChain === true)
  // The height may be that of the other chain. It would count again after the cooldown.
  if (failure?.isOtherChain === true) standing.heightAt = Number.NEGATIVE_INFINITY
}

/** Notes that a check found blocks that the other endpoints do not have. */
export const refute = (standing: Standing, now: number): void => {
  standing.refutedAt = now
  standing.heightAt = Number.NEGATIVE_INFINITY
  standing.proved = undefined
}

/** Notes that a check proved the height. */
export const prove = (standing: Standing, height: bigint, now: number): void => {
  standing.refutedAt = Number.NEGATIVE_INFINITY
  standing.differedAt = Number.NEGATIVE_INFINITY
  standing.proved = { height, at: now }
}

/** True if the chain may have made the blocks from `before` to the height since the endpoint had `before`. */
const isAtPace = (standing: Standing, before: bigint, height: bigint, now: number, blockTimeMillis: number): boolean =>
  Number(height - before) <= LEAP_BLOCKS + (FASTEST * Math.max(0, now - standing.changedAt)) / blockTimeMillis

/**
 * Notes the height of the endpoint's head. It is compared with the last one, also with an expired one: a process that looks rarely would
 * otherwise never know if the endpoint follows the chain.
 */
export const rise = (standing: Standing, height: bigint, now: number, blockTimeMillis: number): void => {
  const before = now >= standing.heightAt && Number.isFinite(standing.heightAt) ? standing.height : undefined
  if (!Number.isFinite(standing.knownSince)) standing.knownSince = now
  if (before !== undefined && height > before) {
    standing.isRising = isAtPace(standing, before, height, now, blockTimeMillis)
  } else if (knownHeight(standing, now) === undefined) standing.isRising = false
  if (before !== height) standing.changedAt = now
  standing.height = height
  standing.heightAt = now
}

/** True if the endpoint has had a new head lately, so that it does not hang. */
export const isLive = (standing: Standing, now: number): boolean =>
  knownHeight(standing, now) !== undefined && isWithin(LIVE_MILLIS, standing.changedAt, now)

/** True if the endpoint follows the chain, so that it will soon have each block that the chain has. */
export const isFollowing = (standing: Standing, now: number): boolean =>
  knownHeight(standing, now) !== undefined &&
  isWithin(HEIGHT_LIFETIME_MILLIS, standing.changedAt, now) &&
  standing.isRising

/**
 * True if one witness with another block refutes the endpoint that names this head. One that follows the chain and did not jump may be
 * honest, and so may one without a known height beside a witness that does not follow the chain: the witness may lie.
 */
export const isRefutedBy = (
  witness: Standing,
  standing: Standing,
  height: bigint,
  now: number,
  blockTimeMillis: number
): boolean => {
  const before = knownHeight(standing, now)
  if (before === undefined) return isFollowing(witness, now)
  const isSteady = isWithin(LIVE_MILLIS, standing.changedAt, now)
  return !(isSteady && isAtPace(standing, before, height, now, blockTimeMillis))
}

/**
 * True if the endpoint's answer counts against a block far above its head: it follows the chain, or it has answered for too short a time to
 * tell. Otherwise the other endpoint could name any block until then.
 */
export const mayDeny = (standing: Standing, now: number, blockTimeMillis: number): boolean => {
  const observedMillis = Math.max(OBSERVED.millis, OBSERVED.blocks * blockTimeMillis)
  const isUndecided = knownHeight(standing, now) !== undefined && isWithin(observedMillis, standing.knownSince, now)
  return isUndecided || isFollowing(standing, now)
}

/** True if answers of the endpoint have shown the same head for so long that it seems to hang. A time without answers shows nothing. */
const isHanging = ({ changedAt, heightAt }: Standing, blockTimeMillis: number): boolean =>
  heightAt - changedAt >= Math.max(LIMITING.millis, LIMITING.blocks * blockTimeMillis)

/**
 * Maximum credible height of an endpoint. One endpoint could name any head, and be asked first for everything. Three endpoints or more: the
 * highest of the others plus `slack`. Two: the other's height plus the blocks by which honest heads differ, if it follows the chain and does
 * not hang. Undefined: no limit.
 */
export const limitOf = (
  others: ReadonlyArray<Standing>,
  now: number,
  { blockTimeMillis, slack }: { readonly blockTimeMillis: number; readonly slack: bigint }
): bigint | undefined => {
  const [first, ...rest] = others.filter((standing) => isLive(standing, now) || isFollowing(standing, now))
  if (first === undefined) return undefined
  if (rest.length === 0) {
    const isLimiting = isFollowing(first, now) && !isHanging(first, blockTimeMillis)
    return isLimiting ? first.height + toleratedBlocks(blockTimeMillis) : undefined
  }
  return rest.reduce((top, { height }) => (height > top ? height : top), first.height) + slack
}

interface Recorded {
  readonly height: bigint
  readonly at: number
}

/** True for a height far above all of these. False for none. */
const isFarFrom = (height: bigint, known: ReadonlyArray<Recorded>, now: number, blockTimeMillis: number): boolean => {
  const top = known.reduce((highest, each) => (each.height > highest ? each.height : highest), 0n)
  if (top === 0n) return false
  const ages = known.flatMap((each) => (each.height === top ? [Math.max(0, now - each.at)] : []))
  const age = Math.min(HEIGHT_LIFETIME_MILLIS, ...ages)
  return height > top + FAR_BLOCKS + BigInt(Math.floor(age / blockTimeMillis))
}

/** True for a height far above all known heads, or far above those of the others without a check that proved so much of it. */
export const isFarAbove = (
  height: bigint,
  own: Standing,
  others: ReadonlyArray<Standing>,
  now: number,
  blockTimeMillis: number
): boolean => {
  const recorded = (standing: Standing): ReadonlyArray<Recorded> => {
    const known = isCoolingDown(standing, now) ? undefined : knownHeight(standing, now)
    return known === undefined ? [] : [{ height: known, at: standing.heightAt }]
  }
  const theirs = others.flatMap(recorded)
  const isFar = (known: ReadonlyArray<Recorded>) => isFarFrom(height, known, now, blockTimeMillis)
  if (isFar([...theirs, ...recorded(own)])) return true
  return theirs.length > 0 && isFar(own.proved === undefined ? theirs : [...theirs, own.proved])
}
