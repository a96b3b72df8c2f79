/** The review of the widget rests on facts of the host and of the package, and on those of the service with a warning alone. */
import { assert, describe, it } from "vitest"
import { reviewOrder } from "../../src/sdk/index.ts"
import { readOffer } from "../../src/sdk/wire/Offer.ts"
import { delegatesOf, type WidgetReview, widgetReview } from "../../src/web/sweep/widgetReview.ts"
import { DELEGATE, NOW_MS, OTHER, replaced, request, wireOffer } from "../sdk/Offers.ts"

const reviewed = (known?: WidgetReview) =>
  reviewOrder(readOffer(wireOffer()), request, { ...widgetReview(known), nowMs: NOW_MS })

const WARNING = /only the service says that 0x1{40} is the delegate of chain 8453/

describe("the review of the widget", () => {
  it("warns about the service's delegate if nobody names one", () => {
    for (const known of [undefined, {}, { maxFeeBps: 1_000 }]) {
      const { receive, warnings } = reviewed(known)
      assert.match(warnings.join(), WARNING)
      assert.strictEqual(receive.guaranteedBy, "service")
    }
  })

  it("does not warn about a delegate that the host names, and refuses any other", () => {
    const { receive, warnings } = reviewed({ delegates: { 8453: DELEGATE } })
    assert.notMatch(warnings.join(), WARNING)
    assert.strictEqual(receive.guaranteedBy, "order")
    for (const delegates of [{ 8453: OTHER }, { 1: DELEGATE }, {}] as const) {
      assert.throws(() => reviewed({ delegates }), /quote\.settlementAddress/)
    }
  })

  it("accepts orders of the EIP-712 domain that the host names, and no others", () => {
    const offer = readOffer(replaced(wireOffer(), ["signing", "typedData", "domain", "name"], () => "Acme"))
    const of = (known: WidgetReview) => reviewOrder(offer, request, { ...widgetReview(known), nowMs: NOW_MS })
    assert.strictEqual(of({ domainName: "Acme" }).typedData.domain.name, "Acme")
    assert.throws(() => of({}), /signing\.typedData\.domain\.name/)
  })

  it("knows the delegates of the host before those of the package", () => {
    assert.deepStrictEqual(delegatesOf({ delegates: { 1: OTHER } }, { 1: DELEGATE, 2: DELEGATE }), {
      1: OTHER,
      2: DELEGATE
    })
    assert.deepStrictEqual(delegatesOf(undefined, { 1: DELEGATE }), { 1: DELEGATE })
    assert.deepStrictEqual(delegatesOf({}, {}), {})
  })

  it("refuses a delegate that a package does not name which names any", () => {
    assert.strictEqual(widgetReview({}, { 1: DELEGATE }).unconfirmedDelegates, "refuse")
    assert.strictEqual(widgetReview({}, {}).unconfirmedDelegates, "warn")
  })
})
