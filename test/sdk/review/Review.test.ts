/** The review refuses every change of the service to an order. */
import { assert, describe, it } from "vitest"
import * as Contract from "../../../src/domain/SweepOrder.ts"
import {
  OrderMismatchError,
  reviewOrder,
  SweepError,
  type ReviewOptions,
  type SweepRequest
} from "../../../src/sdk/index.ts"
import { DEFAULT_DOMAIN_NAME } from "../../../src/sdk/model/DomainName.ts"
import { ORDER_TYPES } from "../../../src/sdk/model/TypedData.ts"
import { readOffer } from "../../../src/sdk/wire/Offer.ts"
import {
  crossRequest,
  DELEGATE,
  deposit,
  type Json,
  known,
  leaves,
  NOW_MS,
  OTHER,
  owner,
  replaced,
  request,
  swapOffer,
  swapRequest,
  without,
  wireOffer
} from "../Offers.ts"

const review = (wire: Json, asked: SweepRequest = request, more: ReviewOptions = {}) =>
  reviewOrder(readOffer(wire), asked, { ...known, ...more })

/** The fields that the review names, or none when it accepts. */
const objections = (wire: Json, asked: SweepRequest = request, more: ReviewOptions = {}): ReadonlyArray<string> => {
  try {
    review(wire, asked, more)
    return []
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    if (error instanceof SweepError) return [error.code]
    throw error
  }
}

/** Members that may differ without a change to the signed data: names, estimates, and times within their limits. */
const INFORMATION = new Set([
  "quote.id",
  "quote.builderId",
  "quote.provider",
  "quote.estimatedSeconds",
  "quote.slippageBps",
  "quote.transferFeeBps",
  "quote.estimatedAmountOut",
  "quote.expiresAtMs",
  "signing.authorization.nonce"
])

/** Members that an answer may lack. */
const OPTIONAL = new Set(["quote.builderId", "quote.slippageBps", "quote.transferFeeBps"])

/** Another value of the same kind. */
const other = (value: Json, salt: number): Json => {
  if (typeof value === "boolean") return !value
  if (typeof value === "number") return value + 1 + salt
  if (typeof value !== "string") return null
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) {
    const digits = `0x${(BigInt(value) ^ (1n + BigInt(salt))).toString(16).padStart(40, "0")}`
    return digits
  }
  if (value.startsWith("0x")) return `${value}${(salt % 256).toString(16).padStart(2, "0")}`
  if (/^[0-9]+$/.test(value)) return (BigInt(value) + 1n + BigInt(salt)).toString()
  return `${value}${salt}`
}

