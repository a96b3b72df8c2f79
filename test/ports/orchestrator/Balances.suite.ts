/** Contract of every source of balances. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import { Balances, type TokenBalance } from "../../../src/ports/orchestrator/Balances.ts"

export interface Fixture {
  readonly owner: Address.Address
  readonly chainId: ChainId
  /** In the order of the contract: the native currency first, then by token list. */
  readonly held: ReadonlyArray<TokenBalance>
  readonly pauper: Address.Address
}

export const suite = <R>(
  name: string,
  environment: Layer.Layer<Balances | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`Balances by ${name}`, (it) => {
    it.effect("lists everything that an owner holds on a chain, exactly and in order", () =>
      Effect.gen(function* () {
        const { chainId, held, owner } = yield* fixture
        assert.deepStrictEqual(yield* (yield* Balances).on(chainId, owner), held)
      })
    )

    it.effect("lists nothing for one who holds nothing", () =>
      Effect.gen(function* () {
        const { chainId, pauper } = yield* fixture
        assert.deepStrictEqual(yield* (yield* Balances).on(chainId, pauper), [])
      })
    )
  })
