import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import * as VenueOffers from "../../../src/adapters/prices/VenueOffers.ts"
import { RoutingUnavailable, type SwapRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address, chain } from "../../support/FakeChain.ts"

const silence = new RoutingUnavailable({ provider: "venue", detail: "away" })
const silent = Result.fail(silence)
const none = Result.succeed(Option.none())
const some = <A>(value: A) => Result.succeed(Option.some(value))

const route: SwapRoute = {
  provider: "venue",
  target: address(0x21),
  calldata: "0x01",
  amountOut: 100n,
  minAmountOut: 1n,
  gas: 0n,
  passing: 0
}

const alone = { found: some(route), whole: none, before: some([]) }

/** Wei that the offer counts for; "none" without one, and "unknown" after a failure. */
const told = (offered: Result.Result<Option.Option<VenueOffers.BoundedOffer>, unknown>) =>
  Result.match(offered, {
    onFailure: () => "unknown" as const,
    onSuccess: Option.match({ onNone: () => "none" as const, onSome: ({ atMost }) => atMost })
  })

const tenth = (output: bigint) => output / 10n

describe("the offer of an exchange", () => {
  it("counts for the least of what the exchange pays now and paid before", () => {
    assert.strictEqual(told(VenueOffers.offerBy(alone, undefined)), 100n)
    assert.strictEqual(told(VenueOffers.offerBy({ ...alone, before: some([90n, 95n]) }, undefined)), 90n)
    assert.strictEqual(told(VenueOffers.offerBy({ ...alone, before: some([49n, 95n]) }, undefined)), "none")
    const share = { ...alone, whole: some(600n), before: some([500n]) }
    assert.strictEqual(told(VenueOffers.offerBy(share, tenth)), 50n)
  })

  it("is none if one answer says so, whatever is not answered", () => {
    for (const answers of [
      { found: none, whole: silent, before: silent },
      { found: silent, whole: silent, before: none }
    ])
      assert.strictEqual(told(VenueOffers.offerBy(answers, undefined)), "none")
    assert.strictEqual(told(VenueOffers.offerBy({ found: silent, whole: none, before: silent }, tenth)), "none")
  })

  it("is not known without one of the answers that it depends on", () => {
    assert.strictEqual(told(VenueOffers.offerBy({ ...alone, found: silent }, undefined)), "unknown")
    assert.strictEqual(told(VenueOffers.offerBy({ ...alone, before: silent }, undefined)), "unknown")
    assert.strictEqual(told(VenueOffers.offerBy({ ...alone, whole: silent }, tenth)), "unknown")
  })
})

describe("the outputs in the earlier blocks", () => {
  const earlier = (...answers: Parameters<typeof VenueOffers.earlierOf>[0]) =>
    Result.match(VenueOffers.earlierOf(answers), {
      onFailure: () => "unknown" as const,
      onSuccess: Option.getOrUndefined
    })

  it("are none if one of them is, whatever is not answered", () => {
    assert.isUndefined(earlier(silent, none))
    assert.isUndefined(earlier(none, some(5n)))
    assert.strictEqual(earlier(some(5n), silent), "unknown")
    assert.deepStrictEqual(earlier(some(5n), some(6n)), [5n, 6n])
    assert.deepStrictEqual(earlier(), [])
  })
})

describe("the best offer", () => {
  const offer = (atMost: bigint) => some({ router: address(0x21), calldata: "0x" as const, atMost })
  const best = (...offers: Parameters<typeof VenueOffers.bestOf>[1]) => VenueOffers.bestOf({ chain }, offers)

  it("is the one that counts for most, whatever other exchanges do not answer", () => {
    assert.strictEqual(told(best(offer(5n), none, offer(7n), silent, offer(6n))), 7n)
    assert.strictEqual(told(best(none, silent, offer(1n))), 1n)
  })

  it("carries the silence of other exchanges, which may pay more", () => {
    const unanswered = (...offers: Parameters<typeof VenueOffers.bestOf>[1]) =>
      Option.getOrUndefined(Option.map(Result.getOrThrow(best(...offers)), (found) => found.unanswered?.message))
    assert.include(unanswered(offer(5n), silent), silence.message)
    assert.isUndefined(unanswered(offer(5n), none))
  })

  it("is none if each exchange says so", () => {
    assert.strictEqual(told(best(none, none)), "none")
    assert.strictEqual(told(best()), "none")
  })

  it("is not known if there is none, and an exchange did not answer", () => {
    for (const found of [best(silent, silent), best(none, silent), best(silent, none, none)])
      assert.include(Result.isFailure(found) ? found.failure.message : "", silence.message)
  })
})
