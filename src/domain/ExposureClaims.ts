/**
 * Claims that hold reservations. A worker that has lost its lease may reserve or release a sweep late, so a sweep can have several claims
 * at once, and its reservation ends with the last of them.
 */
import { admit, type Budgets, type Denied, EMPTY, type ExposureClass, type Reservation, type Sums } from "./Exposure.ts"

/** Beginning of every claim. */
export const PREFIX = "claim:"

/** A claim as a holder: its time in UNIX milliseconds, and an id. No id of a submission looks like it. */
export type Claim = `claim:${number}:${string}`

/**
 * Time after which a claim holds nothing that another one has reserved, in milliseconds. A worker stops at the end of its lease of 30
 * seconds. The rest is for clocks that differ, and for a step that cannot be interrupted.
 */
export const CLAIM_MILLIS = 120_000

export const claimOf = (atMs: number, id: string): Claim => `claim:${atMs}:${id}`

export const isClaim = (holder: string): holder is Claim => holder.startsWith(PREFIX)

const isRecent = (claim: Claim, now: number): boolean => Number(claim.split(":")[1]) > now - CLAIM_MILLIS

/** True if one of the holders is a claim that may still send the sweep. A claim of a worker that was killed sends nothing. */
export const isClaimed = (holders: ReadonlyArray<string>, now: number): boolean =>
  holders.some((holder) => isClaim(holder) && isRecent(holder, now))

/** A reservation that is stored. */
export interface Held extends Reservation {
  readonly holders: ReadonlyArray<string>
  /** UNIX milliseconds of the reservation. */
  readonly atMs: number
}

/** Claims that hold the reservation and may still send its sweep. One that was killed withdraws from nothing. */
const claimsIn = ({ holders }: Held, now: number): ReadonlyArray<Claim> =>
  holders.filter(isClaim).filter((claim) => isRecent(claim, now))

const withOpen = (
  sums: ReadonlyMap<ExposureClass, Sums>,
  held: ReadonlyArray<Held>
): ReadonlyMap<ExposureClass, Sums> => {
  const all = new Map(sums)
  for (const { classes, wei } of held) {
    for (const key of classes) {
      const known = all.get(key) ?? EMPTY
      all.set(key, { ...known, open: known.open + wei })
    }
  }
  return all
}

/** Covers what both reserve, since the sweep is sent as only one of them knows it. */
const both = (one: Reservation, other: Reservation | undefined): Reservation =>
  other === undefined
    ? one
    : {
        intentId: one.intentId,
        classes: [...new Set([...one.classes, ...other.classes])],
        wei: one.wei > other.wei ? one.wei : other.wei
      }

/** Reservations to store, and those that are denied. */
export interface Replaced {
  readonly stored: ReadonlyArray<Held>
  readonly denied: ReadonlyArray<Denied>
}

/**
 * Decides which sweeps a claim reserves in place of what they had reserved. `sums` are those without `before`, of all classes of both. A
 * sweep that is admitted has its other claims as holders, too, and reserves no less than they did. A sweep that is denied keeps what its
 * other claims have reserved, since one of them may send it.
 */
export const replace = (
  reservations: ReadonlyArray<Reservation>,
  budgets: Budgets,
  sums: ReadonlyMap<ExposureClass, Sums>,
  { before, claim, now }: { readonly before: ReadonlyArray<Held>; readonly claim: Claim; readonly now: number }
): Replaced => {
  const claimed = new Map(
    before.flatMap((each) => {
      const holders = claimsIn(each, now).filter((other) => other !== claim)
      return holders.length === 0 ? [] : [[each.intentId, { ...each, holders }]]
    })
  )
  const wanted = reservations.map((each) => both(each, claimed.get(each.intentId)))
  const kept = new Map<string, Held>()
  const denied = new Map<string, Denied>()
  while (true) {
    const rest = wanted.filter(({ intentId }) => !kept.has(intentId))
    const decided = admit(rest, budgets, withOpen(sums, [...kept.values()]))
    const more = decided.denied.filter(({ intentId }) => claimed.has(intentId))
    if (more.length === 0) {
      const added = decided.admitted.map((each) => ({
        ...each,
        atMs: now,
        holders: [...(claimed.get(each.intentId)?.holders ?? []), claim]
      }))
      return { stored: [...kept.values(), ...added], denied: [...denied.values(), ...decided.denied] }
    }
    // They keep room that the others then lack.
    for (const each of more) {
      const held = claimed.get(each.intentId)
      if (held !== undefined) kept.set(each.intentId, held)
      denied.set(each.intentId, each)
    }
  }
}
