/** The confirmed block of two endpoints of which one hangs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { confirmedBlock } from "../../../src/builder/payout/PaymentEvidence.ts"
import { network, pass } from "../../adapters/evm/rpc/scriptedNodes.ts"
import { saying } from "./lyingNodes.ts"

describe("the confirmed block for payments", () => {
  it.effect("is found in ten seconds beside an endpoint that hangs, and at once at later looks", () =>
    Effect.gen(function* () {
      const live = saying({ head: 200, seconds: 5_000, isSpent: false })
      const hanging = saying({ head: 100, seconds: 0, isSpent: false })
      yield* network({ live, hanging }).use((client) =>
        Effect.gen(function* () {
          yield* pass("4000 seconds")
          const looking = yield* Effect.forkChild(confirmedBlock(client))
          yield* pass("10 seconds")
          assert.isDefined(looking.pollUnsafe())
          const first = Option.getOrThrow(yield* Fiber.join(looking))
          assert.strictEqual(first.number, 201n - BigInt(client.chain.confirmations))
          yield* pass("120 seconds")
          assert.deepStrictEqual(yield* confirmedBlock(client), Option.some(first))
        })
      )
    })
  )
})
