/** Issues order nonces that are unused both here and on chain. */
import { Array, Effect, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as OrderNonce from "../../domain/OrderNonce.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** Error of the guard for a nonce that is spent. */
const SPENT = "NonceUsed"

/** Makes `issue(client, owner, count)`, which issues `count` nonces of the chain's guard that follow each other. */
export const makeIssue = Effect.map(Intents, (intents) =>
  Effect.fnUntraced(function* ({ chain }: ChainClient, owner: Address.Address, count: number) {
    const first = yield* intents.nextOrderNonce(chain.id, owner, 0n, count)
    return Array.makeBy(count, (index) => OrderNonce.bound(chain.contracts.guard, first + BigInt(index)))
  })
)

/**
 * Makes `withNonce(client, owner, issued, simulate)`, which runs `simulate` with the nonce that was issued, or a later one. A simulation
 * meets the guard as a sweep does, so a nonce is looked up only if the guard refuses it there. The store counts indices, so that a new generation of contracts, with another guard, continues where the last one was.
 */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const intents = yield* Intents

  /** The next nonce of the chain's guard, with an index of at least `atLeast`. */
  const issue = ({ chain }: ChainClient, owner: Address.Address, atLeast: bigint) =>
    Effect.map(intents.nextOrderNonce(chain.id, owner, atLeast), (index) =>
      OrderNonce.bound(chain.contracts.guard, index)
    )

  /** The first nonce from `from` that is unused on chain. An owner may have used nonces there that were never issued here. */
  const unused = Effect.fn("Quoter.unusedNonce")(function* (client: ChainClient, owner: Address.Address, from: bigint) {
    let nonce = from
    while (true) {
      const { mask, word } = OrderNonce.position(nonce)
      const bitmap = yield* contracts.nonceBitmap(client, owner, word, "latest")
      if ((bitmap & mask) === 0n) return nonce
      nonce = yield* issue(client, owner, OrderNonce.indexOf(OrderNonce.firstUnused(nonce, bitmap)))
    }
  })

  return Effect.fnUntraced(function* <A, E extends { readonly _tag: string; readonly revert?: string | undefined }>(
    client: ChainClient,
    owner: Address.Address,
    issued: bigint,
    simulate: (nonce: bigint) => Effect.Effect<A, E>
  ) {
    let nonce = issued
    while (true) {
      const outcome = yield* Effect.result(simulate(nonce))
      if (Result.isSuccess(outcome) || outcome.failure.revert !== SPENT) return yield* Effect.fromResult(outcome)
      const free = yield* unused(client, owner, nonce)
      // The swap's own contracts may have an error of that name, too.
      if (free === nonce) return yield* Effect.fromResult(outcome)
      nonce = free
    }
  })
})
