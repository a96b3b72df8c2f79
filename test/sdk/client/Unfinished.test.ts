/** A single sweep that fails after the wallet signed: its error forbids a repetition, and names what to follow. */
import { afterEach, assert, describe, it, vi } from "vitest"
import * as Sdk from "../../../src/sdk/index.ts"
import { known, owner, request, wireOffer } from "../Offers.ts"
import { type Answer, type Asked, json, stub } from "../StubFetch.ts"

const QUOTE = String(wireOffer(request).quote.id)

/** The offer now, since the client reads the system clock. */
const offered = () => {
  const deadline = String(Math.floor(Date.now() / 1000) + 600)
  return json(200, wireOffer(request, { order: { deadline }, quote: { expiresAtMs: Date.now() + 60_000 } }))
}

const lost = () => new TypeError("connection reset")
const accepted = () => json(201, { id: QUOTE, status: "submitted" })
const state = (status: string) => () => json(200, { id: QUOTE, status, crossChain: false })
const notFound = () => json(404, { error: "not found" })

/** Sweeps with these responses to the submission and to the polls. */
const sweep = (
  submission: () => Answer,
  poll: () => Answer,
  options: Sdk.SweepOptions = {},
  attempts = 1,
  signer: Sdk.SweepSigner = owner
) => {
  const answer = ({ method, url }: Asked): Answer => {
    if (url.endsWith("/quote")) return offered()
    return method === "POST" ? submission() : poll()
  }
  const { asked, fetch } = stub([answer])
  const { delegates = {} } = known
  const client = Sdk.createSweepClient({
    orchestratorUrl: "https://sweep.test",
    fetch,
    retry: { attempts, pauseMillis: 1 },
    review: { delegates }
  })
  const failure = client
    .sweep(request, signer, { events: false, pollMillis: { first: 1, longest: 2 }, ...options })
    .then(
      () => assert.fail("nothing was rejected"),
      (error: unknown) => error
    )
  return { asked, failure }
}

