/** Routes of Relay over HTTP, against a stub in the recorded shapes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { NATIVE } from "../../../src/domain/Token.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { address } from "../../support/FakeChain.ts"
import { answerTo, DEPOSITORY, request as asked } from "./relayAnswers.ts"
import { failureOf, http, QUOTE, request, scene } from "./relayScene.ts"

describe("a route of Relay", () => {
  it.effect("is the deposit of the answer, and reads back as the request", () =>
    Effect.gen(function* () {
      const { bridge, relay, stub } = yield* scene({ apiKey: Redacted.make("k3y") })
      const route = yield* Effect.flatMap(bridge.prepare(request), (routeOf) => routeOf(request.amountIn))
      assert.strictEqual(route.target, DEPOSITORY)
      assert.strictEqual(route.minAmountOut, 993_010n)
      assert.strictEqual(route.amountOut, 998_000n)
      assert.strictEqual(route.estimatedSeconds, 3)
      assert.isTrue(relay.reads(route.calldata))
      const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
      assert.include(deposit, {
        tokenIn: request.tokenIn,
        amountIn: request.amountIn,
        tokenOut: request.tokenOut,
        minAmountOut: 993_010n,
        destChainId: 31338n,
        depositor: request.depositor,
        recipient: request.recipient
      })
      const [seen] = yield* stub.seen
      assert.strictEqual(`${seen?.method} ${seen?.path}`, "POST /quote/v2")
      assert.strictEqual(seen?.headers.get("x-api-key"), "k3y")
      assert.include(JSON.parse(seen?.body ?? "{}"), { refundTo: request.depositor, amount: "1000000" })
    }).pipe(Effect.provide(http))
  )

  it.effect("is not asked for where the operator or the guard lists no depository", () =>
    Effect.gen(function* () {
      const { ends, stub, ...rest } = yield* scene()
      ends.listed.clear()
      assert.match(yield* failureOf(rest), /^NoRoute: relay: no depository is listed on source/)
      ends.listed.add(DEPOSITORY)
      assert.match(yield* failureOf(rest), /^NoRoute/)
      assert.strictEqual(ends.reads, 1)
      yield* TestClock.adjust("1 minute")
      yield* rest.bridge.route(request)
      assert.lengthOf(yield* stub.seen, 1)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route for what could not be proved or is not served", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      assert.match(yield* failureOf(rest, { ...request, tokenOut: NATIVE }), /^NoRoute: .*cannot be proved/)
      assert.match(yield* failureOf(rest, { ...request, amountIn: 0n }), /^NoRoute: .*zero/)
      assert.match(yield* failureOf(rest, { ...request, destChainId: 7 }), /^NoRoute: .*not configured/)
      assert.lengthOf(yield* stub.seen, 0)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route if the service refuses, or its answer is not what was asked for", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer({
        status: 400,
        body: { message: "to 0xsecret", errorCode: "AMOUNT_TOO_LOW", requestId: "0x" }
      })
      assert.strictEqual(yield* failureOf(rest), "NoRoute: relay: AMOUNT_TOO_LOW")
      yield* stub.answer({ status: 400, body: { message: "x", errorCode: "<script>" } })
      assert.strictEqual(yield* failureOf(rest), "NoRoute: relay: the service refuses the request")
      yield* stub.answer({ status: 200, body: answerTo({ ...asked, recipient: address(0xee) }) })
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: the answer has another recipient/)
      yield* stub.answer({ status: 200, body: answerTo(asked, address(0xee)) })
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: .*not listed/)
      yield* stub.answer({ status: 200, body: { ...answerTo(asked), steps: [] } })
      assert.match(yield* failureOf(rest), /^NoRoute: relay: the answer has steps other than one deposit/)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route for a promise that prices contradict, or that has none", () =>
    Effect.gen(function* () {
      const { setPrice, ...rest } = yield* scene()
      yield* rest.bridge.route(request)
      // The deposit is worth 1 USD, and 0.998 tokens are promised.
      setPrice(request.tokenOut, 1_020_000n)
      assert.match(yield* failureOf(rest), /^NoRoute: relay: .*worth more than the deposit/)
      setPrice(request.tokenOut, 700_000n)
      assert.match(yield* failureOf(rest), /^NoRoute: relay: .*far less than the deposit/)
      setPrice(request.tokenOut, undefined)
      assert.match(yield* failureOf(rest), /^NoRoute: relay: .*without a price/)
      setPrice(request.tokenOut, 1_000_000n)
      yield* rest.bridge.route(request)
      setPrice(request.tokenIn, undefined)
      assert.match(yield* failureOf(rest), /^NoRoute: relay: .*without a price/)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route beyond the value that may be under way", () =>
    Effect.gen(function* () {
      const { flights, ...rest } = yield* scene()
      flights.room = 10n ** 18n
      yield* rest.bridge.route(request)
      flights.room = 10n ** 18n - 1n
      assert.match(yield* failureOf(rest), /^NoRoute: relay: .*BRIDGE_MAX_IN_FLIGHT_USD/)
    }).pipe(Effect.provide(http))
  )

  it.effect.each([
    ["a limit of requests", { status: 429, headers: { "retry-after": "7" } }, "HTTP 429, next request in 7 s"],
    ["a failure of the service", { status: 502, body: "bad gateway" }, "HTTP 502"],
    ["a body that is no JSON", { status: 200, body: "<html>" }, "HTTP 200 with a malformed body"],
    ["a body of another shape", { status: 200, body: { steps: [] } }, "HTTP 200 with a malformed body at details"]
  ] as const)("is unavailable after %s", ([, reply, detail]) =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer(reply)
      assert.strictEqual(yield* failureOf(rest), `RoutingUnavailable: ${detail}`)
    }).pipe(Effect.provide(http))
  )

  it.effect("keeps the pause that the service asks for", () =>
    Effect.gen(function* () {
      const { bridge, stub, ...rest } = yield* scene()
      yield* stub.answer({ status: 429, headers: { "retry-after": "7" } })
      yield* failureOf({ bridge, ...rest })
      yield* stub.answer(QUOTE)
      yield* failureOf({ bridge, ...rest })
      assert.lengthOf(yield* stub.seen, 1)
      yield* TestClock.adjust("7 seconds")
      yield* bridge.route(request)
    }).pipe(Effect.provide(http))
  )

  it.effect("counts as silent when a quote waits no longer for it", () =>
    Effect.gen(function* () {
      const { bridge, stub } = yield* scene()
      const { all } = yield* ProviderStates
      yield* stub.answer({ status: 200, silent: true })
      const asking = yield* Effect.forkChild(bridge.route(request))
      while ((yield* stub.seen).length < 1) yield* Effect.yieldNow
      yield* Fiber.interrupt(asking)
      yield* TestClock.adjust("2500 millis")
      const states = yield* all
      assert.deepInclude(
        states.find(({ name }) => name === "relay"),
        { failures: 1, abandoned: 0 }
      )
    }).pipe(Effect.provide(http))
  )

  it.live("is unavailable if the service does not answer in time", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer({ status: 200, silent: true })
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: no answer within 2500 ms/)
    }).pipe(Effect.provide(http))
  )
})
