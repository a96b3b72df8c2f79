/**
 * Keeps the code of contracts, which never changes once it is there (EIP-6780). The account of an owner has no code, or that of a
 * delegation, which it can change at any time, so it is read each time.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { accountCode } from "../../../domain/Delegation.ts"
import type { Hex } from "../../../domain/Hex.ts"
import * as LatestMap from "../../../domain/LatestMap.ts"
import * as Choice from "../rpc/Choice.ts"

/** Code of up to 24 KB each. Beyond them the oldest is forgotten. */
const CAPACITY = 128

/** A reorganisation may take a deployment back. */
const LIFETIME_MILLIS = 600_000

/** Makes a reader that asks `read` for what it does not keep. */
export const make = <E>(
  read: (address: Address.Address) => Effect.Effect<Hex, E>
): ((address: Address.Address) => Effect.Effect<Hex, E>) => {
  const kept = LatestMap.make<Address.Address, { readonly code: Hex; readonly until: number }>(CAPACITY)

  return (address) =>
    Effect.gen(function* () {
      // Two endpoints are to be compared, and not what one of them has told.
      if ((yield* Choice.Current) !== undefined) return yield* read(address)
      const now = yield* Clock.currentTimeMillis
      const known = kept.get(address)
      if (known !== undefined && known.until > now) return known.code
      const code = yield* read(address)
      if (accountCode(code)._tag === "Contract") kept.set(address, { code, until: now + LIFETIME_MILLIS })
      return code
    })
}
