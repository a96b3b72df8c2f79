/** A list of sanctioned addresses, and the decision whether a newer copy replaces it. */
import { Result } from "effect"
import type * as Address from "./Address.ts"

/** One copy of a list. */
export interface SanctionsList {
  readonly addresses: ReadonlySet<Address.Address>
  /** Day of publication as `YYYY-MM-DD`, if the list names it. */
  readonly publishedOn: string | undefined
}

/**
 * The list without a day of publication that has not come at `now` (UNIX milliseconds). A list with a wrong day must not refuse all later
 * ones.
 */
export const dated = (list: SanctionsList, now: number): SanctionsList =>
  list.publishedOn !== undefined && list.publishedOn > new Date(now).toISOString().slice(0, 10)
    ? { ...list, publishedOn: undefined }
    : list

/** Reason for which a copy does not replace the last good one. */
export type Refusal =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Older"; readonly publishedOn: string; readonly known: string }
  | { readonly _tag: "Shrunk"; readonly removed: number; readonly of: number }

/** The refusal in words, for operators. */
export const describe = (refusal: Refusal): string => {
  switch (refusal._tag) {
    case "Empty":
      return "it lists no addresses"
    case "Older":
      return `it was published on ${refusal.publishedOn}, and the list in use on ${refusal.known}`
    case "Shrunk":
      return `it lacks ${refusal.removed} of ${refusal.of} addresses of the list in use`
  }
}

/**
 * The list that counts from now on. A copy is refused if it is empty, older than the current list, or lacks more than
 * `maxRemovedPercent` of the current addresses: a damaged or forged copy must not lift sanctions.
 */
export const replace = (
  current: SanctionsList | undefined,
  next: SanctionsList,
  maxRemovedPercent: number
): Result.Result<SanctionsList, Refusal> => {
  if (next.addresses.size === 0) return Result.fail({ _tag: "Empty" })
  if (current === undefined) return Result.succeed(next)
  const known = current.publishedOn
  const { publishedOn } = next
  if (known !== undefined && publishedOn !== undefined && publishedOn < known) {
    return Result.fail({ _tag: "Older", publishedOn, known })
  }
  let removed = 0
  for (const address of current.addresses) if (!next.addresses.has(address)) removed += 1
  const of = current.addresses.size
  return removed * 100 > of * maxRemovedPercent ? Result.fail({ _tag: "Shrunk", removed, of }) : Result.succeed(next)
}

/** Age from which operators are told that a list is not refreshed, in milliseconds. */
export const STALE_MILLIS = 24 * 3_600_000

/** True if a list that was last read at `checkedAt` (UNIX milliseconds), or never, is stale. */
export const isStale = (checkedAt: number | undefined, now: number): boolean =>
  checkedAt === undefined || now - checkedAt > STALE_MILLIS

/** Age of a replica's last review from which the replica no longer runs, in milliseconds: three reviews were missed. */
export const ABANDONED_MILLIS = 20 * 60_000

/** True if the replica that reviewed a stale list at this time (UNIX milliseconds) has ended, so that its alert says nothing. */
export const isAbandoned = (reviewedAt: unknown, now: number): boolean =>
  typeof reviewedAt !== "number" || now - reviewedAt >= ABANDONED_MILLIS
