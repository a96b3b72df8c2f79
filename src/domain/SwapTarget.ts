/**
 * Contracts that sweeps may call: the guard's list of swap targets, and the names and ends that an operator gives them. A service
 * that moves its contracts is followed by a second target of the same name, listed before the first one ends. Pure.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"

/** A router takes orders that stay on the chain, a bridge those that leave it. */
export const TargetKind = Schema.Literals(["router", "bridge"])
export type TargetKind = typeof TargetKind.Type

/** A date, or a date with a time in UTC, such as `2026-10-26` or `2026-10-26T12:00:00Z`. */
const Moment = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text) && !Number.isNaN(Date.parse(text))) ||
      "expected a date such as 2026-10-26 or 2026-10-26T12:00:00Z"
  )
)

/** A target that an operator names, beside those that other fields of the chain name. */
export const NamedTarget = Schema.Struct({
  address: Address.NonZeroAddress,
  kind: TargetKind,
  /** Service that the contract belongs to, such as `relay`. Targets with one name and kind replace each other. */
  name: Schema.NonEmptyString,
  /** Moment from which the service no longer uses the contract. Default: none. */
  expiresAt: Schema.optionalKey(Moment)
})
export type NamedTarget = typeof NamedTarget.Type

/** Fields of a chain. */
export const fields = {
  /** More targets of the guard than the router, the SpokePool and its periphery. Default: none. */
  targets: Schema.optionalKey(Schema.Array(NamedTarget))
}

/** An entry of the guard's list. */
export interface TargetListing {
  readonly address: Address.Address
  /** UNIX seconds from which sweeps may call the target. 0 if it is not listed. */
  readonly activeFrom: bigint
  /** Kind of an active target. Absent while the timelock lasts, and for a target that is not listed. */
  readonly kind?: TargetKind
}

/** UNIX seconds from which sweeps may call a target, as they are printed. */
export const ActiveFrom = Uint256

/** Progress of a target. `expiring` and `expired` are listed ones whose end the operator has set. */
export const TargetState = Schema.Literals(["unlisted", "proposed", "listed", "expiring", "expired"])
export type TargetState = typeof TargetState.Type

/** Time before a target's end in which a successor is due, in milliseconds: 14 days, well above the default timelock of two. */
export const NOTICE_MILLIS = 14 * 86_400_000

/** UNIX milliseconds of a target's end. */
export const expiryMillis = ({ expiresAt }: Pick<NamedTarget, "expiresAt">): number | undefined =>
  expiresAt === undefined ? undefined : Date.parse(expiresAt)

/** State of a target at a time in UNIX milliseconds. The chain's own clock decides when the timelock ends. */
export const stateOf = (
  { activeFrom, kind }: Pick<TargetListing, "activeFrom" | "kind">,
  named: Pick<NamedTarget, "expiresAt"> | undefined,
  nowMs: number
): TargetState => {
  if (activeFrom === 0n) return "unlisted"
  if (kind === undefined) return "proposed"
  const end = named === undefined ? undefined : expiryMillis(named)
  if (end === undefined || nowMs < end - NOTICE_MILLIS) return "listed"
  return nowMs < end ? "expiring" : "expired"
}

/** True if `other` serves the same purpose for longer. */
const outlives = (target: NamedTarget, other: NamedTarget): boolean => {
  const [end, otherEnd] = [expiryMillis(target), expiryMillis(other)]
  return (
    other.name === target.name &&
    other.kind === target.kind &&
    other.address !== target.address &&
    (otherEnd === undefined || (end !== undefined && otherEnd > end))
  )
}

/**
 * Targets that need a successor now: they are listed, end within {@link NOTICE_MILLIS} or have ended, and no other target of their
 * name and kind is active that lasts longer. A target that is no longer listed needs none.
 */
export const withoutSuccessor = (
  targets: ReadonlyArray<NamedTarget>,
  listings: ReadonlyArray<TargetListing>,
  nowMs: number
): ReadonlyArray<NamedTarget> => {
  const states = new Map(
    targets.map((target) => {
      const listing = listings.find(({ address }) => address === target.address)
      return [target, listing === undefined ? "unlisted" : stateOf(listing, target, nowMs)] as const
    })
  )
  const isActive = (target: NamedTarget) => !["unlisted", "proposed"].includes(states.get(target) ?? "unlisted")
  return targets.filter(
    (target) =>
      (states.get(target) === "expiring" || states.get(target) === "expired") &&
      !targets.some((other) => outlives(target, other) && isActive(other))
  )
}
