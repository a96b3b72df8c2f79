/** Rehearsals of orders that pay native currency to accounts with and without code. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { executionLimit } from "../../../src/domain/RelayGas.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Rehearsal from "../../../src/orchestrator/quote/Rehearsal.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { SweepSimulation } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { address, chain, client } from "../../support/FakeChain.ts"
import { offer } from "../../support/RelayFixtures.ts"

const PLAIN_GAS = 200_000n

const CONTRACT: Hex = "0x6000"

type Options = Parameters<SweepSimulation["Service"]["run"]>[2]

/** Rehearses an order to a destination with this code, which uses so much gas if it is not left out. */
const rehearsed = Effect.fnUntraced(function* (
  code: Hex,
  { changes = {}, gas = PLAIN_GAS }: { readonly changes?: Partial<SweepOrder>; readonly gas?: bigint } = {}
) {
  const order = { ...offer({ id: "a" }).order, tokenOut: NATIVE, destChainId: BigInt(chain.id), ...changes }
  const runs: Array<Options> = []
  let reads = 0
  const simulation = SweepSimulation.of({
    run: (_chainId, _order, options) =>
      Effect.sync(() => {
        runs.push(options)
        const used = options?.isPlain === true ? PLAIN_GAS : gas
        const limits = { execution: executionLimit(used), transaction: executionLimit(used) }
        return { amountOut: 900n, gas: used, limits, dataGas: 0n, dataFee: 0n }
      })
  })
  const layer = Layer.merge(
    Layer.succeed(SweepSimulation, simulation),
    OrchestratorSettings.layer(orchestratorDefaults)
  )
  const rehearse = yield* Effect.provide(Rehearsal.make, layer)
  const reading = client({ code: () => Effect.sync(() => (reads++, code)) })
  const outcome = yield* Effect.result(rehearse(reading, order, 3))
  return { outcome, reads, runs, simulated: Result.isSuccess(outcome) ? outcome.success : undefined }
})

describe("an order that pays native currency to another account", () => {
  for (const [what, code] of [
    ["without code", "0x"],
    ["that runs the chain's delegate", designator(chain.contracts.delegate)]
  ] as const) {
    it.effect(`${what} is rehearsed once, with the limits of an account without code`, () =>
      Effect.gen(function* () {
        // Code that is there only while the rehearsal runs.
        const { reads, runs, simulated } = yield* rehearsed(code, { gas: 3_000_000n })
        assert.deepStrictEqual(runs, [{ passing: 3, block: "next", isPlain: true }])
        assert.strictEqual(reads, 1)
        assert.strictEqual(simulated?.limits.execution, executionLimit(PLAIN_GAS))
        assert.isUndefined(simulated?.runsOthersCode)
      })
    )
  }

  it.effect("with code of a stranger is rehearsed with it in another block, and marked", () =>
    Effect.gen(function* () {
      for (const code of [CONTRACT, designator(address(0x99))]) {
        const { runs, simulated } = yield* rehearsed(code, { gas: 300_000n })
        assert.deepStrictEqual(runs.at(-1), { passing: 3, block: "other" })
        assert.strictEqual(simulated?.limits.execution, executionLimit(300_000n))
        assert.isTrue(simulated?.runsOthersCode)
      }
    })
  )

  it.effect("with code that uses more than an unlisted sweep may gets no quote", () =>
    Effect.gen(function* () {
      const { outcome } = yield* rehearsed(CONTRACT, { gas: 900_000n })
      const failure = Result.isFailure(outcome) ? outcome.failure : undefined
      assert.strictEqual(failure?._tag === "QuoteFailed" ? failure.reason : undefined, "simulation_failed")
    })
  )
})

describe("any other order", () => {
  const others: Readonly<Record<string, Partial<SweepOrder>>> = {
    "into a token": { tokenOut: address(0xd1) },
    "to its owner": { destination: offer({ id: "a" }).order.owner },
    "to another chain": { destChainId: 2n }
  }

  it.effect.each(Object.entries(others))("%s is rehearsed as it is, and no code is read", ([, changes]) =>
    Effect.gen(function* () {
      const { reads, runs, simulated } = yield* rehearsed(CONTRACT, { changes })
      assert.deepStrictEqual(runs, [{ passing: 3, block: "next" }])
      assert.strictEqual(reads, 0)
      assert.isUndefined(simulated?.runsOthersCode)
    })
  )
})
