/** The receipt of a sweep whose swap on arrival failed, or that failed, or of which the service forgot a part. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Intent, ServedChain } from "../../src/sdk/index.ts"
import { keyOf, makeCatalog, NATIVE } from "../../src/web/sweep/catalog.ts"
import { arrivedText, leftAfter, outcomeOf, receiptText, refundSymbol, restOf } from "../../src/web/sweep/receipt.ts"
import { lastSeen, type Submission, UNKNOWN_TO_SERVICE } from "../../src/web/sweep/submissions.ts"

const at = (digit: string): Address => `0x${digit.repeat(40)}`

const [USDC, WETH] = [at("a"), at("b")]

const chain: ServedChain = {
  id: 1,
  name: "alpha",
  nativeSymbol: "ETH",
  wrappedNative: WETH,
  contracts: { delegate: at("1"), guard: at("2"), entry: at("3") },
  blockTimeMillis: 1_000,
  confirmations: 1,
  features: { source: true, swap: true, bridgeDestinations: [], swapBeforeBridge: false }
}

const catalog = makeCatalog([chain], [{ chainId: 1, address: USDC, symbol: "USDC", name: "USD Coin", decimals: 6 }])

const sent = (id: string, more: Partial<Submission>): Submission => ({
  id,
  submittedAtMs: 0,
  send: { chainId: 1, token: at("c"), amount: "1", symbol: "ABC" },
  receive: { chainId: 1, token: USDC, amount: "4900000", destination: at("9") },
  status: "delivered",
  ...more
})

describe("a sweep whose swap on arrival failed", () => {
  const instead = sent("a", { instead: { token: WETH, amount: "100000000000000000" } })
  const swapped = sent("b", { amountOut: "5000000" })

  it("tells what arrived in place of the wanted token, and counts it as nothing else", () => {
    assert.strictEqual(arrivedText(catalog, [instead]), "0.1 WETH")
    assert.strictEqual(arrivedText(catalog, [instead, swapped]), "5 USDC and 0.1 WETH")
    assert.strictEqual(outcomeOf([instead, swapped]).arrived, 5_000_000n)
    const receipt = receiptText(catalog, [instead])
    assert.include(receipt, "Alpha: 0.1 WETH arrived")
    assert.notInclude(receipt, "USDC arrived")
  })

  it("tells it after the page was closed, too", () => {
    const seen: Intent["arrivedInstead"] = { token: WETH, amount: 10n ** 17n }
    assert.deepStrictEqual(lastSeen(instead).arrivedInstead, seen)
  })
})

describe("a sweep that failed", () => {
  const crossing = { chainId: 1, token: WETH }
  const failed = (failureReason: string, more: Partial<Submission> = {}) =>
    leftAfter(catalog, sent("a", { status: "failed", failureReason, ...more }))

  it("leaves what the bridge refunded, or else what was sent", () => {
    const sentToken = { chainId: 1, address: at("c") }
    assert.deepStrictEqual(failed("bridge_refunded", { crossing }), { chainId: 1, address: WETH })
    assert.deepStrictEqual(failed("bridge_refunded"), sentToken)
    assert.deepStrictEqual(failed("expired", { crossing }), sentToken)
  })

  it("leaves the wrapped token if native currency crossed the bridge", () => {
    const native = { send: { chainId: 1, token: NATIVE, amount: "9" }, bridged: "7" }
    const wrapped = { chainId: 1, address: WETH }
    assert.deepStrictEqual(failed("bridge_refunded", native), wrapped)
    assert.deepStrictEqual(failed("expired", native), { chainId: 1, address: NATIVE })
    assert.deepStrictEqual(failed("bridge_refunded", { ...native, crossing: { chainId: 1, token: USDC } }), {
      chainId: 1,
      address: USDC
    })
    const refunded = sent("a", { status: "failed", failureReason: "bridge_refunded", ...native })
    assert.deepStrictEqual(restOf(catalog, [refunded]), new Map([[keyOf(wrapped), 7n]]))
    assert.strictEqual(refundSymbol(catalog, refunded), "WETH")
    assert.strictEqual(refundSymbol(catalog, { ...refunded, refundedToken: USDC }), "USDC")
    assert.isUndefined(refundSymbol(catalog, sent("a", {})), "the sent token")
  })

  it("leaves the token that the service saw refunded", () => {
    const seen = { refunded: "8", refundedToken: USDC }
    const send = { chainId: 1, token: NATIVE, amount: "9" }
    for (const more of [seen, { ...seen, crossing }, { ...seen, send }]) {
      assert.deepStrictEqual(failed("bridge_refunded", more), { chainId: 1, address: USDC })
    }
  })

  it("leaves the amount that was sent, or the refund's, or the least that was bridged", () => {
    const rest = (failureReason: string, more: Partial<Submission> = {}) =>
      restOf(catalog, [sent("a", { status: "failed", failureReason, ...more })])
    const [SENT, BRIDGED] = [keyOf({ chainId: 1, address: at("c") }), keyOf({ chainId: 1, address: WETH })]
    assert.deepStrictEqual(rest("expired", { crossing, bridged: "7" }), new Map([[SENT, 1n]]))
    assert.deepStrictEqual(rest("bridge_refunded", { crossing, bridged: "7" }), new Map([[BRIDGED, 7n]]))
    assert.deepStrictEqual(rest("bridge_refunded", { crossing, bridged: "7", refunded: "8" }), new Map([[BRIDGED, 8n]]))
    assert.deepStrictEqual(rest("bridge_refunded", { bridged: "7" }), new Map([[SENT, 7n]]))
    assert.deepStrictEqual(rest("bridge_refunded"), new Map([[SENT, 1n]]), "stored by an earlier version")
    assert.deepStrictEqual(rest("bridge_refunded", { crossing }), new Map(), "not known, so nothing is offered")
  })

  it("leaves the sum of what several intents left of a token, without a part that is not known", () => {
    const refund = sent("a", { status: "failed", failureReason: "bridge_refunded", crossing })
    const weth = sent("b", {
      status: "failed",
      failureReason: "expired",
      send: { chainId: 1, token: WETH, amount: "5" }
    })
    const key = keyOf({ chainId: 1, address: WETH })
    for (const known of [{ refunded: "7" }, { bridged: "7" }, { bridged: "6", refunded: "7" }]) {
      assert.deepStrictEqual(restOf(catalog, [{ ...refund, ...known }, weth]), new Map([[key, 12n]]))
    }
    for (const failed of [
      [refund, weth],
      [weth, refund]
    ]) {
      assert.deepStrictEqual(restOf(catalog, failed), new Map([[key, 5n]]))
    }
  })
})

describe("a sweep of which the service forgot a part", () => {
  const [delivered, failed, unknown] = [
    sent("a", { amountOut: "5000000", endedAtMs: 1_000, isTimed: true }),
    sent("b", { status: "failed", failureReason: "expired", endedAtMs: 1_000, isTimed: true }),
    sent("c", { status: "failed", failureReason: UNKNOWN_TO_SERVICE, endedAtMs: 10 ** 10, isTimed: true })
  ]

  it("neither counts that part as failed nor tells how long it took", () => {
    const { isEnded, tookMillis, ...outcome } = outcomeOf([delivered, failed, unknown])
    assert.isTrue(isEnded)
    assert.isUndefined(tookMillis)
    assert.deepStrictEqual(outcome.failed, [failed])
    assert.deepStrictEqual(outcome.unknown, [unknown])
  })

  it("says so in the receipt", () => {
    const receipt = receiptText(catalog, [delivered, unknown])
    assert.include(receipt, "Alpha: not known. The service no longer knows this sweep. Check your balance.")
    assert.notInclude(receipt, "failed")
  })
})

describe("the receipt of an unlisted token", () => {
  const foo = (decimals?: number) =>
    sent("a", {
      amountOut: "5000000",
      send: {
        chainId: 1,
        token: at("c"),
        amount: "2500000000000000000",
        symbol: "FOO",
        ...(decimals === undefined ? {} : { decimals })
      }
    })

  it("has its amount by the decimals that were stored with it", () => {
    assert.include(receiptText(catalog, [foo(18)]), "\n2.5 FOO on Alpha: 5 USDC arrived")
  })

  it("leaves the amount out if they are not known", () => {
    assert.include(receiptText(catalog, [foo()]), "\nFOO on Alpha: 5 USDC arrived")
  })
})

describe("the time that a sweep took", () => {
  const took = (more: Partial<Submission>) => receiptText(catalog, [sent("a", { endedAtMs: 42_000, ...more })])

  it("is told if a page was open from the signature to the end, and only then", () => {
    assert.include(took({ isTimed: true }), "within 42 s")
    for (const isTimed of [undefined, false]) {
      assert.notInclude(took(isTimed === undefined ? {} : { isTimed }), "within")
    }
  })
})
