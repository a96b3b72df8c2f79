/** Contract of every {@link FeeValue}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import { FeeValue, type UnpaidFee } from "../../../src/ports/orchestrator/FeeValue.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"

export interface Fixture {
  readonly client: ChainClient
  /** An amount of a token that is worth something, and its holder. The market takes twice of it as easily. */
  readonly fee: { readonly token: Address.Address; readonly amount: bigint; readonly holder: Address.Address }
  readonly worthless: Address.Address
}

/** A fee with no others beside it. It is charged for a wei by default, which any market covers that pays something. */
export const unpaidBy = (holder: Address.Address, beside = 0n, charged = 1n): UnpaidFee => ({
  holder,
  beside: Effect.succeed(beside),
  charged
})

export const suite = <R>(
  name: string,
  environment: Layer.Layer<FeeValue | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`FeeValue by ${name}`, (it) => {
    it.effect("grows with the amount, by no more than the amount", () =>
      Effect.gen(function* () {
        const { client, fee } = yield* fixture
        const { realisable } = yield* FeeValue
        const [nothing, once, twice] = yield* Effect.all([
          realisable(client, fee.token, 0n, unpaidBy(fee.holder)),
          realisable(client, fee.token, fee.amount, unpaidBy(fee.holder)),
          realisable(client, fee.token, 2n * fee.amount, unpaidBy(fee.holder))
        ])
        assert.strictEqual(nothing, 0n)
        assert.isTrue(once > 0n && twice > once && twice <= 2n * once, `${once} and ${twice} wei`)
      })
    )

    it.effect("is 0 for a token that cannot be sold", () =>
      Effect.gen(function* () {
        const { client, fee, worthless } = yield* fixture
        assert.strictEqual(yield* (yield* FeeValue).realisable(client, worthless, fee.amount, unpaidBy(fee.holder)), 0n)
      })
    )
  })
