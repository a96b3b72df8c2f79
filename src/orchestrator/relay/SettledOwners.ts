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
    const unknown = [...owners].filter((owner) => !known.has(keyOf(chainId, owner)))
    const found = unknown.length === 0 ? new Set<Address.Address>() : yield* intents.settledOf(chainId, unknown)
    for (const owner of found) known.add(keyOf(chainId, owner))
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
