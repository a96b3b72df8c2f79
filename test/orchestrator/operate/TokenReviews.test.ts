/** The alert for a listed token whose contract has other decimals. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import * as TokenReviews from "../../../src/orchestrator/operate/TokenReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { CallReverted, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const [COIN, OTHER] = [FakeChain.address(0xc0), FakeChain.address(0xc1)]

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

/** A chain that lists two tokens with 6 decimals. The contract of the second one has them. */
const make = Effect.gen(function* () {
  const { chain } = FakeChain
  const listed = [COIN, OTHER].map((address) => ({ chainId: chain.id, address, symbol: "X", name: "X", decimals: 6 }))
  const state: { answer: Hex | "silent" | "reverted"; reads: number } = { answer: word(18n), reads: 0 }
  const client = {
    ...FakeChain.client({
      call: ({ to }) =>
        Effect.suspend((): Effect.Effect<Hex, CallReverted | ChainUnavailable> => {
          if (to !== COIN) return Effect.succeed(word(6n))
          state.reads += 1
          if (state.answer === "reverted")
            return Effect.fail(new CallReverted({ chainId: chain.id, data: "0x", detail: "reverted" }))
          if (state.answer !== "silent") return Effect.succeed(state.answer)
          return Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "silent" }))
        })
    }),
    chain: { ...chain, tokens: listed }
  }
  const context = yield* Layer.build(
    TokenReviews.layer.pipe(
      Layer.provide(Layer.succeed(Chains, { all: [client], get: () => Effect.die("not asked") })),
      Layer.provideMerge(AlertsInMemory.layer)
    )
  )
  const standing = Effect.gen(function* () {
    yield* TestClock.adjust("61 minutes")
    return (yield* Effect.flatMap(Alerts, ({ list }) => list)).map(({ details, kind }) => [kind, details["token"]])
  }).pipe(Effect.provide(context))
  return { state, standing }
})

describe("the review of listed tokens", () => {
  it.effect("raises an alert while the contract has other decimals than the chains file", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* make
      assert.deepStrictEqual(yield* standing, [["token_decimals", COIN]])
      state.answer = "silent"
      assert.deepStrictEqual(yield* standing, [["token_decimals", COIN]], "a silent node proves nothing")
      state.answer = word(6n)
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("takes a contract without decimals as it is listed", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* make
      for (const answer of ["reverted", "0x"] as const) {
        state.answer = answer
        yield* standing
        assert.deepStrictEqual(yield* standing, [])
      }
    })
  )

  it.effect("asks every hour, and again soon while a node is silent", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* make
      yield* standing
      assert.strictEqual(state.reads, 2)
      state.answer = "silent"
      yield* standing
      state.reads = 0
      yield* standing
      assert.isAtLeast(state.reads, 12)
    })
  )
})
