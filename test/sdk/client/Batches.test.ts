/** Requests of the promise client about sweeps of many tokens, and the errors for its responses. */
import { assert, describe, it } from "vitest"
import type { SweepAccepted, SweepList, SweepSubmission, SweepView } from "../../../src/api/orchestrator/SweepApi.ts"
import type { SweepQuotesResponse } from "../../../src/api/orchestrator/SweepSchemas.ts"
import type { QuoteReason } from "../../../src/domain/QuoteReason.ts"
import type { SweepQuotesRequest } from "../../../src/domain/SweepQuotes.ts"
import type { LastingReason, PassingReason } from "../../../src/domain/SweepRefusal.ts"
import * as Sdk from "../../../src/sdk/index.ts"
import type { writeSignedBatch, writeSweepQuotesRequest } from "../../../src/sdk/wire/Batch.ts"
import { owner } from "../Offers.ts"
import { json, stub } from "../StubFetch.ts"
import { batchRequest, UNLISTED, wireBatch } from "../WireBatch.ts"

type Is<Expected, Actual extends Expected> = Actual

type Entry = (typeof SweepQuotesResponse.Type)["quotes"][number]

/** Literals of a union that is open to newer values. */
type Literals<A> = A extends string ? (string extends A ? never : A) : never

/** The client's types are the contract's: each line fails to compile where they part. */
export type ContractHolds = [
  Is<Sdk.QuotedToken, Extract<Entry, { readonly quote: unknown }>>,
  Is<Sdk.RefusedToken, Extract<Entry, { readonly reason: unknown }>>,
  Is<Sdk.SweepTotals, (typeof SweepQuotesResponse.Type)["totals"]>,
  Is<keyof Sdk.SweepQuotes, keyof typeof SweepQuotesResponse.Type>,
  Is<keyof typeof SweepQuotesResponse.Type, keyof Sdk.SweepQuotes>,
  Is<Literals<Sdk.QuoteReason>, QuoteReason>,
  Is<Literals<Sdk.SweepRefusal>, LastingReason>,
  Is<Literals<Sdk.SweepPostponement>, PassingReason>,
  Is<QuoteReason, Literals<Sdk.QuoteReason>>,
  Is<LastingReason, Literals<Sdk.SweepRefusal>>,
  Is<PassingReason, Literals<Sdk.SweepPostponement>>,
  Is<Sdk.SweepAccepted, typeof SweepAccepted.Type>,
  Is<Sdk.Sweep, typeof SweepView.Type>,
  Is<Sdk.SweepPage, typeof SweepList.Type>,
  Is<(typeof SweepQuotesRequest)["Encoded"], ReturnType<typeof writeSweepQuotesRequest>>,
  Is<(typeof SweepSubmission)["Encoded"], ReturnType<typeof writeSignedBatch>>
]

/** Codes of every class of errors that the package exports. */
type Codes = {
  [Name in keyof typeof Sdk]: (typeof Sdk)[Name] extends abstract new (...args: never) => infer E
    ? E extends Sdk.SweepError
      ? string extends E["code"]
        ? never
        : E["code"]
      : never
    : never
}[keyof typeof Sdk]

export type CodesHold = [Is<Sdk.SweepErrorCode, Codes>, Is<Codes, Sdk.SweepErrorCode>]

const ID = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"
const INTENTS = ["6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b40", "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b42"]
const TX = `0x${"ab".repeat(32)}`

