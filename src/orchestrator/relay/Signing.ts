/** Signs versions of relay transactions. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Attempt } from "../../ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"

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
