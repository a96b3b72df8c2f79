/** The review of many quotes, and the one signature of those that pass. */
import { assert, describe, it } from "vitest"
import { recoverTypedDataAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import {
  batchTypedData,
  NothingToSweepError,
  OrderMismatchError,
  readSweepQuotes,
  reviewSweepQuotes,
  type ReviewOptions,
  selectLegs,
  signBatch,
  SigningError,
  type SweepQuotesRequest
} from "../../../src/sdk/index.ts"
import {
  crossRequest,
  DELEGATE,
  known,
  NOW_MS,
  OTHER,
  owner,
  request,
  swapOffer,
  swapRequest,
  wireOffer
} from "../Offers.ts"
import { batchRequest, localRequest, UNLISTED, wireBatch, wireQuotes } from "../WireBatch.ts"

const options: ReviewOptions = { ...known, maxSlippageBps: 200 }

const review = (body: unknown = wireBatch(), asked: SweepQuotesRequest = batchRequest, more: ReviewOptions = {}) =>
  reviewSweepQuotes(readSweepQuotes(body), asked, { ...options, ...more })

const mismatches = (run: () => unknown): ReadonlyArray<string> => {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    throw error
  }
}

describe("the review of many quotes", () => {
  it("tells what to show of each, and derives one message", () => {
    const { authorizations, expiresAt, leftOut, legs, typedData } = review()
    assert.deepStrictEqual(
      legs.map(({ chainId, receive, send }) => [chainId, send.token, receive.minAmount, receive.guaranteedBy]),
      [
        [8453, crossRequest.tokenIn, 24_800_000n, "bridge"],
        [8453, swapRequest.tokenIn, 24_800_000n, "bridge"]
      ]
    )
    assert.deepStrictEqual<unknown>(leftOut, [{ chainId: 8453, token: UNLISTED, reason: "no_route", mismatches: [] }])
    assert.deepStrictEqual(typedData, batchTypedData(legs))
    assert.strictEqual(expiresAt.getTime(), wireBatch().expiresAtMs)
    assert.lengthOf(authorizations, 1)
  })

  it("refuses the whole if an order contradicts its request", () => {
    const hostile = (order: Record<string, string>) =>
      mismatches(() => review(wireQuotes([wireOffer(crossRequest, { order }), { reason: "no_route" }, swapOffer()])))
    assert.deepStrictEqual(hostile({}), [])
    assert.include(hostile({ destination: OTHER }), "quotes.0.order.destination")
    assert.include(hostile({ tokenIn: OTHER }), "quotes.0.order.tokenIn")
    assert.include(hostile({ owner: OTHER }), "quotes.0.order.owner")
    assert.include(hostile({ swapTarget: OTHER }), "quotes.0.order.swapTarget")
  })

  it("takes any amount for a token that is swept whole, and no other for one that is not", () => {
    const asked = (amount: bigint | "max") =>
      mismatches(() =>
        review(wireQuotes([wireOffer(request)]), {
          ...localRequest,
          tokens: [{ chainId: 8453, token: request.tokenIn, amount }]
        })
      )
    assert.deepStrictEqual(asked("max"), [])
    assert.deepStrictEqual(asked(25_000_000n), [])
    assert.deepStrictEqual(asked(24_999_999n), ["quotes.0.order.amountIn"])
  })

  it("refuses quotes that are not of the tokens that were asked for, in their order", () => {
    const [usdc, none, dai] = [wireOffer(crossRequest), { reason: "no_route" }, swapOffer()]
    assert.include(
      mismatches(() => review(wireQuotes([dai, none, usdc]))),
      "quotes.0.order.tokenIn"
    )
    assert.include(
      mismatches(() => review(wireQuotes([usdc, dai, none]))),
      "quotes.1.order.tokenIn"
    )
    assert.include(
      mismatches(() => review(wireQuotes([usdc, none]))),
      "quotes"
    )
    const body = wireBatch()
    const twice = body.quotes.map((entry) =>
      "quote" in entry ? { ...entry, quote: { ...entry.quote, id: "one" } } : entry
    )
    assert.include(
      mismatches(() => review({ ...body, quotes: twice })),
      "quotes: ids"
    )
  })

  it("leaves out an order that only breaks a limit, and says so", () => {
    const most = {
      tokens: batchRequest.tokens.map((token, index) => (index === 0 ? { ...token, minAmountOut: 10n ** 9n } : token))
    }
    const { leftOut, legs } = review(wireBatch(), { ...batchRequest, ...most })
    assert.deepStrictEqual(
      legs.map(({ send }) => send.token),
      [swapRequest.tokenIn]
    )
    assert.deepStrictEqual(
      leftOut.map(({ mismatches: [first], reason, token }) => [token, reason, first?.field]),
      [
        [crossRequest.tokenIn, "over_limit", "quotes.0.quote.minAmountOut"],
        [UNLISTED, "no_route", undefined]
      ]
    )
    assert.throws(() => review(wireBatch(), batchRequest, { maxFeeBps: 1 }), NothingToSweepError, "over_limit")
  })

  it("refuses authorizations for another delegate, twice for a chain, or for a chain without an order", () => {
    const body = wireBatch()
    const [first] = body.signing.authorizations
    const of = (...authorizations: ReadonlyArray<unknown>) =>
      mismatches(() => review({ ...body, signing: { ...body.signing, authorizations } }))
    assert.deepStrictEqual(of(), [])
    assert.deepStrictEqual(of({ ...first, address: OTHER }), ["signing.authorizations.0.address"])
    assert.deepStrictEqual(of({ ...first, chainId: 0 }), ["signing.authorizations.0.chainId"])
    assert.deepStrictEqual(of(first, first), ["signing.authorizations.1.chainId"])
  })

  it("refuses an authorization for the delegate of an order that is left out, if another order names a different one", () => {
    const [evil, real] = [wireOffer(crossRequest, { quote: { settlementAddress: OTHER } }), swapOffer()]
    const tokens: SweepQuotesRequest["tokens"] = batchRequest.tokens.map((token) =>
      token.token === crossRequest.tokenIn ? { ...token, minAmountOut: 10n ** 9n } : token
    )
    const of = (entries: Parameters<typeof wireQuotes>[0], asked: typeof tokens, address: string) => {
      const body = wireQuotes(entries)
      const authorizations = body.signing.authorizations.map((each) => ({ ...each, address }))
      return mismatches(() =>
        reviewSweepQuotes(
          readSweepQuotes({ ...body, signing: { ...body.signing, authorizations } }),
          { ...batchRequest, tokens: asked },
          { nowMs: NOW_MS, maxSlippageBps: 200, unconfirmedDelegates: "warn" }
        )
      )
    }
    const field = ["signing.authorizations.0.address"]
    assert.deepStrictEqual(of([evil, { reason: "no_route" }, real], tokens, OTHER), field)
    assert.deepStrictEqual(of([evil, { reason: "no_route" }, real], tokens, DELEGATE), field)
    assert.deepStrictEqual(of([real, { reason: "no_route" }, evil], tokens.toReversed(), OTHER), field)
    assert.deepStrictEqual(of([evil, { reason: "no_route" }, real], batchRequest.tokens, OTHER), field)
  })

  it("keeps no authorization for another delegate than that of every chosen leg", () => {
    const all = review()
    const authorizations = all.authorizations.map((each) => ({ ...each, address: OTHER }) as const)
    const chosen = mismatches(() => selectLegs({ ...all, authorizations }, () => true))
    assert.deepStrictEqual(chosen, ["signing.authorizations.0.address"])
    const [first, ...others] = all.legs
    const mixed = { ...all, legs: [first, ...others.map((leg) => ({ ...leg, delegate: OTHER }) as const)] as const }
    assert.deepStrictEqual(
      mismatches(() => selectLegs(mixed, () => true)),
      ["signing.authorizations.0.address"]
    )
    assert.deepStrictEqual(selectLegs(mixed, (leg) => leg === first).authorizations, all.authorizations)
  })

  it("lets the user leave out legs, and their authorizations with them", () => {
    const all = review()
    const some = selectLegs(all, ({ send }) => send.token === swapRequest.tokenIn)
    assert.lengthOf(some.legs, 1)
    assert.deepStrictEqual(some.typedData, batchTypedData(some.legs))
    assert.deepStrictEqual(some.authorizations, all.authorizations)
    assert.throws(() => selectLegs(all, () => false), NothingToSweepError)
    const elsewhere = { ...all, authorizations: all.authorizations.map((each) => ({ ...each, chainId: 10 })) }
    assert.deepStrictEqual(selectLegs(elsewhere, () => true).authorizations, [])
  })
})

