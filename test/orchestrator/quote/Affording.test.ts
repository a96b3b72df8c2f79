/** Quotes of sweeps that a budget of exposure has no room for. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Exposures from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import * as Affording from "../../../src/orchestrator/quote/Affording.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Exposures as ExposuresPort } from "../../../src/ports/orchestrator/Exposures.ts"
import { chain, client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { request } from "../../support/Quoting.ts"

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

const simulated = { amountOut: 1n, gas: 1n, limits: { execution: 1n, transaction: 1n }, dataGas: 0n }

const termsOf = ({ amountIn, destination, owner, tokenIn, tokenOut }: SweepOrder) => ({
  attributed: undefined,
  client: client({}),
  gasFees: { baseFeePerGas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  request: { ...request, owner, destination, tokenIn, tokenOut, amountIn, destChainId: chain.id }
})

it.effect("a rollup's charge for data is part of the worst case of a quote", () =>
  Effect.gen(function* () {
    const begin = yield* Affording.make
    const { order } = newIntent({ id: "a", chainId: chain.id })
    const afford = yield* begin(termsOf(order))
    yield* afford({ order, simulated: { ...simulated, dataFee: 10n ** 15n } })
    // More than the budget of all unlisted tokens.
    const refused = yield* Effect.flip(afford({ order, simulated: { ...simulated, dataFee: 10n ** 18n } }))
    assert.strictEqual(refused._tag === "QuoteFailed" ? refused.reason : undefined, "budget_spent")
  }).pipe(Effect.provide(layer))
)

it.effect("budgets are read beside the pricing, and afterwards only those of the pools of the call", () =>
  Effect.gen(function* () {
    const read: Array<ReadonlyArray<string>> = []
    const { order } = newIntent({ id: "a", chainId: chain.id })
    const begin = yield* Affording.make.pipe(
      Effect.updateService(ExposuresPort, (exposures) => ({
        ...exposures,
        sums: (keys) => Effect.suspend(() => (read.push(keys), exposures.sums(keys)))
      }))
    )
    const afford = yield* begin(termsOf(order))
    yield* Effect.yieldNow
    assert.strictEqual(read.length, 1)
    yield* afford({ order, simulated: { ...simulated, dataFee: 0n } })
    assert.strictEqual(read.length, 1)
    const pool = [order.tokenIn, order.tokenOut].map((token) => token.slice(2).padStart(64, "0"))
    const swapCalldata = `0x04e45aaf${pool.join("")}${"bb8".padStart(64, "0")}` as const
    yield* afford({ order: { ...order, swapCalldata }, simulated: { ...simulated, dataFee: 0n } })
    assert.deepStrictEqual(
      read.slice(1).map((keys) => keys.map((key) => key.includes("pool"))),
      [[true]]
    )
  }).pipe(Effect.provide(layer))
)
