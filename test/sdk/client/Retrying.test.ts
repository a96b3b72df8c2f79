/** Retries of the promise client: one key for all attempts of a call. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as Sdk from "../../../src/sdk/index.ts"
import { request, wireOffer } from "../Offers.ts"
import { type Answer, json, stub } from "../StubFetch.ts"

const signed: Sdk.SignedSweep = {
  quoteId: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
  signature: "0x12",
  authorization: {
    address: "0x1111111111111111111111111111111111111111",
    chainId: 1,
    nonce: 7,
    r: "0x34",
    s: "0x56",
    yParity: 0
  }
}

const accepted = () => json(201, { id: signed.quoteId, status: "submitted" })
const reset = () => new TypeError("connection reset")
const later = (status: number, seconds: number) => () =>
  json(status, { error: "later" }, { "retry-after": String(seconds) })
const failed = (status: number) => () => json(status, { error: "internal error" })

const client = (answers: ReadonlyArray<() => Answer>, options: Partial<Sdk.SweepClientOptions> = {}) => {
  const { asked, fetch } = stub(answers)
  const retry = { pauseMillis: 1 }
  return { asked, client: Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch, retry, ...options }) }
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("nothing was rejected"),
    (error: unknown) => error
  )

const keysOf = (asked: ReadonlyArray<{ readonly idempotencyKey: string | undefined }>) =>
  asked.map(({ idempotencyKey }) => idempotencyKey)

describe("a request that is sent again", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  /** Lets the pauses pass until the call has ended. */
  const ended = async <A>(call: Promise<A>): Promise<A> => {
    const advancing = { done: false }
    const over = call.finally(() => {
      advancing.done = true
    })
    over.catch(() => undefined)
    while (!advancing.done) await vi.advanceTimersByTimeAsync(1_000)
    return over
  }

  for (const [trouble, answer] of [
    ["no answer", reset],
    ["500", failed(500)],
    ["502", failed(502)],
    ["503", failed(503)],
    ["429", later(429, 1)],
    ["409 while the first is in progress", later(409, 1)],
    [
      "400 without a budget",
      () => json(400, { error: "internal error" }, { "retry-after": "1", "sweep-reason": "unavailable" })
    ]
  ] as const) {
    it(`is the same one under the same key, after ${trouble}`, async () => {
      const { asked, client: sweeps } = client([answer, accepted])
      assert.strictEqual((await ended(sweeps.submit(signed))).status, "submitted")
      const [first, second] = asked
      assert.lengthOf(asked, 2)
      assert.deepStrictEqual(second, first)
      assert.match(first?.idempotencyKey ?? "", /^\d+(-\d+){3}$/)
    })
  }

  it("has a key that no other call has", async () => {
    const { asked, client: sweeps } = client([reset, () => json(200, wireOffer())])
    await ended(sweeps.quote(request))
    await ended(sweeps.quote(request))
    const [first, again, other] = keysOf(asked)
    assert.strictEqual(again, first)
    assert.notStrictEqual(other, first)
  })

  it("has the key that the caller keeps, or that the client was told to make", async () => {
    let made = 0
    const { asked, client: sweeps } = client([reset, accepted], { newIdempotencyKey: () => `made-${(made += 1)}` })
    await ended(sweeps.submit(signed))
    await ended(sweeps.submit(signed, { idempotencyKey: "kept" }))
    await ended(sweeps.submit(signed))
    assert.deepStrictEqual(keysOf(asked), ["made-1", "made-1", "kept", "made-2"])
  })

  it("waits as long as the service asks", async () => {
    const { asked, client: sweeps } = client([later(429, 7), accepted])
    const submitted = sweeps.submit(signed)
    await vi.advanceTimersByTimeAsync(6_999)
    assert.lengthOf(asked, 1)
    await vi.advanceTimersByTimeAsync(1)
    assert.strictEqual((await submitted).status, "submitted")
    assert.lengthOf(asked, 2)
  })

  it("is given up after its attempts, with the last failure", async () => {
    const { asked, client: sweeps } = client([reset, failed(503)], { retry: { attempts: 3, pauseMillis: 1 } })
    assert.instanceOf(await rejection(ended(sweeps.submit(signed))), Sdk.ServiceError)
    assert.lengthOf(asked, 3)
  })

  it("that was refused tells as the cause that an earlier one may have been accepted", async () => {
    for (const [answers, isUnknown] of [
      [[failed(503), later(429, 3600)], true],
      [[reset, later(429, 1), later(429, 3600)], true],
      [[later(409, 1), later(429, 3600)], true],
      [[later(409, 1), later(429, 1), later(429, 3600)], true],
      [[later(429, 1), later(429, 3600)], false],
      [[() => json(503, { error: "busy" }, { "retry-after": "1" }), later(429, 3600)], false],
      [[() => json(503, { error: "upstream_timeout" }), later(429, 3600)], true]
    ] as const) {
      const { client: sweeps } = client(answers, { retry: { attempts: 3, pauseMillis: 1 } })
      const error = await rejection(ended(sweeps.submit(signed)))
      assert.isTrue(error instanceof Sdk.RateLimitedError)
      assert.strictEqual(error instanceof Error && error.cause !== undefined, isUnknown)
    }
  })

  it("is not sent again for what another attempt would not change", async () => {
    for (const [answer, expected] of [
      [failed(400), Sdk.SubmissionRefusedError],
      [failed(422), Sdk.QuoteUnavailableError],
      [() => json(409, { error: "idempotency key was used with another request" }), Sdk.IdempotencyKeyReusedError],
      [later(429, 3600), Sdk.RateLimitedError]
    ] as const) {
      const { asked, client: sweeps } = client([answer])
      const error = await rejection(ended(sweeps.submit(signed)))
      assert.isTrue(error instanceof expected, String(error))
      assert.lengthOf(asked, 1)
    }
  })

  it("is not sent again when its caller gives up in a pause", async () => {
    const controller = new AbortController()
    const reason = new Error("enough")
    const { asked, client: sweeps } = client(
      [
        () => {
          setTimeout(() => controller.abort(reason), 59_999)
          return reset()
        }
      ],
      { retry: { pauseMillis: 60_000 } }
    )
    assert.strictEqual(await rejection(ended(sweeps.submit(signed, { signal: controller.signal }))), reason)
    assert.lengthOf(asked, 1)
  })
})
