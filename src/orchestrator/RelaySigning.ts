/** Signs versions of relay transactions. */
import { Clock, Effect } from "effect"
import type * as Address from "../domain/Address.ts"
import type { Attempt } from "../ports/RelayTransactions.ts"
import { RelayerKeys, type UnsignedTransaction } from "../ports/RelayerKeys.ts"

/** A signer of attempts; nothing it returns has been stored or sent. */
export const make = Effect.gen(function* () {
  const keys = yield* RelayerKeys

  return Effect.fnUntraced(function* (lane: Address.Address, unsigned: UnsignedTransaction) {
    const { hash, raw } = yield* keys.sign(lane, unsigned)
    const { maxFeePerGas, maxPriorityFeePerGas } = unsigned
    const signedAtMs = yield* Clock.currentTimeMillis
    return { hash, raw, maxFeePerGas, maxPriorityFeePerGas, signedAtMs } satisfies Attempt
  })
})
