import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Ref } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { AcrossFees, type FeeRequest } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as AcrossFeesHttp from "../../../src/adapters/bridge/AcrossFeesHttp.ts"
import * as Address from "../../../src/domain/Address.ts"
import { address, chain } from "../../support/FakeChain.ts"

const NOW = 1_800_000_000

const request: FeeRequest = {
  source: { ...chain, id: 8453, name: "base", spokePool: address(0x51) },
  destination: { ...chain, id: 10, name: "optimism", spokePool: address(0x52) },
  inputToken: address(1),
  outputToken: address(2),
  inputAmount: 1_000_000n,
  decimals: { from: 6, to: 6 },
  recipient: address(3),
  now: NOW
}

/** An answer of the API, with more fields than are read. */
const honest = {
  estimatedFillTimeSec: 3.5,
  timestamp: String(NOW - 10),
  fillDeadline: String(NOW + 7_200),
  isAmountTooLow: false,
  exclusiveRelayer: Address.zero,
  exclusivityDeadline: 0,
  spokePoolAddress: address(0x51).toLowerCase(),
  destinationSpokePoolAddress: address(0x52),
  totalRelayFee: { pct: "1000000000000000", total: "1000" },
  limits: { minDeposit: "1", maxDeposit: "5000000", maxDepositInstant: "4000000" },
  outputAmount: "999000"
}

/** A server on the loopback interface that gives this answer to every request, and the fee service that calls it. */
const serving = (answer: (request: Request) => Response | Promise<Response>, options: object = {}) =>
  Effect.gen(function* () {
    const seen = yield* Ref.make<ReadonlyArray<{ readonly url: string; readonly authorization: string | null }>>([])
    const run = Effect.runSyncWith(yield* Effect.context())
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          fetch: (incoming) => {
            const asked = { url: incoming.url, authorization: incoming.headers.get("authorization") }
            run(Ref.update(seen, (all) => [...all, asked]))
            return answer(incoming)
          }
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    const fees = yield* AcrossFees.pipe(
      Effect.provide(
        AcrossFeesHttp.layer({ apiUrl: `http://127.0.0.1:${server.port}/api`, ...options }).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
      )
    )
    return { fees, seen: Ref.get(seen) }
  })

const refusal = (body: unknown, init?: ResponseInit) =>
  Effect.gen(function* () {
    const { fees } = yield* serving(() => Response.json(body, init))
    const error = yield* Effect.flip(fees.quote(request))
    return `${error._tag}: ${error.detail}`
  })

describe("AcrossFeesHttp", () => {
  it.effect("asks for the transfer and passes on the offer", () =>
    Effect.gen(function* () {
      const { fees, seen } = yield* serving(() => Response.json(honest), { apiKey: Redacted.make("k3y") })
      assert.deepStrictEqual(yield* fees.quote(request), {
        outputAmount: 999_000n,
        quoteTimestamp: NOW - 10,
        fillDeadline: NOW + 7_200,
        exclusiveRelayer: Address.zero,
        exclusivitySeconds: 0,
        estimatedSeconds: 4
      })
      const [asked] = yield* seen
      const url = new URL(asked?.url ?? "")
      assert.strictEqual(url.pathname, "/api/suggested-fees")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        inputToken: request.inputToken,
        outputToken: request.outputToken,
        originChainId: "8453",
        destinationChainId: "10",
        amount: "1000000",
        recipient: request.recipient
      })
      assert.strictEqual(asked?.authorization, "Bearer k3y")
    })
  )

  it.effect("reads exclusivity as seconds, and as a point in time", () =>
    Effect.gen(function* () {
      const exclusiveRelayer = address(0x77)
      for (const exclusivityDeadline of [12, NOW - 10 + 12]) {
        const { fees } = yield* serving(() => Response.json({ ...honest, exclusiveRelayer, exclusivityDeadline }))
        const quote = yield* fees.quote(request)
        assert.strictEqual(quote.exclusiveRelayer, exclusiveRelayer)
        assert.strictEqual(quote.exclusivitySeconds, 12)
      }
      const { fees } = yield* serving(() => Response.json({ ...honest, exclusivityDeadline: 12 }))
      assert.strictEqual((yield* fees.quote(request)).exclusivitySeconds, 0)
    })
  )

  it.effect("has no route where Across has none", () =>
    Effect.gen(function* () {
      assert.match(yield* refusal({ ...honest, isAmountTooLow: true }), /^NoRoute: .*too low/)
      assert.match(yield* refusal({ ...honest, limits: { maxDeposit: "999999" } }), /^NoRoute: .*above/)
      const error = { type: "AcrossApiError", code: "ROUTE_NOT_ENABLED", status: 400, message: "not enabled" }
      assert.strictEqual(yield* refusal(error, { status: 400 }), "NoRoute: ROUTE_NOT_ENABLED: not enabled")
    })
  )

  it.effect("is unavailable when the answer is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal({}, { status: 500 }), "RoutingUnavailable: HTTP 500")
      assert.strictEqual(yield* refusal({}, { status: 403 }), "RoutingUnavailable: HTTP 403")
      for (const malformed of [
        {},
        [],
        "nothing",
        { ...honest, outputAmount: "-1" },
        { ...honest, outputAmount: 999_000.5 },
        { ...honest, timestamp: "soon" },
        { ...honest, spokePoolAddress: "0x51" },
        { ...honest, estimatedFillTimeSec: -1 }
      ]) {
        assert.strictEqual(yield* refusal(malformed), "RoutingUnavailable: malformed answer")
      }
      assert.strictEqual(
        yield* refusal({ ...honest, more: "x".repeat(1_048_576) }),
        "RoutingUnavailable: answer above 1048576 bytes"
      )
      const { fees } = yield* serving(() => new Response("<html>"))
      assert.strictEqual((yield* Effect.flip(fees.quote(request)))._tag, "RoutingUnavailable")
    })
  )

  it.effect("trusts no other pool than the configured ones", () =>
    Effect.gen(function* () {
      const stranger = address(0x66)
      assert.match(
        yield* refusal({ ...honest, spokePoolAddress: stranger }),
        /^RoutingUnavailable: .*another SpokePool on base/
      )
      assert.match(
        yield* refusal({ ...honest, destinationSpokePoolAddress: stranger }),
        /^RoutingUnavailable: .*another SpokePool on optimism/
      )
    })
  )

  it.effect("leaves the API alone for as long as it asks", () =>
    Effect.gen(function* () {
      let limited = true
      const { fees, seen } = yield* serving(() =>
        limited ? new Response("", { status: 429, headers: { "retry-after": "30" } }) : Response.json(honest)
      )
      assert.match((yield* Effect.flip(fees.quote(request))).message, /next request in 30 s/)
      limited = false
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* Effect.flip(fees.quote(request)))._tag, "RoutingUnavailable")
      assert.lengthOf(yield* seen, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* fees.quote(request)).outputAmount, 999_000n)
      assert.lengthOf(yield* seen, 2)
    })
  )

  it.effect("is not turned off for good by one answer", () =>
    Effect.gen(function* () {
      const { fees } = yield* serving(() => new Response("", { status: 429, headers: { "retry-after": "1e12" } }))
      assert.match((yield* Effect.flip(fees.quote(request))).message, /next request in 300 s/)
    })
  )

  it.live("waits only so long", () =>
    Effect.gen(function* () {
      const { fees } = yield* serving(() => new Promise<Response>(() => undefined), { timeout: "50 millis" })
      const error = yield* Effect.flip(fees.quote(request))
      assert.strictEqual(`${error._tag}: ${error.detail}`, "RoutingUnavailable: timed out")
    })
  )
})