describe("signing many quotes", () => {
  it("takes one signature of the legs, and one for each authorization", async () => {
    const reviewed = review()
    const { authorizations, quoteIds, signature } = await signBatch(reviewed, owner)
    assert.deepStrictEqual(
      quoteIds,
      reviewed.legs.map(({ quoteId }) => quoteId)
    )
    assert.strictEqual(await recoverTypedDataAddress({ ...reviewed.typedData, signature }), owner.address)
    assert.deepStrictEqual(
      authorizations.map(({ address, chainId, nonce }) => ({ address, chainId, nonce })),
      reviewed.authorizations
    )
  })

  it("refuses the signature of another key, and another account's wallet", async () => {
    const other = privateKeyToAccount(generatePrivateKey())
    const code = (signer: Parameters<typeof signBatch>[1]) =>
      signBatch(review(), signer).then(
        () => "signed",
        (error: unknown) => (error instanceof SigningError ? `${error.what}: ${error.code}` : String(error))
      )
    assert.strictEqual(await code(other), "order: wrong_signer")
    assert.strictEqual(
      await code({ ...owner, signTypedData: (data) => other.signTypedData(data) }),
      "order: wrong_signer"
    )
    assert.strictEqual(
      await code({ ...owner, signAuthorization: (data) => other.signAuthorization(data) }),
      "authorization: wrong_signer"
    )
  })
})
