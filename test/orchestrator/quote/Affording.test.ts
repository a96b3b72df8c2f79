/** Quotes of sweeps that a budget of exposure has no room for. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Affording from "../../../src/orchestrator/quote/Affording.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { chain, client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"

const layer = StandingAlerts.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Alerts.layer,
      Chains.layer([chain]),
      Exposures.layer,
      OrchestratorSettings.layer(orchestratorDefaults)
    )
  )
)

it.effect("a rollup's charge for data is part of the worst case of a quote", () =>
  Effect.gen(function* () {
    const afford = yield* Affording.make
    const { order } = newIntent({ id: "a", chainId: chain.id })
    const terms = {
      attributed: undefined,
      client: client({}),
      gasFees: { baseFeePerGas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    }
    const simulated = { amountOut: 1n, gas: 1n, limits: { execution: 1n, transaction: 1n }, dataGas: 0n }
    yield* afford(terms, { order, simulated: { ...simulated, dataFee: 10n ** 15n } })
    // More than the budget of all unlisted tokens.
    const refused = yield* Effect.flip(afford(terms, { order, simulated: { ...simulated, dataFee: 10n ** 18n } }))
    assert.strictEqual(refused._tag === "QuoteFailed" ? refused.reason : undefined, "budget_spent")
  }).pipe(Effect.provide(layer))
)
