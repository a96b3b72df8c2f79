/** Requests of the promise client, and the errors for its responses. */
import { assert, describe, it } from "vitest"
import type {
  IntentAccepted,
  IntentSubmission,
  IntentView,
  QuoteResponse
} from "../../../src/api/orchestrator/Schemas.ts"
import type { ChainList, TokenList } from "../../../src/domain/Catalog.ts"
import type { FailureReason } from "../../../src/domain/Intent.ts"
import type { PortfolioView, SweepableView } from "../../../src/domain/Portfolio.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import * as Sdk from "../../../src/sdk/index.ts"
import type { writeRequest, writeSigned } from "../../../src/sdk/wire/Offer.ts"
import { known, NOW_MS, owner, request, wireOffer } from "../Offers.ts"
import { json, stub } from "../StubFetch.ts"

/** Compiles only where an `Actual` is an `Expected`. */
type Is<Expected, Actual extends Expected> = Actual

/** The client's types are the contract's: each line fails to compile where they part. */
export type ContractHolds = [
  Is<Sdk.SweepOrder, (typeof QuoteResponse.Type)["order"]>,
  Is<Sdk.Quote, (typeof QuoteResponse.Type)["quote"]>,
  Is<keyof Sdk.SweepOrder, keyof (typeof QuoteResponse.Type)["order"]>,
  Is<keyof (typeof QuoteResponse.Type)["order"], keyof Sdk.SweepOrder>,
  Is<keyof (typeof QuoteResponse.Type)["quote"], keyof Sdk.Quote>,
  Is<Sdk.Accepted, typeof IntentAccepted.Type>,
  Is<Sdk.Intent, typeof IntentView.Type>,
  Is<Sdk.FailureReason, FailureReason>,
  Is<Sdk.Portfolio, typeof PortfolioView.Type>,
  Is<Sdk.Portfolio<Sdk.SweepableToken>, typeof SweepableView.Type>,
  Is<Sdk.ServedChain, (typeof ChainList.Type)["chains"][number]>,
  Is<Sdk.ListedToken, TokenList["tokens"][number]>,
  Is<(typeof QuoteRequest)["Encoded"], ReturnType<typeof writeRequest>>,
  Is<(typeof IntentSubmission)["Encoded"], ReturnType<typeof writeSigned>>
]

const client = (...answers: Parameters<typeof stub>[0]) => {
  const { asked, fetch } = stub(answers)
  const retry = { attempts: 1 }
  return { asked, client: Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test/", fetch, retry }) }
}

const rejection = async (promise: Promise<unknown>): Promise<Sdk.SweepError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof Sdk.SweepError) return error
    throw error
  }
  return assert.fail("nothing was rejected")
}

