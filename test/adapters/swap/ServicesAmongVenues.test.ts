import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as Health from "../../../src/adapters/providers/Health.ts"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import * as ZeroX from "../../../src/adapters/swap/ZeroX.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { chain, layer as chainsLayer } from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import { FIRST, names, paying, request as scripted, scene, STRANGER } from "./scriptedVenues.ts"
import { ALLOWANCE_HOLDER, AMOUNT_OUT, zeroXAnswer, zeroXTerms } from "./serviceAnswers.ts"

/** With the tolerance of the service's answers. */
const request = { ...scripted, slippageBps: 100 }

/** The service's contract on the chain of the scripted venues. Failures of listed tokens count each time. */
const served = {
  ...chain,
  stables: [...chain.stables, request.tokenIn, request.tokenOut],
  targets: [{ address: ALLOWANCE_HOLDER, kind: "router" as const, name: ZeroX.NAME }]
}

const layer = Layer.mergeAll(Health.layer, StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: served }))

/** An exchange that pays half of what the service offers, and the service. */
const among = Effect.fnUntraced(function* (reply: Answer, listed: Parameters<typeof scene>[1]) {
  const stub = yield* StubServer
  yield* stub.answer(reply)
  const service = yield* ZeroX.make({ baseUrl: stub.url, apiKey: Redacted.make("k3y") })
  const named: VenueSource = { ...service, routersOn: () => [ALLOWANCE_HOLDER] }
  const venues = yield* scene([paying("uniswap-v3", FIRST, AMOUNT_OUT / 2n, GAS), named], listed)
  return { venues, asked: Effect.map(stub.seen, ({ length }) => length) }
})

/** Gas of both routes. */
const GAS = 210_000n

const LISTED = { listed: [ALLOWANCE_HOLDER] }
const honest = zeroXAnswer(request)

describe("a service among venues", () => {
  it.effect("is chosen when it pays more", () =>
    Effect.gen(function* () {
      const { venues } = yield* among({ status: 200, body: honest }, LISTED)
      const route = yield* venues.route(request)
      assert.deepStrictEqual(names(route), ["0x", "uniswap-v3"])
      assert.deepInclude(route, { target: ALLOWANCE_HOLDER, amountOut: AMOUNT_OUT })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not asked while the guard does not list its router", () =>
    Effect.gen(function* () {
      const { asked, venues } = yield* among({ status: 200, body: honest }, { listed: [] })
      assert.deepStrictEqual(names(yield* venues.route(request)), ["uniswap-v3"])
      assert.deepStrictEqual(venues.events, ["venue.unlisted 0x"])
      yield* venues.route(request)
      assert.strictEqual(venues.events.length, 1)
      assert.strictEqual(yield* asked, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is lost if it stays silent, although no quote waits for it until it fails", () =>
    Effect.gen(function* () {
      const { asked, venues } = yield* among({ status: 200, silent: true }, LISTED)
      const { all } = yield* ProviderStates
      const quotes = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => venues.route(request)),
          { concurrency: 5 }
        )
      )
      while ((yield* asked) < 5) yield* Effect.yieldNow
      yield* TestClock.adjust("600 millis")
      for (const route of yield* Fiber.join(quotes)) assert.deepStrictEqual(names(route), ["uniswap-v3"])
      assert.deepInclude((yield* all)[0], { name: "0x", state: "closed" })
      yield* TestClock.adjust("1900 millis")
      assert.deepInclude((yield* all)[0], { name: "0x", state: "open", failures: 5, abandoned: 0 })
      assert.deepStrictEqual(names(yield* venues.route(request)), ["uniswap-v3"])
      assert.strictEqual(yield* asked, 5)
      assert.deepStrictEqual(venues.events, ["venue.unanswered 0x", "venue.unavailable 0x"])
    }).pipe(Effect.provide(layer))
  )

  const terms = zeroXTerms(request)
  const bad: Readonly<Record<string, Answer>> = {
    "is down": { status: 503 },
    "is limited": { status: 429, headers: { "retry-after": "5" } },
    "answers nonsense": { status: 200, body: "<html>" },
    "pays somebody else": { status: 200, body: zeroXAnswer(request, { ...terms, recipient: STRANGER }) },
    "sells another token": { status: 200, body: zeroXAnswer(request, { ...terms, tokenIn: STRANGER }) },
    "takes more": { status: 200, body: zeroXAnswer(request, { ...terms, amountIn: 2n * request.amountIn }) },
    "holds no minimum": { status: 200, body: zeroXAnswer(request, { ...terms, minAmountOut: 1n }) },
    "calls another contract": {
      status: 200,
      body: { ...honest, transaction: { ...honest.transaction, to: STRANGER } }
    },
    "wants another allowance": { status: 200, body: { ...honest, allowanceTarget: STRANGER } }
  }
  for (const [label, answer] of Object.entries(bad)) {
    it.effect(`${label}, and the exchange is chosen`, () =>
      Effect.gen(function* () {
        const { asked, venues } = yield* among(answer, LISTED)
        assert.deepStrictEqual(names(yield* venues.route(request)), ["uniswap-v3"])
        assert.strictEqual(yield* asked, 1)
      }).pipe(Effect.provide(layer))
    )
  }
})
