/** Tests that hold for every service that offers routes over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Result, Schema, type Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as RouteClaim from "../../../src/adapters/swap/RouteClaim.ts"
import type { Claimed } from "../../../src/adapters/swap/HttpVenue.ts"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { SwapRequest } from "../../../src/ports/orchestrator/SwapVenue.ts"
import type { Chains } from "../../../src/ports/shared/Chains.ts"
import { address, chain, layer as chainsLayer } from "../../support/FakeChain.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"
import { AMOUNT_OUT, request } from "./serviceAnswers.ts"

type Made = Effect.Effect<VenueSource, never, HttpClient.HttpClient | Chains | Scope.Scope>

export const base = { ...chain, id: 8453, name: "base" }

const layer = (venueChain: typeof base) =>
  Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: venueChain }))

/** The service behind the stub, and one route of it. */
const serving = Effect.fnUntraced(function* (make: (baseUrl: string) => Made, reply: (seen: Seen) => Answer) {
  const stub = yield* StubServer
  yield* stub.answer(reply)
  const source = yield* make(stub.url)
  const route = (asked: SwapRequest) => Effect.flatMap(source.prepare(asked), (routeOf) => routeOf(asked))
  return { ...stub, source, route }
})

export interface Suite {
  readonly name: string
  readonly make: (baseUrl: string) => Made
  /** Answers honestly. */
  readonly honest: (asked: SwapRequest) => (seen: Seen) => Answer
  /** The router that the service is known by on Base. */
  readonly router: Address.Address
  /** Answers that say that there is no route, and answers that do not suit the request. */
  readonly refusals: ReadonlyArray<Answer | ((seen: Seen) => Answer)>
  /** Answers with another recipient. */
  readonly lies: (seen: Seen) => Answer
  /** Requests of a route. */
  readonly requests: number
}

type Needs = StubServer | HttpClient.HttpClient | Chains | Scope.Scope

const test = <A, E>(label: string, body: Effect.Effect<A, E, Needs>, on = base) =>
  it.effect(label, () => body.pipe(Effect.provide(layer(on))))

const failure = Effect.fnUntraced(function* (make: Suite["make"], reply: (seen: Seen) => Answer) {
  const { route } = yield* serving(make, reply)
  return (yield* Effect.flip(route(request))).message
})

const answersWell = ({ honest, lies, make, name, refusals, requests, router }: Suite) => {
  test(
    "offers a route",
    Effect.gen(function* () {
      const { route, seen } = yield* serving(make, honest(request))
      const offered = yield* route(request)
      assert.deepInclude(offered, { provider: name, target: router, amountOut: AMOUNT_OUT, minAmountOut: 1_980_000n })
      assert.strictEqual((yield* seen).length, requests)
    })
  )

  test(
    "offers a route to native currency",
    Effect.gen(function* () {
      const asked = { ...request, tokenOut: NATIVE }
      const { route } = yield* serving(make, honest(asked))
      assert.strictEqual((yield* route(asked)).amountOut, AMOUNT_OUT)
    })
  )

  for (const [index, refusal] of refusals.entries()) {
    test(
      `has no route by refusal ${index}, however often`,
      Effect.gen(function* () {
        const { answer, route } = yield* serving(make, typeof refusal === "function" ? refusal : () => refusal)
        for (const _ of Array.from({ length: 8 })) {
          assert.strictEqual((yield* Effect.flip(route(request)))._tag, "NoRoute")
          yield* TestClock.adjust("10 minutes")
        }
        // Nobody's odd request keeps others from the service.
        yield* answer(honest(request))
        assert.strictEqual((yield* route(request)).provider, name)
      })
    )
  }

  test(
    "is left out after lies, which are logged",
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(...[message].flat()))
      const { answer, route } = yield* serving(make, lies)
      for (const _ of Array.from({ length: 5 })) {
        const refused = yield* Effect.flip(route(request)).pipe(Effect.provide(Logger.layer([logger])))
        assert.strictEqual(refused._tag, "RoutingUnavailable")
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(logged.filter((event) => event === "provider.dishonest").length, 5)
      yield* answer(honest(request))
      assert.include((yield* Effect.flip(route(request))).message, "failed repeatedly")
    })
  )
}

