/** A whole wallet in one call: its steps in order, what it signs, and where it stops. */
import { assert, describe, it, vi } from "vitest"
import { numberToHex } from "viem"
import * as Sdk from "../../../src/sdk/index.ts"
import { deposit, known, NOW_MS, owner, swapOffer, swapRequest, wireOffer, crossRequest } from "../Offers.ts"
import { type Answer, type Asked, json, stub } from "../StubFetch.ts"
import { UNLISTED, wireQuotes } from "../WireBatch.ts"

const SWEEP = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"

const holding = (address: string, valueUsd: string, sweepable = true, chainId = 8453) => ({
  chainId,
  address,
  symbol: "T",
  name: "Token",
  decimals: 6,
  balance: "25000000",
  priceUsd: "1",
  valueUsd,
  tier: "tier1",
  sweepable,
  reason: null,
  delegation: "none",
  estimatedNetAmount: "24800000",
  estimatedNetUsd: "24.8"
})

/** The offer now, since the client reads the system clock. */
const fresh = (asked: Sdk.SweepRequest, offer = wireOffer(asked, { order: { swapCalldata: ofNow() } })) => {
  const deadline = String(Math.floor(Date.now() / 1000) + 600)
  return { ...offer, quote: { ...offer.quote, expiresAtMs: Date.now() + 60_000 }, order: { ...offer.order, deadline } }
}

const ofNow = () => deposit({ inputAmount: 24_875_000n, fillDeadline: Math.floor(Date.now() / 1000) + 7_200 })

const answers = (asked: Asked): Response => {
  const path = new URL(asked.url).pathname
  if (path.endsWith("/sweepable")) {
    const tokens = [
      holding(UNLISTED, "1", false),
      holding(swapRequest.tokenIn, "10"),
      holding(crossRequest.tokenIn, "25"),
      // The output itself.
      holding(crossRequest.tokenOut, "99", true, 10)
    ]
    return json(200, { owner: owner.address, tokens, totalUsd: "135", updatedAtMs: NOW_MS })
  }
  if (path === "/quotes")
    return json(200, wireQuotes([fresh(crossRequest), { reason: "no_route", token: swapRequest.tokenIn }]))
  if (path === "/sweeps") return json(201, { id: SWEEP, intents: [{ id: "a", status: "submitted" }] })
  if (path === `/sweeps/${SWEEP}/events`) return json(404, { error: "not found" })
  if (path === `/sweeps/${SWEEP}`) {
    return json(200, { id: SWEEP, intents: [{ id: "a", status: "delivered", crossChain: true }] })
  }
  return json(500, { error: path })
}

const nodeOf = (nonce: number): Sdk.NodeClient => ({
  request: async ({ method }) => (method === "eth_getTransactionCount" ? numberToHex(nonce) : "0x")
})

const run = (options: Partial<Sdk.SweepClientOptions> = {}, more: Sdk.SweepAllOptions = {}) => {
  const { asked, fetch } = stub([answers])
  const { delegates = {} } = known
  const client = Sdk.createSweepClient({
    orchestratorUrl: "https://sweep.test",
    fetch,
    review: { delegates },
    ...options
  })
  const events: Array<Sdk.SweepAllEvent> = []
  const wallet = { ...owner, signed: 0 }
  const ended = client.sweepAll(
    {
      owner: owner.address,
      token: crossRequest.tokenOut,
      to: { chainId: 10, address: crossRequest.destination ?? owner.address }
    },
    {
      ...owner,
      signTypedData: (typedData) => {
        wallet.signed++
        return owner.signTypedData(typedData)
      }
    },
    { onEvent: (event) => events.push(event), ...more }
  )
  return { asked, ended, events, wallet }
}

const bodyOf = <A>(asked: ReadonlyArray<Asked>, path: string): A =>
  asked.find(({ method, url }) => method === "POST" && new URL(url).pathname === path)?.body as A

