/** A client that did not receive the first answer submits again. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { privateKeyToAccount } from "viem/accounts"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as ViemSignatures from "../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as MemoryIntents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Screening from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import { digest } from "../../../src/domain/SweepOrder.ts"
import { Intake } from "../../../src/orchestrator/intake/Intake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { chain as template } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { freshStores } from "../../support/OrchestratorStores.ts"
import { overrides } from "../../support/Overrides.ts"

const chain = { ...template, id: 1, name: "source" }
const owner = privateKeyToAccount(`0x${"07".repeat(32)}`)
const ID = "quote"

const make = <E>(stores: Layer.Layer<Intents, E>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Intake.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            stores,
            SecureRandom.layerWebCrypto,
            Alerts.layer,
            Exposures.layer,
            overrides,
            Chains.layer([chain]),
            Screening.layer(),
            SweepContracts.layer,
            ViemSignatures.layer,
            OrchestratorSettings.layer(orchestratorDefaults)
          )
        )
      )
    )
    const drafted = newIntent({ id: ID, chainId: chain.id })
    const order = { ...drafted.order, owner: Address.of(owner.address), builder: Address.zero }
    const orderDigest = digest(order, { name: "Service", chainId: chain.id })
    yield* Context.get(context, Intents).create({ ...drafted, order, orderDigest })
    const signed = yield* Effect.promise(async () => {
      const authorization = { address: chain.contracts.delegate, chainId: chain.id, nonce: 3 }
      const { r, s, yParity } = await owner.signAuthorization(authorization)
      return {
        signature: await owner.sign({ hash: orderDigest }),
        authorization: { ...authorization, nonce: 3n, r, s, yParity: yParity === 1 ? (1 as const) : (0 as const) }
      }
    })
    return { intake: Context.get(context, Intake), submission: { quoteId: ID, ...signed } }
  })

for (const [adapter, stores] of [
  ["memory", MemoryIntents.layer],
  ["Postgres", freshStores]
] as const) {
  describe(`a submission sent again, on ${adapter}`, () => {
    it.effect("is known by its signatures once it was taken, and unknown before", () =>
      Effect.gen(function* () {
        const { intake, submission } = yield* make(stores)
        assert.deepStrictEqual(yield* intake.accepted(submission), Option.none())
        yield* intake.submit(submission)
        const accepted = Option.some({ id: ID, status: "submitted" as const })
        assert.deepStrictEqual(yield* intake.accepted(submission), accepted)
        assert.strictEqual((yield* Effect.flip(intake.submit(submission)))._tag, "SubmissionRefused")
      })
    )

    it.effect("is known with its digits in upper case, in which clients may send them", () =>
      Effect.gen(function* () {
        const { intake, submission } = yield* make(stores)
        const shouted: typeof submission = {
          ...submission,
          signature: `0x${submission.signature.slice(2).toUpperCase()}`
        }
        yield* intake.submit(shouted)
        const accepted = Option.some({ id: ID, status: "submitted" as const })
        for (const each of [shouted, submission]) assert.deepStrictEqual(yield* intake.accepted(each), accepted)
      })
    )

    it.effect("is not taken for another one of the same quote", () =>
      Effect.gen(function* () {
        const { intake, submission } = yield* make(stores)
        yield* intake.submit(submission)
        const authorization = { ...submission.authorization, nonce: 4n }
        for (const other of [
          { ...submission, authorization },
          { ...submission, signature: `0x${"12".repeat(65)}` as const },
          { ...submission, quoteId: "unknown" }
        ]) {
          assert.deepStrictEqual(yield* intake.accepted(other), Option.none())
        }
      })
    )
  })
}
