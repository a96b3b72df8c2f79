/** Worth of a fee while exchanges do not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PromisedFees from "../../../src/adapters/memory/orchestrator/PromisedFees.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as FeeWorth from "../../../src/orchestrator/quote/FeeWorth.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { FeeUncertain, FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { client } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"
import { owner, UNLISTED } from "./unlistedScene.ts"

describe("the fee in an unlisted token that some exchanges say nothing about", () => {
  const silence = new ChainUnavailable({ chainId: Quoting.source.id, method: "eth_call", detail: "away" })
  const order = { owner: owner(1), tokenIn: UNLISTED, feeAmount: 9n, nonce: 1n, deadline: 1n }
  const origin = { isOfSale: false }

  /** Values fees that sell for 5 wei for certain, beside what others are to pay. */
  const worths = FeeWorth.make.pipe(
    Effect.provideService(FeeValue, {
      realisable: (_client, _token, _amount, unpaid) =>
        Effect.andThen(
          unpaid?.beside ?? Effect.void,
          unpaid?.charged === 5n ? Effect.succeed(5n) : new FeeUncertain({ atLeast: 5n, silence })
        )
    }),
    Effect.provide(Layer.mergeAll(PromisedFees.layer, OrchestratorSettings.layer(orchestratorDefaults)))
  )

  it.effect("is worth what is known, and promised as a whole", () =>
    Effect.gen(function* () {
      const { valueOf } = yield* worths
      const valued = (charged: bigint) => valueOf(client({}), order, charged, origin)
      assert.deepStrictEqual(yield* valued(5n), { value: 5n, needed: 9n })
      assert.deepStrictEqual(yield* valued(6n), { value: 5n, needed: 9n, silence })
    })
  )

  it.effect("is offered if what is known covers the gas, and is not known otherwise", () =>
    Effect.gen(function* () {
      const { requireCover, valueOf } = yield* worths
      // A margin is charged beside the cost of the gas.
      const worth = yield* valueOf(client({}), order, 6n, origin)
      const required = (cost: bigint) => requireCover(client({}), order, worth, cost, origin)
      yield* required(5n)
      assert.strictEqual(yield* Effect.flip(required(6n)), silence)
    })
  )
})