describe("a whole wallet", () => {
  it("is swept with one signature, and tells each step", async () => {
    const { asked, ended, events, wallet } = run()
    const result = await ended
    if (result === undefined) return assert.fail("it was declined")
    assert.strictEqual(result.sweep.intents[0]?.status, "delivered")
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["portfolio", "quoted", "reviewed", "signed", "submitted", "progress"]
    )
    assert.strictEqual(wallet.signed, 1)
    const quoted = bodyOf<{ readonly tokens: ReadonlyArray<unknown> }>(asked, "/quotes")
    assert.deepStrictEqual(
      quoted.tokens,
      [crossRequest.tokenIn, swapRequest.tokenIn].map((token) => ({
        chainId: 8453,
        token,
        amount: "max",
        tier: "tier1"
      }))
    )
    const submitted = bodyOf<Sdk.SignedBatch>(asked, "/sweeps")
    assert.deepStrictEqual(
      submitted.quoteIds,
      result.review.legs.map(({ quoteId }) => quoteId)
    )
  })

  it("sweeps what the caller chooses", async () => {
    const { asked, ended } = run({}, { choose: ({ address }) => address === crossRequest.tokenIn })
    await ended.catch(() => undefined)
    assert.lengthOf(bodyOf<{ readonly tokens: ReadonlyArray<unknown> }>(asked, "/quotes").tokens, 1)
    const none = run({}, { choose: () => false })
    assert.isTrue((await none.ended.catch((error: unknown) => error)) instanceof Sdk.NothingToSweepError)
    assert.lengthOf(none.asked, 1)
  })

  it("stops where the user says no, or leaves out every leg", async () => {
    const declined = run({}, { confirm: () => false })
    assert.isUndefined(await declined.ended)
    const emptied = run({}, { confirm: (review) => Sdk.selectLegs(review, () => false) })
    assert.isTrue((await emptied.ended.catch((error: unknown) => error)) instanceof Sdk.NothingToSweepError)
    for (const { asked, wallet } of [declined, emptied]) {
      assert.strictEqual(wallet.signed, 0)
      assert.isUndefined(bodyOf(asked, "/sweeps"))
    }
  })

  it("signs no authorization but for the account's next nonce", async () => {
    const right = run({ nodes: { 8453: nodeOf(7) } })
    assert.strictEqual((await right.ended)?.sweep.id, SWEEP)
    for (const nonce of [6, 8]) {
      const wrong = run({ nodes: { 8453: nodeOf(nonce) } })
      const error = await wrong.ended.catch((cause: unknown) => cause)
      assert.isTrue(error instanceof Sdk.OrderMismatchError)
      assert.include(String(error), `nonce of chain 8453 is 7, expected ${nonce}`)
      assert.strictEqual(wrong.wallet.signed, 0)
    }
  })

  it("that fails after the signature is not retryable, and names its quotes and the sweep", async () => {
    for (const [path, failure, sweepId, cause] of [
      ["/sweeps", new TypeError("connection reset"), undefined, Sdk.NetworkError],
      ["/sweeps", json(400, { error: "already_submitted" }), undefined, Sdk.SweepRefusedError],
      [`/sweeps/${SWEEP}`, json(404, { error: "not found" }), SWEEP, Sdk.NotFoundError]
    ] as const) {
      const { fetch } = stub([(asked) => (new URL(asked.url).pathname === path ? failure : answers(asked))])
      const { ended, events, wallet } = run({ fetch, retry: { attempts: 1 } })
      const error = await ended.catch((thrown: unknown) => thrown)
      if (!(error instanceof Sdk.SweepUnfinishedError)) return assert.fail(String(error))
      assert.isFalse(error.retryable)
      assert.strictEqual(error.sweepId, sweepId)
      assert.deepStrictEqual(
        error.quoteIds,
        events.flatMap((event) => (event.type === "signed" ? event.signed.quoteIds : []))
      )
      assert.lengthOf(error.quoteIds, 1)
      assert.isTrue(error.cause instanceof cause)
      assert.include(error.message, sweepId ?? error.quoteIds.join())
      assert.strictEqual(wallet.signed, 1)
    }
  })

  it("that is given up after the signature names its quotes and the sweep", async () => {
    const stop = new AbortController()
    const reason = new DOMException("it took too long", "TimeoutError")
    const { ended } = run(
      {},
      { signal: stop.signal, onEvent: ({ type }) => type === "submitted" && stop.abort(reason) }
    )
    const error = await ended.catch((thrown: unknown) => thrown)
    if (!(error instanceof Sdk.SweepUnfinishedError)) return assert.fail(String(error))
    assert.deepStrictEqual([error.quoteIds.length, error.sweepId, error.cause], [1, SWEEP, reason])
  })

  it("is not signed once a quote has expired", async () => {
    const now = Date.now()
    vi.useFakeTimers({ now, toFake: ["Date"] })
    const { asked, ended, wallet } = run({}, { confirm: () => (vi.setSystemTime(now + 60_000), true) })
    const error = await ended.catch((thrown: unknown) => thrown).finally(() => vi.useRealTimers())
    assert.instanceOf(error, Sdk.QuoteExpiredError)
    assert.strictEqual(wallet.signed, 0)
    assert.isUndefined(bodyOf(asked, "/sweeps"))
  })

  it("that is refused after the signature keeps the error, unless an earlier attempt had no answer", async () => {
    const lost = new TypeError("connection reset")
    const postponed = () => json(503, { error: "budget_spent" }, { "retry-after": "1" })
    const gateway = () => json(503, { error: "upstream_timeout" })
    const expired = () => json(400, { error: "expired_quote" })
    for (const [submissions, expected] of [
      [[expired()], Sdk.SweepRefusedError],
      [[json(429, { error: "" }, { "retry-after": "90" })], Sdk.RateLimitedError],
      [[json(422, { error: "signature: too short" })], Sdk.InvalidRequestError],
      [[postponed()], Sdk.SweepPostponedError],
      [[gateway()], Sdk.SweepUnfinishedError],
      [[gateway(), postponed()], Sdk.SweepUnfinishedError],
      [[lost, expired()], Sdk.SweepUnfinishedError],
      [[lost, postponed()], Sdk.SweepUnfinishedError]
    ] as const) {
      const left: Array<Answer> = [...submissions]
      const { fetch } = stub([
        (asked) =>
          new URL(asked.url).pathname === "/sweeps" ? (left.shift() ?? assert.fail("sent again")) : answers(asked)
      ])
      const { ended, wallet } = run({ fetch, retry: { attempts: submissions.length, pauseMillis: 1 } })
      assert.isTrue((await ended.catch((thrown: unknown) => thrown)) instanceof expected, expected.name)
      assert.strictEqual(wallet.signed, 1)
    }
  })

  it("does not sign for a service that lies", async () => {
    const swapped = swapOffer()
    const lying = { ...swapped, order: { ...swapped.order, destination: owner.address } }
    const { fetch } = stub([
      (asked) =>
        new URL(asked.url).pathname === "/quotes" ? json(200, wireQuotes([fresh(swapRequest, lying)])) : answers(asked)
    ])
    const { ended, wallet } = run({ fetch })
    assert.isTrue((await ended.catch((error: unknown) => error)) instanceof Sdk.OrderMismatchError)
    assert.strictEqual(wallet.signed, 0)
  })

  it("asks the node before it signs a single sweep as well", async () => {
    const { asked, fetch } = stub([() => json(200, fresh(crossRequest))])
    const { delegates = {} } = known
    const client = Sdk.createSweepClient({
      orchestratorUrl: "https://sweep.test",
      fetch,
      review: { delegates },
      nodes: { 8453: nodeOf(9) }
    })
    const offer = await client.quote(crossRequest)
    const typedData = { ...offer.signing.typedData, message: offer.order }
    const signing = { ...offer.signing, typedData }
    const error = await client
      .signSweep({ ...offer, signing }, crossRequest, { ...owner, signTypedData: () => assert.fail("it was asked") })
      .catch((cause: unknown) => cause)
    assert.include(String(error), "is 7, expected 9")
    assert.lengthOf(asked, 1)
  })
})
