/** The Effect client: retries under one key, and a wait that outlives its event stream. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { using } from "../EffectClient.ts"
import { known, NOW_MS, owner, request, wireOffer } from "../Offers.ts"
import { type Answer, json } from "../StubFetch.ts"
import { batchRequest, wireBatch } from "../WireBatch.ts"

const ID = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"

const state = (status: string, id = ID) => ({ id, status, crossChain: false })
const polled = (status: string) => () => json(200, state(status))
const event = (status: string, id = ID) => `id: ${status}\ndata: ${JSON.stringify(state(status, id))}\n\n`
const offered = () => json(200, wireOffer())
const reset = () => new TypeError("connection reset")
const failed = (status: number) => () => json(status, { error: "internal error" })

const silent = () => new Promise<Answer>(() => undefined)
/** A response whose body does not end. */
const endless = () => new Response(new ReadableStream(), { headers: { "content-type": "application/json" } })

/** A response with an event stream. With `open` it does not end. */
const streamed =
  (text: string, { open = false } = {}) =>
  () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`retry: 1000\n\n${text}`))
          if (!open) controller.close()
        }
      }),
      { headers: { "content-type": "text/event-stream" } }
    )

describe("a request that is sent again", () => {
  for (const [trouble, answer] of [
    ["no answer", reset],
    ["30 seconds of silence", silent],
    ["30 seconds without the rest of the answer", endless],
    ["500", failed(500)],
    ["a gateway's 502", () => new Response("<html>", { status: 502 })],
    ["429", () => json(429, { error: "rate limit exceeded" }, { "retry-after": "7" })],
    [
      "422 without a budget",
      () => json(422, { error: "internal error" }, { "retry-after": "7", "sweep-reason": "unavailable" })
    ],
    [
      "503 above the chain's limit",
      () => json(503, { error: "chain unavailable" }, { "retry-after": "7", "sweep-reason": "unavailable" })
    ],
    [
      "409 while the first is in progress",
      () => json(409, { error: "a request with this idempotency key is in progress" })
    ]
  ] as const) {
    it.effect(`is the same one under the same key, after ${trouble}`, () =>
      Effect.gen(function* () {
        const { asked, result } = yield* using([answer, offered], (sweeps) => sweeps.quote(request))
        assert.strictEqual(result._tag, "Success")
        assert.lengthOf(asked, 2)
        assert.deepStrictEqual(asked[1], asked[0])
        assert.match(asked[0]?.idempotencyKey ?? "", /^[0-9a-f-]{36}$/)
      })
    )
  }

  it.effect("has a key of its own for each call, or the caller's", () =>
    Effect.gen(function* () {
      const { asked } = yield* using([offered], (sweeps) =>
        Effect.all([sweeps.quote(request), sweeps.quote(request), sweeps.quote(request, { idempotencyKey: "kept" })])
      )
      const keys = asked.map(({ idempotencyKey }) => idempotencyKey)
      assert.lengthOf(new Set(keys), 3)
      assert.strictEqual(keys[2], "kept")
    })
  )

  it.effect("is given up after its attempts", () =>
    Effect.gen(function* () {
      const { asked, result } = yield* using([failed(500)], (sweeps) => sweeps.quote(request), {
        retry: { attempts: 2 }
      })
      assert.isTrue(result._tag === "Failure" && result.failure._tag === "InternalError")
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("is not sent again for a key that stood for another", () =>
    Effect.gen(function* () {
      const { asked, result } = yield* using(
        [() => json(409, { error: "idempotency key was used with another request" })],
        (sweeps) => sweeps.quote(request)
      )
      assert.isTrue(result._tag === "Failure" && result.failure._tag === "IdempotencyKeyReused")
      assert.lengthOf(asked, 1)
    })
  )
})

describe("waiting", () => {
  const waiting = (answers: ReadonlyArray<() => Answer | Promise<Answer>>) => {
    const seen: Array<string> = []
    return Effect.map(
      using(answers, (sweeps) => sweeps.wait(ID, ({ status }) => Effect.sync(() => seen.push(status)))),
      ({ asked, result }) => ({
        paths: asked.map(({ url }) => url.replace(`https://sweep.test/intents/${ID}`, "")),
        result,
        seen
      })
    )
  }

  it.effect("follows the events, and asks for nothing else", () =>
    Effect.gen(function* () {
      const { paths, result, seen } = yield* waiting([
        streamed(`${event("submitted")}:\n\n${event("delivered", "another")}data: nonsense\n\n${event("delivered")}`)
      ])
      assert.isTrue(result._tag === "Success" && result.success.status === "delivered")
      assert.deepStrictEqual(seen, ["submitted", "delivered"])
      assert.deepStrictEqual(paths, ["/events"])
    })
  )

  for (const [trouble, answer] of [
    ["end early", streamed(event("submitted"))],
    ["fall silent", streamed(event("submitted"), { open: true })],
    ["are something else", polled("submitted")],
    ["are not answered", silent],
    ["are not there", () => json(404, { error: "not found" })],
    ["cannot be had", reset]
  ] as const) {
    it.effect(`polls when the events ${trouble}`, () =>
      Effect.gen(function* () {
        const { paths, result, seen } = yield* waiting([
          answer,
          polled("submitted"),
          failed(503),
          reset,
          silent,
          endless,
          polled("submitted"),
          polled("settled_source"),
          polled("delivered")
        ])
        assert.isTrue(result._tag === "Success" && result.success.status === "delivered")
        assert.deepStrictEqual(seen, ["submitted", "settled_source", "delivered"])
        assert.deepStrictEqual(paths, ["/events", "", "", "", "", "", "", "", ""])
      })
    )
  }

  it.effect("fails at once with what does not pass", () =>
    Effect.gen(function* () {
      const { paths, result } = yield* waiting([() => json(404, { error: "not found" })])
      assert.isTrue(result._tag === "Failure" && result.failure._tag === "NotFound")
      assert.deepStrictEqual(paths, ["/events", ""])
    })
  )
})

describe("many tokens", () => {
  const sweepId = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"
  const sweep = (...statuses: ReadonlyArray<string>) => ({
    id: sweepId,
    intents: statuses.map((status, index) => ({ ...state(status), id: String(index) }))
  })
  const review = { delegates: known.delegates ?? {}, maxSlippageBps: 200 }

  it.effect("are quoted, reviewed, signed once, submitted under one key, and waited for", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { asked, result } = yield* using(
        [
          () => json(200, wireBatch()),
          () => json(503, { error: "budget_spent" }, { "retry-after": "3" }),
          () => json(201, { id: sweepId, intents: [{ id: "0", status: "submitted" }] }),
          () => new Response(null, { status: 204 }),
          () => json(200, sweep("submitted", "delivered")),
          () => json(200, sweep("delivered", "delivered"))
        ],
        (sweeps) =>
          Effect.gen(function* () {
            const quotes = yield* sweeps.sweepQuotes(batchRequest)
            yield* TestClock.setTime(NOW_MS)
            const reviewed = yield* sweeps.reviewQuotes(quotes, batchRequest)
            const accepted = yield* sweeps.submitSweep(yield* sweeps.signBatch(reviewed, owner))
            return yield* sweeps.waitForSweep(accepted.id, ({ intents }) =>
              Effect.sync(() => seen.push(intents.map(({ status }) => status).join()))
            )
          }),
        { review }
      )
      if (result._tag === "Failure") return assert.fail(JSON.stringify(result.failure))
      assert.lengthOf(result.success.intents, 2)
      assert.deepStrictEqual(seen, ["submitted,delivered", "delivered,delivered"])
      assert.deepStrictEqual(asked[2], asked[1])
      assert.deepInclude(asked[1], { method: "POST", url: "https://sweep.test/sweeps" })
    })
  )

  it.effect("are not signed once they have expired", () =>
    Effect.gen(function* () {
      const { result } = yield* using(
        [() => json(200, wireBatch())],
        (sweeps) =>
          Effect.gen(function* () {
            const quotes = yield* sweeps.sweepQuotes(batchRequest)
            yield* TestClock.setTime(NOW_MS)
            const reviewed = yield* sweeps.reviewQuotes(quotes, batchRequest)
            yield* TestClock.setTime(reviewed.expiresAt.getTime())
            return yield* sweeps.signBatch(reviewed, {
              ...owner,
              signTypedData: () => assert.fail("the wallet was asked")
            })
          }),
        { review }
      )
      if (result._tag === "Success" || result.failure._tag !== "QuoteExpired") return assert.fail(String(result))
      assert.isAbove(result.failure.quoteIds.length, 0)
    })
  )

  it.effect("fail with what was left out if nothing is left", () =>
    Effect.gen(function* () {
      const { result } = yield* using(
        [() => json(200, wireBatch())],
        (sweeps) =>
          Effect.gen(function* () {
            const quotes = yield* sweeps.sweepQuotes(batchRequest)
            yield* TestClock.setTime(NOW_MS)
            return yield* sweeps.reviewQuotes(quotes, batchRequest)
          }),
        { review: { ...review, maxFeeBps: 1 } }
      )
      if (result._tag === "Success" || result.failure._tag !== "NothingToSweep") return assert.fail("it passed")
      assert.deepStrictEqual(
        result.failure.leftOut.map(({ reason }) => reason),
        ["over_limit", "no_route", "over_limit"]
      )
    })
  )
})
