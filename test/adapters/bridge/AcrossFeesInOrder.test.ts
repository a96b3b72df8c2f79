import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { AcrossFees, type FeeQuote, type FeeRequest, layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as AcrossFeesInOrder from "../../../src/adapters/bridge/AcrossFeesInOrder.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NoRoute, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { address, chain } from "../../support/FakeChain.ts"

const request: FeeRequest = {
  source: chain,
  destination: chain,
  inputToken: address(1),
  outputToken: address(2),
  inputAmount: 1_000_000n,
  decimals: { from: 6, to: 18 },
  recipient: address(3),
  now: 1_800_000_000
}

const quoted = (outputAmount: bigint): FeeQuote => ({
  outputAmount,
  quoteTimestamp: request.now,
  fillDeadline: request.now + 7_200,
  exclusiveRelayer: Address.zero,
  exclusivitySeconds: 0,
  estimatedSeconds: 3
})

const HONEST = 999_000n * 10n ** 12n

type Answer = FeeQuote | "no route" | "down"

/** Two sources and a fixed fee of 5 % behind them, with the number of requests to each source. */
const sources = Effect.gen(function* () {
  const answers = yield* Ref.make<readonly [Answer, Answer]>([quoted(HONEST), quoted(HONEST)])
  const asked = yield* Ref.make<readonly [number, number]>([0, 0])
  const source = (index: 0 | 1) =>
    Layer.succeed(AcrossFees, {
      quote: () =>
        Effect.gen(function* () {
          yield* Ref.update(asked, ([a, b]) => (index === 0 ? ([a + 1, b] as const) : ([a, b + 1] as const)))
          const answer = (yield* Ref.get(answers))[index]
          if (answer === "down") return yield* new RoutingUnavailable({ provider: "across", detail: "HTTP 500" })
          if (answer === "no route") return yield* new NoRoute({ detail: "too low" })
          return answer
        })
    })
  const layer = AcrossFeesInOrder.layer([
    { name: "first", fees: source(0) },
    { name: "second", fees: source(1) },
    { name: "last", fees: layerFixed({ relayFeeBps: 500, fillDeadlineSeconds: 7_200 }) }
  ])
  const context = yield* Layer.build(Layer.provideMerge(layer, Health.layer))
  const quote = Effect.provide(
    Effect.flatMap(AcrossFees, (fees) => fees.quote(request)),
    context
  )
  return {
    amount: Effect.map(quote, ({ outputAmount }) => outputAmount),
    quote,
    states: Effect.provide(
      Effect.flatMap(ProviderStates, ({ all }) =>
        Effect.map(all, (each) => each.map(({ failures, name, state }) => [name, state, failures]))
      ),
      context
    ),
    answer: (first: Answer, second: Answer) => Ref.set(answers, [first, second]),
    asked: Ref.getAndSet(asked, [0, 0])
  }
})

const FIXED = 950_000n * 10n ** 12n

describe("fees of several sources", () => {
  it.effect("are those of the first that answers", () =>
    Effect.gen(function* () {
      const { amount, answer, asked } = yield* sources
      assert.strictEqual(yield* amount, HONEST)
      assert.deepStrictEqual(yield* asked, [1, 0])
      yield* answer("down", quoted(HONEST - 1n))
      assert.strictEqual(yield* amount, HONEST - 1n)
      yield* answer("down", "down")
      assert.strictEqual(yield* amount, FIXED)
    })
  )

  it.effect("are not replaced by a cheaper guess where a source has no route, or is dear", () =>
    Effect.gen(function* () {
      const { amount, answer, asked, quote } = yield* sources
      yield* answer("no route", quoted(HONEST))
      assert.strictEqual((yield* Effect.flip(quote))._tag, "NoRoute")
      yield* answer(quoted(10n), quoted(HONEST))
      assert.strictEqual(yield* amount, 10n)
      assert.deepStrictEqual(yield* asked, [2, 0])
    })
  )

  it.effect("are not taken from a source that names an impossible one", () =>
    Effect.gen(function* () {
      const { amount, answer, states } = yield* sources
      for (const impossible of [0n, 10n ** 18n + 1n]) {
        yield* answer(quoted(impossible), quoted(HONEST))
        assert.strictEqual(yield* amount, HONEST)
      }
      yield* answer(quoted(10n ** 18n), quoted(HONEST))
      assert.strictEqual(yield* amount, 10n ** 18n)
      assert.deepStrictEqual((yield* states)[0], ["first", "closed", 2])
    })
  )

  it.effect("of the fixed source do not fail by amounts below the output's unit, which anyone can ask for", () =>
    Effect.gen(function* () {
      const fixed = layerFixed({ relayFeeBps: 500, fillDeadlineSeconds: 7_200 })
      const layer = AcrossFeesInOrder.layer([{ name: "last", fees: fixed }])
      const context = yield* Layer.build(Layer.provideMerge(layer, Health.layer))
      const { quote } = yield* Effect.provide(AcrossFees, context)
      const dust = { ...request, inputAmount: 1_000n, decimals: { from: 18, to: 6 } }
      for (let round = 0; round < 4; round++) assert.strictEqual((yield* Effect.flip(quote(dust)))._tag, "NoRoute")
      assert.strictEqual((yield* quote(request)).outputAmount, FIXED)
    })
  )

  it.effect("leave a source alone that fails repeatedly, and come back to it", () =>
    Effect.gen(function* () {
      const { amount, answer, asked, states } = yield* sources
      yield* answer("down", quoted(HONEST - 1n))
      for (let round = 0; round < 5; round++) assert.strictEqual(yield* amount, HONEST - 1n)
      assert.deepStrictEqual(yield* asked, [3, 5])
      assert.deepStrictEqual(yield* states, [
        ["first", "open", 3],
        ["second", "closed", 0],
        ["last", "closed", 0]
      ])
      yield* answer(quoted(HONEST), "down")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* amount, HONEST)
      assert.deepStrictEqual((yield* states)[0], ["first", "closed", 3])
    })
  )
})
