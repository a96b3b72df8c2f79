/** Judges the swap targets that the chains file names, by the guard's own list. Pure. */
import { type NamedTarget, stateOf, type TargetListing, withoutSuccessor } from "../SwapTarget.ts"
import { type Finding, found, ok, warning } from "./Finding.ts"

export const kinds = {
  unlisted: warning(
    "target_unlisted",
    "a target of the chains file is not on the guard's list, so that no route through it is offered",
    "Propose it with `./sweep targets propose`, or remove it from the chains file."
  ),
  proposed: warning(
    "target_proposed",
    "a target waits for the guard's timelock",
    "Wait. Routes through it are offered once it is active."
  ),
  otherKind: warning(
    "target_other_kind",
    "the guard lists a target as another kind than the chains file",
    "Correct `kind` in the chains file, or list the target again."
  ),
  ending: warning(
    "target_ending",
    "a target ends soon or has ended, and no successor is active",
    "Propose the new contract of the service with `./sweep targets propose` now."
  ),
  well: ok("targets_ok", "the guard lists every target of the chains file")
}

export interface TargetFacts {
  readonly chain: string
  readonly targets: ReadonlyArray<NamedTarget>
  readonly listings: ReadonlyArray<TargetListing>
  /** UNIX milliseconds. */
  readonly nowMillis: number
}

export const judge = ({ chain, listings, nowMillis, targets }: TargetFacts): ReadonlyArray<Finding> => {
  const findings = targets.flatMap((target) => {
    const listing = listings.find(({ address }) => address === target.address)
    const subject = `${chain} ${target.name}`
    const state = listing === undefined ? "unlisted" : stateOf(listing, target, nowMillis)
    if (state === "unlisted") return [found(kinds.unlisted, subject, `${target.address} is not listed`)]
    if (state === "proposed") {
      return [found(kinds.proposed, subject, `${target.address} becomes active at ${moment(listing?.activeFrom)}`)]
    }
    return listing?.kind === undefined || listing.kind === target.kind
      ? []
      : [found(kinds.otherKind, subject, `${target.address} is listed as ${listing.kind}, not ${target.kind}`)]
  })
  const ending = withoutSuccessor(targets, listings, nowMillis).map(({ address, expiresAt = "", name }) =>
    found(kinds.ending, `${chain} ${name}`, `${address} ends at ${expiresAt}`)
  )
  const all = [...findings, ...ending]
  return all.length > 0 ? all : [found(kinds.well, chain, `${targets.length} targets are listed`)]
}

/** Latest time that a date can express, in seconds. */
const LATEST = 8_640_000_000_000n

const moment = (seconds = 0n): string => new Date(Number(seconds > LATEST ? LATEST : seconds) * 1_000).toISOString()
