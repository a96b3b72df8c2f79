/** Issues order nonces that are unused both here and on chain. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as OrderNonce from "../../domain/OrderNonce.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const intents = yield* Intents

  return Effect.fn("Quoter.unusedNonce")(function* (client: ChainClient, owner: Address.Address) {
    let nonce = yield* intents.nextOrderNonce(client.chain.id, owner, 0n)
    // An owner may have used nonces on chain that were never issued here.
    while (true) {
      const { mask, word } = OrderNonce.position(nonce)
      const bitmap = yield* contracts.nonceBitmap(client, owner, word)
      if ((bitmap & mask) === 0n) return nonce
      nonce = yield* intents.nextOrderNonce(client.chain.id, owner, OrderNonce.firstUnused(nonce, bitmap))
    }
  })
})
