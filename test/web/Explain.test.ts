/** Messages of the sweep page: what happened, and what to do. */
import { assert, describe, it } from "vitest"
import { OrderMismatchError, QuoteExpiredError } from "../../src/sdk/index.ts"
import { explain, explainFailure, isOutdated } from "../../src/web/sweep/explain.ts"

describe("a sweep that the bridge gave back", () => {
  it("names what is in the account now", () => {
    const told = (symbol: string | undefined, reason = "bridge_refunded") =>
      explainFailure(reason, { symbol, isPaid: true })
    assert.include(told("USDC"), "USDC is in your account on the source chain")
    assert.include(told(undefined), "what was sent is in your account on the source chain")
    assert.notInclude(told("USDC", "expired"), "USDC")
  })

  it("says that the bridge takes hours until its payment is found", () => {
    const told = explainFailure("bridge_refunded", { symbol: "USDC", isPaid: false })
    assert.include(told, "The bridge returns USDC to your account on the source chain, which takes hours.")
    assert.notInclude(told, "is in your account")
  })
})

describe("orders of another time", () => {
  const mismatch = (...fields: ReadonlyArray<string>) =>
    new OrderMismatchError(fields.map((field) => ({ field, detail: "has passed" })))

  it("are blamed on the device's clock, and other differences on the service", () => {
    for (const error of [
      mismatch("quote.expiresAtMs"),
      mismatch("quotes.0.quote.expiresAtMs", "quotes.0.order.deadline", "quotes.1.quote.expiresAtMs")
    ]) {
      assert.include(explain(error), "Check your device's clock")
      assert.notInclude(explain(error), "Do not use this service")
    }
    for (const error of [
      mismatch("quote.expiresAtMs", "order.destination"),
      mismatch("order.swapCalldata.purchase.deadline")
    ]) {
      assert.include(explain(error), "Do not use this service")
    }
  })

  it("are asked for again if they expired before the wallet was asked", () => {
    const expired = new QuoteExpiredError(["a"], new Date(0))
    assert.isTrue(isOutdated(expired))
    assert.include(explain(expired), "Nothing was signed")
  })
})
