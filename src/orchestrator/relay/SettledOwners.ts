/** Owners with a settled sweep on a chain. They are remembered, so that most claims read nothing. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"

/** Owners that are remembered. */
const REMEMBERED = 50_000

/** Makes `settledOf(chainId, owners)`: those of the owners with a settled sweep on the chain, by one read for all that are unknown. */
export const make = Effect.gen(function* () {
  const intents = yield* Intents
  const known = new Set<string>()
  const keyOf = (chainId: ChainId, owner: Address.Address): string => `${chainId}:${owner}`

  return Effect.fnUntraced(function* (chainId: ChainId, owners: ReadonlySet<Address.Address>) {
    yield* Effect.forEach(
      [...owners].filter((owner) => !known.has(keyOf(chainId, owner))),
      (owner) =>
        Effect.map(intents.hasSettled(owner, [chainId]), (hasSettled) => {
          if (hasSettled) known.add(keyOf(chainId, owner))
        }),
      // The store answers calls that arrive together by one statement.
      { concurrency: "unbounded", discard: true }
    )
    const settled = new Set([...owners].filter((owner) => known.has(keyOf(chainId, owner))))
    trim(known)
    return settled
  })
})

/** Drops the oldest: a set iterates in insertion order. */
const trim = (known: Set<string>): void => {
  for (const key of known) {
    if (known.size <= REMEMBERED) return
    known.delete(key)
  }
}
