/** The tables of routers, and what the review makes of them. */
import { assert, describe, it } from "vitest"
import { getAddress, type Hex, zeroAddress } from "viem"
import { KNOWN_CHAINS } from "../../../../src/catalog/KnownChains.ts"
import type { VenueFamily } from "../../../../src/domain/Venue.ts"
import {
  KNOWN_ROUTERS,
  OrderMismatchError,
  readOffer,
  reviewOrder,
  type ReviewOptions,
  type Routers,
  type SweepRequest
} from "../../../../src/sdk/index.ts"
import {
  AGGREGATOR_ROUTERS,
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  readVenueCall,
  VENUE_ROUTERS,
  venueRouters
} from "../../../../src/sdk/venues.ts"
import { known, OTHER, request, wireOffer } from "../../Offers.ts"
import { AGGREGATORS } from "../../AggregatorCalls.ts"
import { EXCHANGES, several, solidly, unwrapped, v2, v3 } from "../../VenueCalls.ts"

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

/** The fields that the review refuses, or the warnings of a review that accepts. */
const outcome = (swapTarget: Hex, swapCalldata: Hex, more: ReviewOptions = {}, asked: SweepRequest = request) => {
  try {
    const offer = readOffer(wireOffer(asked, { order: { swapTarget, swapCalldata } }))
    return { warnings: reviewOrder(offer, asked, { ...known, ...more }).warnings.slice(1) }
  } catch (error) {
    if (error instanceof OrderMismatchError) return { refused: error.mismatches.map(({ field }) => field) }
    throw error
  }
}

const accepted = { warnings: [] }

describe("the routers of exchanges", () => {
  it("are checksummed, on six chains", () => {
    assert.deepStrictEqual(Object.keys(VENUE_ROUTERS), ["1", "10", "56", "137", "8453", "42161"])
    assert.deepStrictEqual(Object.keys(AGGREGATOR_ROUTERS), Object.keys(VENUE_ROUTERS))
    for (const routers of [...Object.values(VENUE_ROUTERS), ...Object.values(AGGREGATOR_ROUTERS)]) {
      for (const address of Object.keys(routers)) assert.strictEqual(getAddress(address), address)
    }
  })

  it("are those of the catalogue, each with the reader of its family", () => {
    const readerOf = ({
      family,
      hasDeadlineInSwap
    }: {
      readonly family: VenueFamily
      readonly hasDeadlineInSwap?: boolean
    }) => {
      switch (family) {
        case "uniswap-v2":
          return readUniswapV2Call
        case "uniswap-v3":
          return hasDeadlineInSwap === true ? readUniswapV3Call : readSwapRouter02
        case "solidly":
          return readSolidlyCall
        case "slipstream":
          return readSlipstreamCall
        case "uniswap-v4":
          return readUniswapV4Call
      }
    }
    const catalogue = Object.entries(KNOWN_CHAINS).map(([id, { swapRouter, venues = [] }]) => [
      id,
      Object.fromEntries([
        ...(swapRouter === undefined ? [] : [[swapRouter, readSwapRouter02]]),
        ...venues.map((venue) => [venue.router, readerOf(venue)])
      ])
    ])
    assert.deepStrictEqual(VENUE_ROUTERS, Object.fromEntries(catalogue))
  })

  it("contain those that the client knows by itself", () => {
    for (const [id, router] of Object.entries(KNOWN_ROUTERS)) {
      assert.strictEqual(VENUE_ROUTERS[Number(id)]?.[router], readSwapRouter02)
    }
  })

  it("make the review accept each family, for the order's terms alone", () => {
    for (const { call, router } of Object.values(EXCHANGES)) {
      const options = { routers: VENUE_ROUTERS }
      const refused = (field: string) => ({ refused: [`order.swapCalldata${field}`] })
      assert.deepStrictEqual(outcome(router, call(), options), accepted)
      assert.deepStrictEqual(outcome(router.toLowerCase() as Hex, call(), options), accepted)
      assert.deepStrictEqual(outcome(router, call({ tokenIn: OTHER }), options), refused(".tokenIn"))
      assert.deepStrictEqual(outcome(router, call({ tokenOut: OTHER }), options), refused(".tokenOut"))
      assert.deepStrictEqual(outcome(router, call({ amountIn: 1n }), options), refused(".amountIn"))
      assert.deepStrictEqual(outcome(router, call({ recipient: OTHER }), options), refused(".recipient"))
      assert.deepStrictEqual(outcome(router, `${call()}00`, options), refused(""))
    }
  })

  it("are no option of their own: without them only SwapRouter02 is known", () => {
    const { SwapRouter02, ...others } = EXCHANGES
    assert.deepStrictEqual(outcome(SwapRouter02.router, SwapRouter02.call()), accepted)
    for (const { call, router } of Object.values(others)) {
      assert.include(outcome(router, call()).refused ?? [], "order.swapTarget")
    }
  })

  it("take only calls of their own family", () => {
    const options = { routers: VENUE_ROUTERS }
    const unreadable = { refused: ["order.swapCalldata"] }
    assert.deepStrictEqual(outcome(EXCHANGES["Uniswap v2"].router, solidly(), options), unreadable)
    assert.deepStrictEqual(outcome(EXCHANGES.Aerodrome.router, v2(), options), unreadable)
    assert.deepStrictEqual(outcome(EXCHANGES.SwapRouter02.router, v3(), options), unreadable)
  })

  it("pay native currency from any family", () => {
    const asked = { ...request, tokenOut: NATIVE } as const
    const options = { routers: VENUE_ROUTERS }
    const of = (router: Hex, call: Hex) => outcome(router, call, options, asked)
    assert.deepStrictEqual(of(EXCHANGES["Uniswap v2"].router, v2({}, "swapExactTokensForETH")), accepted)
    assert.deepStrictEqual(of(EXCHANGES.Aerodrome.router, solidly({}, "swapExactTokensForETH")), accepted)
    const held = several(v3({ recipient: zeroAddress }), unwrapped())
    assert.deepStrictEqual(of(EXCHANGES["SushiSwap v3"].router, held), accepted)
    assert.deepStrictEqual(of(EXCHANGES["Uniswap v2"].router, v2()), { refused: ["order.swapCalldata.unwraps"] })
    const ofOther = v2({ tokenOut: OTHER }, "swapExactTokensForETH")
    assert.deepStrictEqual(of(EXCHANGES["Uniswap v2"].router, ofOther), { refused: ["order.swapCalldata.tokenOut"] })
  })
})