const client = (...answers: Parameters<typeof stub>[0]) => {
  const { asked, fetch } = stub(answers)
  const retry = { attempts: 1 }
  return { asked, client: Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test/", fetch, retry }) }
}

const signed: Sdk.SignedBatch = {
  quoteIds: INTENTS,
  signature: `0x${"12".repeat(65)}`,
  authorizations: [
    { address: UNLISTED, chainId: 8453, nonce: 7, r: `0x${"34".repeat(32)}`, s: `0x${"56".repeat(32)}`, yParity: 1 }
  ]
}

const state = (...statuses: ReadonlyArray<string>) => ({
  id: ID,
  intents: statuses.map((status, index) => ({ id: INTENTS[index], status, crossChain: true }))
})

describe("a sweep of many tokens", () => {
  it("is quoted in one request, with what it leaves out filled in", async () => {
    const { asked, client: sweeps } = client(() => json(200, wireBatch()))
    const { destination: _, ...request } = batchRequest
    const { expiresAtMs, quotes, signing, totals } = await sweeps.sweepQuotes(request, { idempotencyKey: "key-1" })
    assert.deepStrictEqual(asked, [
      {
        method: "POST",
        url: "https://sweep.test/quotes",
        idempotencyKey: "key-1",
        body: {
          owner: owner.address,
          destination: owner.address,
          destChainId: 10,
          tokenOut: batchRequest.tokenOut,
          tokens: batchRequest.tokens.map((token) => ({ ...token, amount: token.amount.toString() })),
          userId: owner.address,
          subscriptionActive: false
        }
      }
    ])
    const served = wireBatch()
    assert.strictEqual(expiresAtMs, served.expiresAtMs)
    assert.deepStrictEqual(quotes[1], { chainId: 8453, token: UNLISTED, reason: "no_route" })
    assert.deepStrictEqual(
      quotes.filter(Sdk.isQuoted).map(({ order, quote }) => [quote.id, order.amountIn]),
      INTENTS.map((id) => [id, 25_000_000n])
    )
    assert.deepStrictEqual(signing?.authorizations, [
      { ...served.signing.authorizations[0], nonce: 7 } as Sdk.AuthorizationRequest
    ])
    assert.deepStrictEqual(totals.minAmountOut, { amount: 49_600_000n, usd: "49.6" })
  })

  it("has nothing to sign if no token can be quoted", async () => {
    const { signing: _, ...rest } = wireBatch()
    const { client: sweeps } = client(() => json(200, { ...rest, quotes: rest.quotes.slice(1, 2) }))
    assert.isFalse("signing" in (await sweeps.sweepQuotes(batchRequest)))
  })

  it("is submitted under a key, and read by its id", async () => {
    const { asked, client: sweeps } = client(
      () => json(201, { id: ID, intents: INTENTS.map((id) => ({ id, status: "submitted" })) }),
      () => json(200, state("delivered", "submitted"))
    )
    const accepted = await sweeps.submitSweep(signed, { idempotencyKey: "key-2" })
    assert.deepStrictEqual(
      accepted.intents.map(({ id }) => id),
      INTENTS
    )
    assert.deepStrictEqual(asked[0], {
      method: "POST",
      url: "https://sweep.test/sweeps",
      idempotencyKey: "key-2",
      body: { ...signed, authorizations: [{ ...signed.authorizations[0], nonce: "7" }] }
    })
    assert.deepStrictEqual(
      (await sweeps.sweepById(ID)).intents.map(({ status }) => status),
      ["delivered", "submitted"]
    )
    assert.strictEqual(asked[1]?.url, `https://sweep.test/sweeps/${ID}`)
  })

  it("is listed for its owner, page by page", async () => {
    const listed = { id: INTENTS[0], status: "delivered", crossChain: false, txHash: TX, deliveryTxHash: TX }
    const { asked, client: sweeps } = client(
      () => json(200, { sweeps: [{ id: ID, intents: [listed] }], next: "41" }),
      () => json(200, { sweeps: [] })
    )
    const { next, sweeps: first } = await sweeps.sweepsOf(owner.address)
    assert.deepStrictEqual<unknown>(first, [{ id: ID, intents: [listed] }])
    assert.deepStrictEqual(await sweeps.sweepsOf(owner.address, { cursor: next ?? "" }), { sweeps: [] })
    assert.deepStrictEqual(
      asked.map(({ url }) => url.replace("https://sweep.test", "")),
      [`/owners/${owner.address}/sweeps`, `/owners/${owner.address}/sweeps?cursor=41`]
    )
  })

  /** As the service sends them. */
  const headersOf = (status: number): Readonly<Record<string, string>> =>
    status === 503 ? { "retry-after": "7", "sweep-reason": "unavailable" } : {}

  for (const [status, reason, expected, code, retryable] of [
    [400, "expired_quote", Sdk.SweepRefusedError, "sweep_refused", false],
    [400, "a_newer_reason", Sdk.SweepRefusedError, "sweep_refused", false],
    [503, "budget_spent", Sdk.SweepPostponedError, "sweep_postponed", true],
    [503, "busy", Sdk.SweepPostponedError, "sweep_postponed", true],
    // Of a gateway: the sweep may be stored.
    [503, "upstream_timeout", Sdk.UnavailableError, "unavailable", true],
    [503, "internal error", Sdk.UnavailableError, "unavailable", true],
    [502, "internal error", Sdk.ServiceError, "service_error", true]
  ] as const) {
    it(`rejects with a ${expected.name} on ${status} ${reason}`, async () => {
      const { client: sweeps } = client(() => json(status, { error: reason }, headersOf(status)))
      const error = await sweeps.submitSweep(signed).catch((cause: unknown) => cause)
      assert.isTrue(error instanceof expected && error instanceof Sdk.ApiError)
      if (!(error instanceof expected)) return
      assert.deepStrictEqual([error.code, error.reason, error.retryable], [code, reason, retryable])
      if (error instanceof Sdk.SweepPostponedError) assert.strictEqual(error.retryAfterSeconds, 7)
    })
  }
})

describe("waiting for a sweep", () => {
  it("ends with the last of its intents, and tells each change once", async () => {
    const { asked, client: sweeps } = client(
      () => json(404, { error: "not found" }),
      () => json(200, state("submitted", "submitted")),
      () => json(200, state("submitted", "submitted")),
      () => json(200, state("failed", "submitted")),
      () => json(200, state("failed", "delivered"))
    )
    const seen: Array<string> = []
    const { intents } = await sweeps.waitForSweep(ID, {
      pollMillis: { first: 1, longest: 2 },
      onProgress: ({ intents }) => seen.push(intents.map(({ status }) => status).join())
    })
    assert.deepStrictEqual(
      intents.map(({ status }) => status),
      ["failed", "delivered"]
    )
    assert.deepStrictEqual(seen, ["submitted,submitted", "failed,submitted", "failed,delivered"])
    assert.deepStrictEqual(
      asked.map(({ url }) => url.replace("https://sweep.test/sweeps/", "")),
      [`${ID}/events`, ID, ID, ID, ID]
    )
  })

  it("follows its events", async () => {
    const events = [state("submitted", "submitted"), state("delivered", "delivered")]
      .map((data) => `event: message\ndata: ${JSON.stringify(data)}\n\n`)
      .join("")
    const { asked, client: sweeps } = client(
      () => new Response(events, { headers: { "content-type": "text/event-stream" } })
    )
    assert.lengthOf((await sweeps.waitForSweep(ID)).intents, 2)
    assert.lengthOf(asked, 1)
  })

  it("gives up in time, and tells what it knows", async () => {
    const { client: sweeps } = client(() => json(200, state("delivered", "submitted")))
    const error = await sweeps
      .waitForSweep(ID, { timeoutMillis: 40, events: false, pollMillis: { first: 1, longest: 5 } })
      .catch((cause: unknown) => cause)
    assert.isTrue(error instanceof Sdk.WaitTimeoutError)
    if (!(error instanceof Sdk.WaitTimeoutError)) return
    assert.isUndefined(error.intent)
    assert.deepStrictEqual(
      error.sweep?.intents.map(({ status }) => status),
      ["delivered", "submitted"]
    )
    assert.include(error.message, `sweep ${ID} is still delivered,submitted`)
  })
})
