/** A client that did not receive the answer to its sweep of many tokens sends it again, also after the quotes have expired. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as ViemSignatures from "../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as MemoryIntents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Screening from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import { SweepIntake } from "../../../src/orchestrator/intake/SweepIntake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Intents, type NewIntent } from "../../../src/ports/orchestrator/Intents.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { freshStores } from "../../support/OrchestratorStores.ts"
import { overrides } from "../../support/Overrides.ts"
import { authorize, chain, EXPIRY, OWNER, owner } from "./intakeScene.ts"

const quoted = (id: string): NewIntent => {
  const intent = newIntent({ id, chainId: chain.id })
  return { ...intent, order: { ...intent.order, owner: OWNER, builder: Address.zero } }
}

const [A, B] = [quoted("a"), quoted("b")]

const leg = ({ order, quote }: NewIntent) => ({ chainId: quote.sourceChainId, order })

const make = <E>(stores: Layer.Layer<Intents, E>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      SweepIntake.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            stores,
            Alerts.layer,
            Exposures.layer,
            overrides,
            Chains.layer([chain]),
            Screening.layer(),
            SweepContracts.layer,
            ViemSignatures.layer,
            SecureRandom.layerWebCrypto,
            OrchestratorSettings.layer(orchestratorDefaults)
          )
        )
      )
    )
    // Low enough that the budget has room for both.
    const fees = { baseFeePerGas: 10n ** 9n, maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
    yield* (yield* Context.get(context, Chains.MemoryChains).get(chain.id)).setFees(fees)
    for (const quote of [A, B]) yield* Context.get(context, Intents).create(quote)
    const authorizations = [yield* authorize()]
    const of = (first: NewIntent, ...others: ReadonlyArray<NewIntent>) =>
      Effect.map(
        Effect.promise(() => owner.sign({ hash: SweepBatch.digest([leg(first), ...others.map(leg)], "Service") })),
        (signature) => ({ quoteIds: [first, ...others].map(({ quote }) => quote.id), signature, authorizations })
      )
    return { intake: Context.get(context, SweepIntake), of }
  })

const reasonOf = <A, E extends { readonly _tag: string }>(submission: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(submission), (error) => ("reason" in error ? error.reason : error._tag))

for (const [adapter, stores] of [
  ["memory", MemoryIntents.layer],
  ["Postgres", freshStores]
] as const) {
  describe(`a sweep of many tokens sent again, on ${adapter}`, () => {
    it.effect("was submitted before and is not called expired, once its quotes have expired", () =>
      Effect.gen(function* () {
        const { intake, of } = yield* make(stores)
        const submission = yield* of(A, B)
        const accepted = yield* intake.submit(submission)
        yield* TestClock.setTime(EXPIRY)
        assert.strictEqual(yield* reasonOf(intake.submit(submission)), "already_submitted")
        assert.deepStrictEqual(yield* intake.accepted(submission), Option.some(accepted))
      })
    )

    it.effect("was submitted before also if another of its quotes has expired or is unknown", () =>
      Effect.gen(function* () {
        const { intake, of } = yield* make(stores)
        yield* intake.submit(yield* of(B))
        yield* TestClock.setTime(EXPIRY)
        const both = yield* of(A, B)
        assert.strictEqual(yield* reasonOf(intake.submit(both)), "already_submitted")
        const strange = { ...both, quoteIds: ["unknown", "b"] }
        assert.strictEqual(yield* reasonOf(intake.submit(strange)), "already_submitted")
        assert.strictEqual(yield* reasonOf(intake.submit(yield* of(A))), "expired_quote")
      })
    )
  })
}
