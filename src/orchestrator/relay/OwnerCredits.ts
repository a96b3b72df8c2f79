/** Credits of owners on a chain. They are remembered, so that most claims read nothing. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Chain, listedTier } from "../../domain/Chain.ts"
import { HOUR_MILLIS } from "../../domain/ExposureWindow.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { creditOf } from "../../domain/OwnerCredit.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import { ChainLosses, type Losses } from "../shared/ChainLosses.ts"

/** Credits that are remembered. */
const REMEMBERED = 50_000

/** Age up to which a credit counts, in milliseconds. Shorter than the day in which a loss is seen. */
const LIFETIME_MILLIS = HOUR_MILLIS

/** True if no sweep lost in 24 hours, so that no credit has fallen. One of unlisted tokens takes from its owner's credit as well. */
const isCalm = ({ first, listed, unlisted }: Losses): boolean =>
  [listed, unlisted, first.any, first.unfunded].every(({ day }) => day.lost === 0n)

/**
 * Makes `creditsOf(chain, needed)`: credits in wei of the owners, by one read. `needed` has the wei that each owner's sweeps cover. While
 * nobody has lost, credits only grow, and an owner is not read again for less than its last credit.
 */
export const make = Effect.gen(function* () {
  const exposures = yield* Exposures
  const losses = yield* ChainLosses
  const known = LatestMap.make<string, { readonly credit: bigint; readonly atMs: number }>(REMEMBERED)

  return Effect.fnUntraced(function* (chain: Chain, needed: ReadonlyMap<Address.Address, bigint>) {
    if (needed.size === 0) return new Map<Address.Address, bigint>()
    const now = yield* Clock.currentTimeMillis
    const mayRemember = isCalm(yield* losses.of(chain))
    const keyOf = (owner: Address.Address): string => `${chain.id}:${owner}`
    const suffices = ([owner, wei]: readonly [Address.Address, bigint]): boolean => {
      const found = known.get(keyOf(owner))
      return mayRemember && found !== undefined && found.credit >= wei && now - found.atMs < LIFETIME_MILLIS
    }
    const unknown = [...needed].flatMap((each) => (suffices(each) ? [] : [each[0]]))
    const rows = yield* exposures.paid(chain.id, unknown)
    const read = new Map(unknown.map((owner) => [owner, 0n]))
    for (const { failed, owner, settled, token } of rows) {
      // The fee of a sweep with an unlisted token may be worth nothing.
      const paid = { failed, settled: listedTier(chain, token) === "tier3" ? 0n : settled }
      read.set(owner, (read.get(owner) ?? 0n) + creditOf(paid))
    }
    // Found before they are remembered, since remembering one may forget another of these.
    const credits = new Map(
      [...needed.keys()].map((owner) => [owner, read.get(owner) ?? known.get(keyOf(owner))?.credit ?? 0n])
    )
    for (const [owner, credit] of read) known.set(keyOf(owner), { credit, atMs: now })
    return credits
  })
})
