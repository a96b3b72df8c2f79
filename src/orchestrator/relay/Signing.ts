/** Signs attempts of relay transactions. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Attempt } from "../../ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"

/** Makes `signAttempt(lane, unsigned)`. The attempt is neither stored nor sent. Fails with `SigningFailed`. */
export const make = Effect.gen(function* () {
  const keys = yield* RelayerKeys

  return Effect.fnUntraced(function* (lane: Address.Address, unsigned: UnsignedTransaction) {
    const { hash, raw } = yield* keys.sign(lane, unsigned)
    const { maxFeePerGas, maxPriorityFeePerGas } = unsigned
    const signedAtMs = yield* Clock.currentTimeMillis
    return { hash, raw, maxFeePerGas, maxPriorityFeePerGas, signedAtMs } satisfies Attempt
  })
})