describe("the client", () => {
  it("asks with what the request leaves out filled in", async () => {
    const { asked, client: sweeps } = client(() => json(200, wireOffer()))
    const offer = await sweeps.quote({ ...request, destination: undefined as never }, { idempotencyKey: "key-1" })
    assert.deepStrictEqual(asked, [
      {
        method: "POST",
        url: "https://sweep.test/quote",
        idempotencyKey: "key-1",
        body: {
          owner: owner.address,
          tokenIn: request.tokenIn,
          amountIn: "25000000",
          tokenOut: request.tokenOut,
          destination: owner.address,
          destChainId: 8453,
          sourceChainId: 8453,
          tier: "tier1",
          subscriptionActive: false,
          userId: owner.address
        }
      }
    ])
    assert.strictEqual(offer.order.amountIn, 25_000_000n)
    assert.strictEqual(offer.signing.authorization.nonce, 7)
  })

  it("sends the builder's key of the client, or that of the request", async () => {
    const { asked, fetch } = stub([() => json(200, wireOffer())])
    const sweeps = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", apiKey: "swp_client", fetch })
    await sweeps.quote(request)
    await sweeps.quote({ ...request, apiKey: "swp_request" })
    assert.deepStrictEqual(
      asked.map(({ body }) => (body as { readonly apiKey: string }).apiKey),
      ["swp_client", "swp_request"]
    )
  })

  for (const [status, body, expected, code, retryable] of [
    [400, "internal error", Sdk.SubmissionRefusedError, "submission_refused", false],
    [403, "request blocked by sanctions screening", Sdk.ScreeningBlockedError, "screening_blocked", false],
    [404, "not found", Sdk.NotFoundError, "not_found", false],
    [
      409,
      "a request with this idempotency key is in progress",
      Sdk.IdempotencyKeyInUseError,
      "idempotency_key_in_use",
      true
    ],
    [413, "request body too large", Sdk.InvalidRequestError, "invalid_request", false],
    [422, "internal error", Sdk.QuoteUnavailableError, "quote_unavailable", false],
    [422, "owner: expected an address; tier: missing", Sdk.InvalidRequestError, "invalid_request", false],
    [429, "rate limit exceeded", Sdk.RateLimitedError, "rate_limited", true],
    [500, "internal error", Sdk.ServiceError, "service_error", true],
    [502, "internal error", Sdk.ServiceError, "service_error", true],
    [503, "internal error", Sdk.ServiceError, "service_error", true],
    [418, "", Sdk.UnexpectedStatusError, "unexpected_status", false]
  ] as const) {
    it(`rejects with a ${expected.name} on ${status} ${body}`, async () => {
      const { client: sweeps } = client(() =>
        json(status, { error: body }, { "x-request-id": "r-1", "retry-after": "7" })
      )
      const error = await rejection(sweeps.quote(request))
      assert.isTrue(error instanceof expected && error instanceof Sdk.ApiError && error instanceof Error)
      assert.strictEqual(error.name, expected.name)
      assert.strictEqual(error.code, code)
      assert.strictEqual(error.retryable, retryable)
      if (error instanceof Sdk.ApiError) {
        assert.deepStrictEqual([error.status, error.reason, error.requestId], [status, body, "r-1"])
      }
      if (error instanceof Sdk.RateLimitedError) assert.strictEqual(error.retryAfterSeconds, 7)
      if (status === 422 && error instanceof Sdk.InvalidRequestError) assert.lengthOf(error.problems, 2)
      assert.include(error.message, "r-1")
    })
  }

  for (const status of [400, 403]) {
    it(`repeats a request that screening did not answer, with ${status}`, async () => {
      const refusal = () => json(status, { error: "" }, { "retry-after": "2", "sweep-reason": "screening_unavailable" })
      const error = await rejection(client(refusal).client.quote(request))
      assert.isTrue(error instanceof Sdk.ScreeningUnavailableError)
      assert.strictEqual(error.code, "screening_unavailable")
      assert.isTrue(error.retryable)
      if (error instanceof Sdk.ScreeningUnavailableError) assert.strictEqual(error.retryAfterSeconds, 2)
    })
  }

  for (const status of [400, 422, 503]) {
    it(`rejects with an UnavailableError when the service cannot take the sweep now, with ${status}`, async () => {
      const refusal = () =>
        json(status, { error: "internal error" }, { "retry-after": "24", "sweep-reason": "unavailable" })
      const error = await rejection(client(refusal).client.quote(request))
      assert.isTrue(error instanceof Sdk.UnavailableError)
      assert.strictEqual(error.code, "unavailable")
      assert.isTrue(error.retryable)
      if (error instanceof Sdk.UnavailableError) assert.strictEqual(error.retryAfterSeconds, 24)
    })
  }

  it("does not repeat a quote of a token that is declined", async () => {
    let sent = 0
    const refusal = () => {
      sent++
      return json(422, { error: "internal error" }, { "sweep-reason": "unavailable" })
    }
    const error = await rejection(client(refusal).client.quote(request))
    assert.isTrue(Sdk.isSweepError(error))
    if (!Sdk.isSweepError(error) || error.code !== "quote_unavailable") return assert.fail(String(error))
    assert.strictEqual(error.quoteReason, "unavailable")
    assert.isFalse(error.retryable)
    assert.strictEqual(sent, 1)
  })

  it("rejects with a ServiceError where a gateway answers in HTML", async () => {
    const { client: sweeps } = client(() => new Response("<html>", { status: 504 }))
    assert.strictEqual((await rejection(sweeps.quote(request))).code, "service_error")
  })

  it("rejects with a NetworkError where nobody answers, and keeps the cause", async () => {
    const cause = new TypeError("fetch failed")
    const { client: sweeps } = client(() => cause)
    const error = await rejection(sweeps.portfolio(owner.address))
    assert.instanceOf(error, Sdk.NetworkError)
    assert.strictEqual(error.cause, cause)
  })

  it("names the tokens to look for, and reads warnings", async () => {
    const token = {
      chainId: 1,
      address: owner.address,
      symbol: "USDC",
      name: "USDC",
      decimals: 6,
      balance: "7",
      priceUsd: "1",
      valueUsd: "1",
      tier: "tier3",
      standing: "impersonator",
      doubtful: true,
      worthSweeping: false
    }
    const view = { owner: owner.address, tokens: [token], totalUsd: "0", updatedAtMs: 1 }
    const { asked, client: sweeps } = client(
      () => json(200, view),
      () => json(200, view)
    )
    const read = await sweeps.portfolio(owner.address, { tokens: [owner.address] })
    assert.deepStrictEqual(read.tokens, [{ ...token, balance: 7n } as never])
    await sweeps.portfolio(owner.address, { tokens: [] })
    assert.deepStrictEqual(
      asked.map(({ url }) => new URL(url).search),
      [`?tokens=${owner.address}`, ""]
    )
  })

  it("gives up on a request after its time", async () => {
    const sweeps = Sdk.createSweepClient({
      orchestratorUrl: "https://sweep.test",
      timeoutMillis: 30,
      retry: { attempts: 1 },
      fetch: (_, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
    })
    assert.instanceOf(await rejection(sweeps.quote(request)), Sdk.NetworkError)
  })

  it("rejects with the signal's reason when its caller gives up", async () => {
    const { client: sweeps } = client(() => json(200, wireOffer()))
    const reason = new Error("the user closed the window")
    const result = sweeps.quote(request, { signal: AbortSignal.abort(reason) })
    assert.strictEqual(await result.catch((error: unknown) => error), reason)
  })

  it("names the field of a malformed answer", async () => {
    const wire = wireOffer(request, { order: { amountIn: "0x17" } })
    for (const [answer, path] of [
      [json(200, wire), "order.amountIn"],
      [json(200, {}), "quote"],
      [json(200, []), ""],
      [new Response("nonsense"), ""]
    ] as const) {
      const error = await rejection(client(() => answer).client.quote(request))
      assert.instanceOf(error, Sdk.MalformedAnswerError)
      if (error instanceof Sdk.MalformedAnswerError) assert.strictEqual(error.path, path)
    }
  })

  it("never shows the wallet an order that is not what was asked for", async () => {
    const { asked, client: sweeps } = client(() =>
      json(200, wireOffer(request, { order: { destination: owner.address } }))
    )
    const wallet = { ...owner, signTypedData: () => assert.fail("the wallet was asked") }
    assert.instanceOf(await rejection(sweeps.sweep(request, wallet)), Sdk.OrderMismatchError)
    assert.lengthOf(asked, 1)
  })

  it("signs nothing when the user says no", async () => {
    const { asked, fetch } = stub([
      () => {
        const deadline = Math.floor(Date.now() / 1000) + 600
        return json(
          200,
          wireOffer(request, { order: { deadline: String(deadline) }, quote: { expiresAtMs: Date.now() + 60_000 } })
        )
      }
    ])
    const { delegates = {} } = known
    const sweeps = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch, review: { delegates } })
    const wallet = { ...owner, signTypedData: () => assert.fail("the wallet was asked") }
    const shown: Array<bigint> = []
    const result = await sweeps.sweep(request, wallet, {
      confirm: ({ send }) => {
        shown.push(send.amount)
        return false
      }
    })
    assert.isUndefined(result)
    assert.deepStrictEqual(shown, [25_000_000n])
    assert.lengthOf(asked, 1)
  })

  it("refuses a quote that is from another time", async () => {
    const { client: sweeps } = client(() => json(200, wireOffer()))
    const offer = await sweeps.quote(request)
    assert.isBelow(NOW_MS, Date.now())
    assert.throws(() => sweeps.reviewOrder(offer, request), Sdk.OrderMismatchError, "deadline has passed")
  })
})
