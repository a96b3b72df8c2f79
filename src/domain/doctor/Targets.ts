/** Judges the swap targets that the chains file names, by the guards' own lists. Pure. */
import { type NamedTarget, stateOf, type TargetListing, withoutSuccessor } from "../SwapTarget.ts"
import { error, type Finding, found, ok, warning } from "./Finding.ts"

/** Orders for the first generation may settle until then. */
const WAIT =
  "once the last replica of the old release has been stopped for `QUOTE_LIFETIME_SECONDS` and `ORDER_GRACE_SECONDS` together, 12 minutes by default"

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
  firstListed: error(
    "first_generation_listed",
    "a guard of the first generation still lists a target, so that orders still run there beside the current guard's lock, and one that its owner signed alone and as a leg of a batch can settle twice",
    `Remove it with \`./sweep targets remove --guard\`, ${WAIT}.`
  ),
  well: ok("targets_ok", "the guard lists every target of the chains file")
}

export interface TargetFacts {
  readonly chain: string
  readonly chainId: number
  readonly targets: ReadonlyArray<NamedTarget>
  readonly listings: ReadonlyArray<TargetListing>
  /** Known targets that guards of the first generation list. */
  readonly firstListed: ReadonlyArray<{ readonly guard: string; readonly target: string }>
  /** UNIX milliseconds. */
  readonly nowMillis: number
}

const judgeFirst = ({ chain, chainId, firstListed }: TargetFacts): ReadonlyArray<Finding> =>
  firstListed.map(({ guard, target }) =>
    found(
      kinds.firstListed,
      `${chain} first generation`,
      `its guard ${guard} lists ${target}`,
      `Run \`./sweep targets remove --chain ${chainId} --guard ${guard} --target ${target}\`, ${WAIT}.`
    )
  )

export const judge = (facts: TargetFacts): ReadonlyArray<Finding> => {
  const { chain, listings, nowMillis, targets } = facts
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
  const all = [...judgeFirst(facts), ...findings, ...ending]
  return all.length > 0 ? all : [found(kinds.well, chain, `${targets.length} targets are listed`)]
}

/** Latest time that a date can express, in seconds. */
const LATEST = 8_640_000_000_000n

const moment = (seconds = 0n): string => new Date(Number(seconds > LATEST ? LATEST : seconds) * 1_000).toISOString()