const answersBadly = ({ honest, make, name }: Suite) => {
  test(
    "keeps a pause",
    Effect.gen(function* () {
      const { answer, route, seen } = yield* serving(make, () => ({ status: 429, headers: { "retry-after": "9" } }))
      const refused = yield* Effect.flip(route(request))
      assert.strictEqual(refused.message, `${name} is unavailable: HTTP 429, next request in 9 s`)
      yield* answer(honest(request))
      assert.include((yield* Effect.flip(route(request))).message, "asked for a pause")
      assert.strictEqual((yield* seen).length, 1)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* route(request)).provider, name)
    })
  )

  test(
    "fails by a broken answer, and says nothing of its content",
    Effect.gen(function* () {
      const says = (answer: Answer) => failure(make, () => answer)
      assert.strictEqual(yield* says({ status: 503, body: "k3y" }), `${name} is unavailable: HTTP 503`)
      assert.include(yield* says({ status: 200, body: "<html>k3y" }), "HTTP 200 with a malformed body")
      assert.notInclude(yield* says({ status: 200, body: { k3y: "k3y" } }), "k3y")
      assert.include(yield* says({ status: 401, body: "k3y" }), "check the API key")
      assert.include(yield* says({ status: 418, body: {} }), "HTTP 418")
    })
  )

  it.live("fails at the deadline", () =>
    failure(make, () => ({ status: 200, silent: true })).pipe(
      Effect.map((message) => assert.strictEqual(message, `${name} is unavailable: no answer within 200 ms`)),
      Effect.provide(layer(base))
    )
  )
}

const asksLittle = ({ honest, make, name, requests, router }: Suite) => {
  test(
    "asks for six routes of a quote at most, and once for an amount",
    Effect.gen(function* () {
      const asked = { current: request }
      const { seen, source } = yield* serving(make, (incoming) => honest(asked.current)(incoming))
      const routeOf = yield* source.prepare(request)
      assert.strictEqual((yield* seen).length, 0)
      yield* routeOf(request)
      yield* routeOf(request)
      assert.strictEqual((yield* seen).length, requests)
      for (const amountIn of [900_000n, 800_000n, 700_000n, 600_000n, 500_000n]) {
        asked.current = { ...request, amountIn }
        // Services limit the requests of a second.
        yield* TestClock.adjust("1 second")
        yield* routeOf(asked.current)
      }
      assert.strictEqual((yield* Effect.flip(routeOf({ ...request, amountIn: 400_000n })))._tag, "NoRoute")
      assert.strictEqual((yield* seen).length, 6 * requests)
    })
  )

  test(
    "asks nothing for an amount of zero, nor to unwrap",
    Effect.gen(function* () {
      const { route, seen } = yield* serving(make, honest(request))
      for (const change of [{ amountIn: 0n }, { tokenIn: base.wrappedNative, tokenOut: NATIVE }]) {
        assert.strictEqual((yield* Effect.flip(route({ ...request, ...change })))._tag, "NoRoute")
      }
      assert.strictEqual((yield* seen).length, 0)
    })
  )

  test(
    "uses the routers of the chains file in place of the known one",
    Effect.gen(function* () {
      const { route, source } = yield* serving(make, honest(request))
      const other = { address: address(0x77), kind: "router" as const, name }
      assert.deepStrictEqual(source.routersOn({ ...base, targets: [other] }), [other.address])
      assert.deepStrictEqual(source.routersOn({ ...base, targets: [{ ...other, name: "x" }] }), [router])
      assert.deepStrictEqual(source.routersOn({ ...base, id: 31_337 }), [])
      assert.strictEqual((yield* Effect.flip(route(request)))._tag, "RoutingUnavailable")
    }),
    { ...base, targets: [{ address: address(0x77), kind: "router", name }] }
  )
}

/** Adds the tests that are the same for each service. */
export const behavesAsService = (suite: Suite) =>
  describe(`${suite.name} as a service`, () => {
    answersWell(suite)
    answersBadly(suite)
    asksLittle(suite)
  })

/** An address that is none of those in a request or an answer. */
const wrongAddress = (seed: number): Address.Address =>
  Address.of(`0x${(0xdead_0000_0000n + BigInt(seed)).toString(16).padStart(40, "0")}`)

/** Wrong values. */
export interface Wrong {
  readonly address: Address.Address
  /** Positive. */
  readonly amount: bigint
}

/**
 * Adds the property that an answer with one wrong field never becomes a route. Each change makes one field wrong.
 */
export const refusesChanges = (
  name: string,
  router: Address.Address,
  honest: () => Claimed,
  changes: Readonly<Record<string, (wrong: Wrong) => Claimed>>
) => {
  const accepted = (claimed: Claimed) =>
    Result.flatMap(claimed, (claim) => RouteClaim.route(name, request, [router], claim))

  describe(`${name} with a wrong field`, () => {
    it("accepts the honest answer", () => {
      assert.deepInclude(Result.getOrThrow(accepted(honest())), { target: router, minAmountOut: 1_980_000n })
    })

    for (const [field, change] of Object.entries(changes)) {
      it.prop(`refuses ${field}`, [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 40 }))], ([seed]) => {
        const outcome = accepted(change({ address: wrongAddress(seed), amount: BigInt(seed) }))
        assert.isTrue(Result.isFailure(outcome), field)
      })
    }
  })
}
