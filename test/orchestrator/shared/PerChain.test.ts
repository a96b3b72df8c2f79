import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PerChain from "../../../src/orchestrator/shared/PerChain.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const client = (id: number, isAnswering: boolean): ChainClient => ({
  ...FakeChain.client({ isAnswering: Effect.succeed(isAnswering) }),
  chain: { ...FakeChain.chain, id }
})

describe("reads of several chains", () => {
  it.effect("do not ask a chain that is known not to answer, and name it at once", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const { answers, unavailableChains } = yield* PerChain.askAnswering(
        [client(1, true), client(2, false), client(3, true)],
        ({ chain }) =>
          Effect.suspend(() => {
            asked.push(chain.id)
            return chain.id === 3 ? Effect.fail(new Error("down")) : Effect.succeed(chain.id)
          })
      )
      assert.deepStrictEqual(asked, [1, 3])
      assert.deepStrictEqual(answers, [1])
      assert.deepStrictEqual(unavailableChains, [2, 3])
    })
  )
})
