/** Reservations of submissions with unlisted tokens, before they are accepted. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as EvmSweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Stored from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { classOf } from "../../../src/domain/Exposure.ts"
import { NONE } from "../../../src/domain/RollupFee.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Reserving from "../../../src/orchestrator/intake/Reserving.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { address, chain, client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"

const DATA_FEE = 10n ** 15n

const contracts = Layer.effect(
  SweepContracts,
  Effect.map(SweepContracts, (real) => ({ ...real, rollupFee: () => Effect.succeed({ ...NONE, data: DATA_FEE }) }))
).pipe(Layer.provide(EvmSweepContracts.layer))

const layer = Layer.mergeAll(StandingAlerts.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      SecureRandom.layerWebCrypto,
      Alerts.layer,
      Chains.layer([chain]),
      Stored.layer,
      contracts,
      OrchestratorSettings.layer(orchestratorDefaults)
    )
  )
)

it.effect.each([
  { dataFee: undefined, more: 0n },
  { dataFee: "op-stack" as const, more: DATA_FEE }
])("a submission reserves $more wei for its data, besides its gas", ({ dataFee, more }) =>
  Effect.gen(function* () {
    const { reserve } = yield* Reserving.make
    const fees = { baseFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas: 3n }
    const node = client({ feesPerGas: Effect.succeed(fees) })
    const { order } = newIntent({ id: "a", chainId: chain.id })
    const rollup = { ...node, chain: { ...node.chain, ...(dataFee === undefined ? {} : { dataFee }) } }
    assert.isUndefined(yield* reserve(rollup, { id: "a", order, gas: 100n }, "submission"))
    const all = classOf("unlisted", "all", chain.id)
    assert.strictEqual((yield* (yield* Exposures).sums([all])).get(all)?.open, 2n * 300n + more)
  }).pipe(Effect.provide(layer))
)

it.effect("a submission of listed tokens reserves only if its quote met code of strangers", () =>
  Effect.gen(function* () {
    const { reserve } = yield* Reserving.make
    const node = client({
      feesPerGas: Effect.succeed({ baseFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas: 3n })
    })
    const order = {
      ...newIntent({ id: "a", chainId: chain.id }).order,
      tokenIn: address(0xb1),
      tokenOut: NATIVE,
      destination: address(0xdd)
    }
    const ofAccount = classOf("unlisted", "token_out", chain.id, order.destination)
    const keys = [classOf("listed", "all", chain.id), classOf("unlisted", "all", chain.id), ofAccount]
    const open = Effect.flatMap(Exposures, ({ sums }) =>
      Effect.map(sums(keys), (known) => keys.map((key) => known.get(key)?.open))
    )
    assert.isUndefined(yield* reserve(node, { id: "a", order, gas: 100n }, "submission"))
    assert.deepStrictEqual(yield* open, [undefined, undefined, undefined])
    assert.isUndefined(yield* reserve(node, { id: "b", order, gas: 100n, runsOthersCode: true }, "submission"))
    assert.deepStrictEqual(yield* open, [undefined, 600n, 600n])
  }).pipe(Effect.provide(layer))
)
