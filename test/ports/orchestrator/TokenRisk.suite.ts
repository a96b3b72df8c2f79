/** Contract of every {@link TokenRisk}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { TokenRisk, type TokenProfile } from "../../../src/ports/orchestrator/TokenRisk.ts"

export interface Fixture {
  readonly chainId: ChainId
  /** Holds at least 1,000 of the smallest unit of every token below, and of the native currency. */
  readonly owner: Address.Address
  /** Holds nothing of `sweepable`. */
  readonly pauper: Address.Address
  readonly native: TokenProfile
  readonly sweepable: TokenProfile & { readonly address: Address.Address }
  readonly taxed: Address.Address
  /** No account can move it. */
  readonly stuck: Address.Address
  readonly notAToken: Address.Address
}

export const suite = <R>(
  name: string,
  environment: Layer.Layer<TokenRisk | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`TokenRisk by ${name}`, (it) => {
    it.effect("profiles the native currency and a sound token", () =>
      Effect.gen(function* () {
        const { chainId, native, owner, sweepable } = yield* fixture
        const risk = yield* TokenRisk
        assert.deepStrictEqual(yield* risk.screenInput({ chainId, token: NATIVE, owner, amount: 1_000n }), native)
        const { address, ...profile } = sweepable
        for (const amount of [0n, 1n, 1_000n, 1n]) {
          assert.deepStrictEqual(yield* risk.screenInput({ chainId, token: address, owner, amount }), profile)
        }
      })
    )

    it.effect("declines what the owner does not hold", () =>
      Effect.gen(function* () {
        const { chainId, pauper, sweepable } = yield* fixture
        const risk = yield* TokenRisk
        const error = yield* Effect.flip(
          risk.screenInput({ chainId, token: sweepable.address, owner: pauper, amount: 1n })
        )
        assert.strictEqual(error._tag === "TokenDeclined" && error.reason, "insufficient_balance")
      })
    )

    it.effect("declines taxed tokens, stuck ones, and what is no token", () =>
      Effect.gen(function* () {
        const { chainId, notAToken, owner, stuck, taxed } = yield* fixture
        const risk = yield* TokenRisk
        for (const [token, reason] of [
          [taxed, "transfer_taxed"],
          [stuck, "transfer_fails"],
          [notAToken, "not_a_token"]
        ] as const) {
          const error = yield* Effect.flip(risk.screenInput({ chainId, token, owner, amount: 1_000n }))
          assert.strictEqual(error._tag === "TokenDeclined" && error.reason, reason)
        }
      })
    )
  })