describe("the review", () => {
  const attributed = { ...request, apiKey: "swp_key" }

  it("signs the contract's type under the contract's domain", () => {
    assert.deepStrictEqual(ORDER_TYPES, Contract.TYPES)
    assert.strictEqual(DEFAULT_DOMAIN_NAME, Contract.DEFAULT_DOMAIN_NAME)
  })

  it("tells what to show of a sweep on one chain", () => {
    const found = review(wireOffer())
    assert.deepStrictEqual(found.send, { token: request.tokenIn, amount: 25_000_000n, chainId: 8453 })
    assert.deepStrictEqual(found.fees, { protocol: 125_000n, builder: 0n, total: 125_000n, builderAddress: undefined })
    assert.deepStrictEqual(found.receive, {
      token: request.tokenOut,
      minAmount: 6_890_000_000_000_000n,
      estimatedAmount: 6_925_000_000_000_000n,
      chainId: 8453,
      destination: request.destination ?? owner.address,
      guaranteedBy: "order"
    })
    assert.strictEqual(found.expiresAt.getTime(), NOW_MS + 120_000)
    assert.strictEqual(found.deadline.getTime(), NOW_MS + 720_000)
    assert.strictEqual(found.delegate, DELEGATE)
    assert.deepStrictEqual(found.authorization, { address: DELEGATE, chainId: 8453, nonce: 7 })
    assert.lengthOf(found.warnings, 1)
    assert.include(found.warnings[0], "not to the owner")
  })

  it("reads across chains what the bridge call promises", () => {
    const found = review(wireOffer(crossRequest), crossRequest)
    assert.strictEqual(found.receive.guaranteedBy, "bridge")
    assert.strictEqual(found.receive.minAmount, 24_800_000n)
  })

  it("takes a builder's markup only where one was named", () => {
    assert.deepStrictEqual(review(wireOffer(attributed), attributed).fees, {
      protocol: 125_000n,
      builder: 25_000n,
      total: 150_000n,
      builderAddress: OTHER
    })
    assert.deepStrictEqual(objections(wireOffer(attributed), request), ["order.builder"])
  })

  it("says everything that is wrong, at once", () => {
    const wire = wireOffer(request, { order: { owner: OTHER, tokenIn: OTHER, amountIn: "26000000" } })
    assert.includeMembers([...objections(wire)], ["order.owner", "order.tokenIn", "order.amountIn"])
  })

  for (const [name, asked, wire] of [
    ["one chain", request, wireOffer(request)],
    ["two chains", crossRequest, wireOffer(crossRequest)],
    ["two chains, with a swap", swapRequest, swapOffer()],
    ["one chain, with a builder", attributed, wireOffer(attributed)]
  ] as const) {
    const paths = leaves(wire).filter((path) => !INFORMATION.has(path.join(".")))

    it(`refuses an offer for ${name} with any single field changed`, () => {
      for (const path of paths) {
        for (const salt of [0, 1, 255]) {
          const tampered = replaced(wire, path, (value) => other(value, salt))
          assert.isNotEmpty(objections(tampered, asked), `${path.join(".")} ${salt}`)
        }
      }
    })

    it(`refuses an offer for ${name} that lacks any field`, () => {
      assert.deepStrictEqual(objections(wire, asked), [])
      for (const path of leaves(wire)) {
        if (OPTIONAL.has(path.join("."))) continue
        assert.isNotEmpty(objections(without(wire, path), asked), path.join("."))
      }
    })
  }

  it("refuses what the service changes everywhere alike, unless the request leaves it open", () => {
    const changed = (order: Record<string, string>, quote: Record<string, Json> = {}) =>
      objections(wireOffer(request, { order, quote }))
    assert.deepStrictEqual(changed({ destination: OTHER }), ["order.destination", "order.swapCalldata.recipient"])
    assert.deepStrictEqual(changed({ tokenOut: OTHER }), ["order.tokenOut", "order.swapCalldata.tokenOut"])
    assert.deepStrictEqual(changed({ amountIn: "25000001" }), ["order.amountIn", "order.swapCalldata.amountIn"])
    assert.deepStrictEqual(changed({ destChainId: "10" }), ["order.destChainId"])
    const amount = "order.swapCalldata.amountIn"
    assert.deepStrictEqual(changed({ feeAmount: "25000000" }, { total: "25000000" }), [
      "order.feeAmount",
      "quote.total",
      amount
    ])
    assert.deepStrictEqual(changed({ builderFee: "5" }, { total: "125005" }), ["order.builderFee", amount])
    assert.deepStrictEqual(changed({ minAmountOut: "0" }, { minAmountOut: "0" }), [
      "quote.minAmountOut",
      "quote.minAmountOut"
    ])
    assert.deepStrictEqual(changed({ swapTarget: owner.address }), ["order.swapTarget", "order.swapTarget"])
    assert.deepStrictEqual(changed({ swapTarget: DELEGATE }), ["order.swapTarget", "order.swapTarget"])
    assert.deepStrictEqual(changed({ deadline: String(NOW_MS / 1000 - 200) }), ["order.deadline"])
    assert.deepStrictEqual(changed({ deadline: String(NOW_MS / 1000 + 4_000) }), ["order.deadline"])
    assert.deepStrictEqual(changed({ deadline: String(2n ** 255n) }), ["order.deadline"])
    assert.deepStrictEqual(changed({}, { expiresAtMs: NOW_MS - 121_000 }), ["quote.expiresAtMs"])
    assert.deepStrictEqual(changed({}, { estimatedAmountOut: "1" }), ["quote.estimatedAmountOut"])
    assert.deepStrictEqual(changed({ swapTarget: OTHER }), ["order.swapTarget"])
  })

  it("holds the bridge call against the request", () => {
    const withCall = (swapCalldata: string, more: ReviewOptions = {}) =>
      objections(wireOffer(crossRequest, { order: { swapCalldata } }), crossRequest, more)
    const call = { inputAmount: 24_875_000n }
    assert.deepStrictEqual(withCall(deposit(call)), [])
    assert.deepStrictEqual(withCall(deposit({ ...call, recipient: OTHER })), ["order.swapCalldata.recipient"])
    assert.deepStrictEqual(withCall(deposit({ ...call, depositor: OTHER })), ["order.swapCalldata.depositor"])
    assert.deepStrictEqual(withCall(deposit({ ...call, destChainId: 1n })), ["order.swapCalldata.destChainId"])
    assert.deepStrictEqual(withCall(deposit({ ...call, inputToken: OTHER })), ["order.swapCalldata.inputToken"])
    assert.deepStrictEqual(withCall(deposit({ ...call, outputToken: OTHER })), ["order.swapCalldata.outputToken"])
    assert.deepStrictEqual(withCall(deposit({ ...call, outputAmount: 1n })), ["order.swapCalldata.outputAmount"])
    assert.deepStrictEqual(withCall(deposit({ inputAmount: 1n })), ["order.swapCalldata.inputAmount"])
    for (const unreadable of [deposit({ ...call, message: "0x00" }), `${deposit(call)}00`, "0x12345678", "0x"]) {
      assert.deepStrictEqual(withCall(unreadable), ["order.swapCalldata"])
      assert.deepStrictEqual(withCall(unreadable, { allowUnreadableBridgeCall: true }), [])
    }
  })

  it("says so where only the service's word holds the minimum", () => {
    const wire = wireOffer(crossRequest, { order: { swapCalldata: "0x12345678" } })
    const found = review(wire, crossRequest, { allowUnreadableBridgeCall: true })
    assert.strictEqual(found.receive.guaranteedBy, "service")
    assert.isTrue(found.warnings.some((warning) => warning.includes("only the service says")))
  })

  it("keeps to the limits that the caller sets", () => {
    assert.deepStrictEqual(objections(wireOffer(), { ...request, minAmountOut: 6_890_000_000_000_001n }), [
      "quote.minAmountOut"
    ])
    assert.deepStrictEqual(objections(wireOffer(), { ...request, sourceChainId: 1 }), ["quote.sourceChainId"])
    assert.deepStrictEqual(objections(wireOffer(), request, { maxFeeBps: 50 }), [])
    assert.deepStrictEqual(objections(wireOffer(), request, { maxFeeBps: 49 }), ["quote.total"])
    assert.deepStrictEqual(objections(wireOffer(), request, { delegates: { 8453: DELEGATE } }), [])
    assert.deepStrictEqual(objections(wireOffer(), request, { delegates: { 8453: OTHER } }), [
      "quote.settlementAddress"
    ])
    assert.deepStrictEqual(objections(wireOffer(), request, { delegates: { 1: DELEGATE } }), [
      "quote.settlementAddress"
    ])
    assert.deepStrictEqual(objections(wireOffer(), request, { delegates: {} }), ["quote.settlementAddress"])
    assert.deepStrictEqual(objections(wireOffer(), request, { domainName: "Other" }), ["signing.typedData.domain.name"])
  })

  it("accepts a delegate that only the service states if the caller asks for it, and says so", () => {
    const unlisted: ReviewOptions = { delegates: {}, unconfirmedDelegates: "warn" }
    for (const [wire, asked] of [
      [wireOffer(), request],
      [wireOffer(crossRequest), crossRequest]
    ] as const) {
      const found = review(wire, asked, unlisted)
      assert.strictEqual(found.receive.guaranteedBy, "service")
      assert.isTrue(
        found.warnings.some((text) => text.includes(`only the service says that ${DELEGATE} is the delegate`))
      )
    }
    const named: ReviewOptions = { ...unlisted, delegates: { 8453: OTHER } }
    assert.deepStrictEqual(objections(wireOffer(), request, named), ["quote.settlementAddress"])
    assert.strictEqual(review(wireOffer(), request, { unconfirmedDelegates: "warn" }).receive.guaranteedBy, "order")
    assert.deepStrictEqual(objections(wireOffer(), request, { delegates: {}, unconfirmed: "warn" }), [
      "quote.settlementAddress"
    ])
  })

  it("takes no text for a structure", () => {
    const wire = wireOffer()
    const typedData = { ...wire.signing.typedData, domain: "[object Object]" }
    assert.deepStrictEqual(objections({ ...wire, signing: { ...wire.signing, typedData } }, request), [
      "signing.typedData.domain"
    ])
  })

  it("compares addresses in any case", () => {
    const lowered: SweepRequest = { ...request, owner: `0x${request.owner.slice(2).toLowerCase()}` }
    assert.deepStrictEqual(objections(wireOffer(), lowered), [])
  })
})