describe("a sweep that fails after the signature", () => {
  for (const [name, submission, poll, cause] of [
    ["the response to the submission is lost", lost, notFound, Sdk.NetworkError],
    ["the submission is answered by 503", () => json(503, { error: "" }), notFound, Sdk.ServiceError],
    ["a gateway answers the submission", () => json(503, { error: "upstream_timeout" }), notFound, Sdk.ServiceError],
    ["the submission is refused", () => json(400, { error: "internal error" }), notFound, Sdk.SubmissionRefusedError],
    ["the acceptance is malformed", () => json(201, {}), notFound, Sdk.MalformedAnswerError],
    ["the wait ends before the sweep", accepted, state("submitted"), Sdk.WaitTimeoutError],
    ["the id is unknown", accepted, notFound, Sdk.NotFoundError]
  ] as const) {
    it(`is not retryable, and names its quote: ${name}`, async () => {
      const error = await sweep(submission, poll, { timeoutMillis: 50 }).failure
      if (!Sdk.isSweepError(error) || error.code !== "sweep_unfinished") return assert.fail(String(error))
      assert.instanceOf(error, Sdk.SweepUnfinishedError)
      assert.isFalse(error.retryable)
      assert.deepStrictEqual([error.quoteIds, error.sweepId], [[QUOTE], submission === accepted ? QUOTE : undefined])
      assert.isTrue(error.cause instanceof cause)
      assert.include(error.message, QUOTE)
    })
  }

  for (const [name, refusal, expected] of [
    ["limited", () => json(429, { error: "" }, { "retry-after": "90" }), Sdk.RateLimitedError],
    ["malformed", () => json(422, { error: "signature: too short" }), Sdk.InvalidRequestError]
  ] as const) {
    it(`keeps the error of a submission that is ${name}: nothing was submitted`, async () => {
      assert.isTrue((await sweep(refusal, notFound).failure) instanceof expected)
    })

    it(`is not retryable if the submission is ${name} after an attempt without an answer`, async () => {
      const inProgress = () => json(409, { error: "in progress" }, { "retry-after": "1" })
      for (const unanswered of [lost, () => json(503, { error: "" }), inProgress]) {
        const answers = [unanswered, refusal]
        const { failure } = sweep(() => answers.shift()?.() ?? assert.fail("sent again"), notFound, {}, 2)
        const error = await failure
        if (!(error instanceof Sdk.SweepUnfinishedError)) return assert.fail(String(error))
        assert.isTrue(error.cause instanceof expected)
      }
    })
  }

  it("is not retryable if a poll is limited", async () => {
    const limited = () => json(429, { error: "" }, { "retry-after": "90" })
    assert.instanceOf(await sweep(accepted, limited, { timeoutMillis: 50 }).failure, Sdk.SweepUnfinishedError)
  })

  it("has its own error if it ended without delivery", async () => {
    assert.instanceOf(await sweep(accepted, state("failed")).failure, Sdk.SweepFailedError)
  })

  it("names what to follow if its caller gives up, with the signal's reason as the cause", async () => {
    const reason = new DOMException("it took too long", "TimeoutError")
    for (const [name, sweepId, start] of [
      [
        "while it is submitted",
        undefined,
        (stop: AbortController) =>
          sweep(() => (stop.abort(reason), lost()), state("submitted"), { signal: stop.signal }, 4)
      ],
      [
        "while it is followed",
        QUOTE,
        (stop: AbortController) =>
          sweep(accepted, state("submitted"), { signal: stop.signal, onProgress: () => stop.abort(reason) })
      ]
    ] as const) {
      const { asked, failure } = start(new AbortController())
      const error = await failure
      if (!(error instanceof Sdk.SweepUnfinishedError)) return assert.fail(`${name}: ${String(error)}`)
      assert.deepStrictEqual([error.quoteIds, error.sweepId, error.cause], [[QUOTE], sweepId, reason])
      assert.include(error.message, "it took too long")
      assert.lengthOf(
        asked.filter(({ url }) => url.endsWith("/intents")),
        1
      )
    }
  })

  it("rejects with the signal's reason if its caller gives up before the submission", async () => {
    const stop = new AbortController()
    const reason = new Error("enough")
    const signer: Sdk.SweepSigner = {
      ...owner,
      signAuthorization: (request) => {
        stop.abort(reason)
        return owner.signAuthorization(request)
      }
    }
    const { asked, failure } = sweep(accepted, state("submitted"), { signal: stop.signal }, 1, signer)
    assert.strictEqual(await failure, reason)
    assert.lengthOf(asked, 1)
  })

  it("keeps the errors of the quote, which nothing was signed for", async () => {
    const { fetch } = stub([lost])
    const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch, retry: { attempts: 1 } })
    const error = await client.sweep(request, owner).catch((cause: unknown) => cause)
    assert.instanceOf(error, Sdk.NetworkError)
  })
})

describe("a quote that expires before the wallet is asked", () => {
  afterEach(() => void vi.useRealTimers())

  /** Sweeps while the user decides for a time, by a clock that differs from the service's. */
  const decided = (millis: number, aheadMillis = 0) => {
    const now = Date.now()
    vi.useFakeTimers({ now, toFake: ["Date"] })
    const signer: Sdk.SweepSigner = {
      ...owner,
      signTypedData: () => Promise.reject(new Error("the wallet was asked"))
    }
    const quoted = offered()
    vi.setSystemTime(now + aheadMillis)
    const { fetch } = stub([() => quoted])
    const { delegates = {} } = known
    return Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch, review: { delegates } })
      .sweep(request, signer, {
        confirm: () => {
          vi.setSystemTime(now + aheadMillis + millis)
          return true
        }
      })
      .catch((error: unknown) => error)
  }

  it("is not signed, and can be asked for again", async () => {
    const error = await decided(60_000)
    if (!Sdk.isSweepError(error) || error.code !== "quote_expired") return assert.fail(String(error))
    assert.isTrue(error.retryable)
    assert.deepStrictEqual(error.quoteIds, [QUOTE])
    assert.instanceOf(await decided(59_999), Sdk.SigningError)
  })

  it("is signed if it looked expired when it came: the clock is fast", async () => {
    assert.instanceOf(await decided(1_000, 90_000), Sdk.SigningError)
  })
})