describe("routers of the caller", () => {
  const of = (routers: Routers, more: ReviewOptions = {}) =>
    outcome(OTHER, v2(), { routers: { 8453: routers }, ...more })

  it("are read by the caller's readers", () => {
    assert.deepStrictEqual(of({ [OTHER]: readUniswapV2Call }), accepted)
    assert.deepStrictEqual(of({ [OTHER]: readSwapRouter02 }), { refused: ["order.swapCalldata"] })
  })

  it("replace those of the chain, also by none", () => {
    const { call, router } = EXCHANGES.SwapRouter02
    const refused = { refused: ["order.swapTarget"] }
    assert.deepStrictEqual(outcome(router, call(), { routers: { 8453: { [OTHER]: readUniswapV2Call } } }), refused)
    assert.deepStrictEqual(outcome(router, call(), { routers: { 8453: {} } }), refused)
    assert.deepStrictEqual(outcome(router, call(), { routers: { 8453: {} }, unconfirmed: "warn" }), refused)
    assert.deepStrictEqual(outcome(router, call(), { routers: { 1: {} } }), accepted)
  })

  it("read calls of routers that only the service states, if it asks for that", () => {
    const asked = { ...request, sourceChainId: 99, destChainId: 99 }
    const changes = {
      order: { swapTarget: OTHER, swapCalldata: v2() },
      quote: { sourceChainId: 99, crossChain: false }
    }
    const offer = readOffer(wireOffer(asked, changes))
    const moved = {
      ...offer,
      signing: { ...offer.signing, authorization: { ...offer.signing.authorization, chainId: 99 } }
    }
    const fields = (more: ReviewOptions) => {
      try {
        reviewOrder(moved, asked, { ...known, unconfirmed: "warn", ...more })
        return []
      } catch (error) {
        if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
        throw error
      }
    }
    assert.include(fields({}), "order.swapCalldata")
    assert.notInclude(fields({ unlistedRouter: readVenueCall }), "order.swapCalldata")
    assert.notInclude(fields({ unlistedRouter: readVenueCall }), "order.swapTarget")
    assert.include(fields({ unlistedRouter: readVenueCall, unconfirmed: "refuse" }), "order.swapTarget")
  })
})

describe("aggregators", () => {
  const trusting = { routers: venueRouters({ trustAggregators: true }) }

  it("are refused unless the caller trusts them", () => {
    assert.strictEqual(venueRouters(), VENUE_ROUTERS)
    for (const { call, router } of Object.values(AGGREGATORS)) {
      assert.include(outcome(router, call()).refused ?? [], "order.swapTarget")
      assert.include(outcome(router, call(), { routers: VENUE_ROUTERS }).refused ?? [], "order.swapTarget")
      assert.strictEqual(outcome(router, call(), trusting).warnings?.length, 1)
      assert.strictEqual(outcome(router, call(), { routers: AGGREGATOR_ROUTERS }).warnings?.length, 1)
    }
    const { call, router } = EXCHANGES.Aerodrome
    assert.deepStrictEqual(outcome(router, call(), trusting), accepted)
  })

  it("are held to the terms that their calls state", () => {
    for (const { call, router } of Object.values(AGGREGATORS)) {
      const refused = (field: string) => ({ refused: [`order.swapCalldata${field}`] })
      assert.deepStrictEqual(outcome(router, call({ tokenIn: OTHER }), trusting), refused(".tokenIn"))
      assert.deepStrictEqual(outcome(router, call({ tokenOut: OTHER }), trusting), refused(".tokenOut"))
      assert.deepStrictEqual(outcome(router, call({ amountIn: 1n }), trusting), refused(".amountIn"))
      assert.deepStrictEqual(outcome(router, call({ recipient: OTHER }), trusting), refused(".recipient"))
      assert.deepStrictEqual(outcome(router, `${call()}00`, trusting), refused(""))
    }
  })

  it("pay native currency by its own name", () => {
    const asked = { ...request, tokenOut: NATIVE } as const
    for (const [name, { call, router }] of Object.entries(AGGREGATORS)) {
      const tokenOut = name === "LI.FI" ? zeroAddress : NATIVE
      assert.strictEqual(outcome(router, call({ tokenOut }), trusting, asked).warnings?.length, 1, name)
      assert.deepStrictEqual(outcome(router, call({ tokenOut }), trusting), {
        refused: ["order.swapCalldata.tokenOut", "order.swapCalldata.unwraps"]
      })
      assert.deepStrictEqual(outcome(router, call(), trusting, asked).refused?.at(-1), "order.swapCalldata.unwraps")
    }
  })
})
