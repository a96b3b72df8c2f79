/** The review of router calls: a call takes what the order takes, pays its destination, and does nothing else. */
import { assert, describe, it } from "vitest"
import { concatHex, encodeFunctionData, type Hex, numberToHex } from "viem"
import {
  OrderMismatchError,
  readOffer,
  readSwapCall,
  reviewOrder,
  type ReviewOptions,
  type SweepRequest
} from "../../../src/sdk/index.ts"
import { known, OTHER, owner, request, routed, ROUTER, routerAbi, swapOf, wireOffer } from "../Offers.ts"

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const WETH = "0x4200000000000000000000000000000000000006"
const THIS = "0x0000000000000000000000000000000000000002"
const DESTINATION = request.destination ?? owner.address
const MINIMUM = 6_890_000_000_000_000n

const review = (swapCalldata: Hex, more: ReviewOptions = {}, asked: SweepRequest = request) =>
  reviewOrder(readOffer(wireOffer(asked, { order: { swapCalldata } })), asked, { ...known, ...more })

const objections = (
  swapCalldata: Hex,
  more: ReviewOptions = {},
  asked: SweepRequest = request
): ReadonlyArray<string> => {
  try {
    review(swapCalldata, more, asked)
    return []
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    throw error
  }
}

const field = (name: string) => [`order.swapCalldata.${name}`]
const unreadable = ["order.swapCalldata"]

const through = (...tokens: ReadonlyArray<Hex>) =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: "exactInput",
    args: [
      {
        path: concatHex(
          tokens.flatMap((token, index) => (index === 0 ? [token] : [numberToHex(500, { size: 3 }), token]))
        ),
        recipient: DESTINATION,
        amountIn: 24_875_000n,
        amountOutMinimum: MINIMUM
      }
    ]
  })

const unwrap = (recipient: Hex = DESTINATION) =>
  encodeFunctionData({ abi: routerAbi, functionName: "unwrapWETH9", args: [MINIMUM, recipient] })

const passOn = (token: Hex, recipient: Hex = DESTINATION) =>
  encodeFunctionData({ abi: routerAbi, functionName: "sweepToken", args: [token, MINIMUM, recipient] })

const pull = (token: Hex, amount: bigint) =>
  encodeFunctionData({ abi: routerAbi, functionName: "pull", args: [token, amount] })

describe("a router call", () => {
  it("is one swap, direct or through other tokens", () => {
    assert.deepStrictEqual(objections(routed(swapOf())), [])
    assert.deepStrictEqual(objections(routed(through(request.tokenIn, OTHER, request.tokenOut))), [])
    assert.deepStrictEqual(readSwapCall(routed(swapOf())), {
      tokenIn: request.tokenIn,
      amountIn: 24_875_000n,
      tokenOut: request.tokenOut,
      minAmountOut: MINIMUM,
      recipient: DESTINATION,
      unwraps: false
    })
  })

  it("is held against the order", () => {
    assert.deepStrictEqual(objections(routed(swapOf({ tokenIn: OTHER }))), field("tokenIn"))
    assert.deepStrictEqual(objections(routed(through(OTHER, request.tokenOut))), field("tokenIn"))
    assert.deepStrictEqual(objections(routed(swapOf({ amountIn: 24_875_001n }))), field("amountIn"))
    assert.deepStrictEqual(objections(routed(swapOf({ amountIn: 0n }))), field("amountIn"))
    assert.deepStrictEqual(objections(routed(swapOf({ recipient: OTHER }))), field("recipient"))
    assert.deepStrictEqual(objections(routed(swapOf({ tokenOut: OTHER }))), field("tokenOut"))
    assert.deepStrictEqual(objections(routed(through(request.tokenIn, OTHER))), field("tokenOut"))
  })

  it("may be divided into three parts, which are held against the order together", () => {
    const part = (amountIn: bigint, other: Parameters<typeof swapOf>[0] = {}) => swapOf({ ...other, amountIn })
    const [one, two, three] = [10_000_000n, 14_000_000n, 875_000n]
    const parts = [part(one), part(two), part(three)]
    assert.deepStrictEqual(objections(routed(...parts)), [])
    assert.deepStrictEqual(readSwapCall(routed(...parts)), {
      tokenIn: request.tokenIn,
      amountIn: 24_875_000n,
      tokenOut: request.tokenOut,
      minAmountOut: 3n * MINIMUM,
      recipient: DESTINATION,
      unwraps: false
    })
    assert.deepStrictEqual(objections(routed(part(one), part(two))), field("amountIn"))
    assert.deepStrictEqual(objections(routed(...parts, part(1n))), unreadable)
    assert.deepStrictEqual(objections(routed(part(one), part(two), part(three - 1n), part(1n))), unreadable)
    const others: ReadonlyArray<Parameters<typeof swapOf>[0]> = [
      { tokenIn: OTHER },
      { tokenOut: OTHER },
      { recipient: OTHER },
      { recipient: THIS }
    ]
    for (const other of others) {
      assert.deepStrictEqual(objections(routed(part(one), part(two), part(three, other))), unreadable)
      assert.deepStrictEqual(objections(routed(part(one, other), part(two), part(three))), unreadable)
    }
    assert.deepStrictEqual(objections(routed(swapOf(), part(0n))), unreadable)
    assert.deepStrictEqual(objections(routed(part(0n), swapOf())), unreadable)
    assert.deepStrictEqual(objections(routed(part(one), part(two + three, { sqrtPriceLimitX96: 1n }))), unreadable)
  })

  it("is refused if it also spends what the owner allowed the router before", () => {
    const theft = swapOf({ tokenIn: OTHER, recipient: OTHER, amountIn: 10n ** 24n, amountOutMinimum: 0n })
    assert.deepStrictEqual(objections(routed(swapOf(), theft)), unreadable)
    assert.deepStrictEqual(objections(routed(theft, swapOf())), unreadable)
    assert.deepStrictEqual(objections(routed(pull(OTHER, 10n ** 24n), swapOf())), unreadable)
    assert.deepStrictEqual(objections(routed(swapOf(), pull(OTHER, 10n ** 24n))), unreadable)
    assert.deepStrictEqual(objections(routed(swapOf({ recipient: THIS }), unwrap(), theft)), unreadable)
  })

  it("is refused if it is anything else", () => {
    for (const calldata of [
      "0x",
      "0x04e45aaf",
      swapOf(),
      routed(),
      routed(unwrap()),
      routed(routed(swapOf())),
      routed(swapOf({ recipient: THIS })),
      routed(swapOf({ sqrtPriceLimitX96: 1n })),
      routed(concatHex([swapOf(), "0x00"])),
      concatHex([routed(swapOf()), "0x00"]),
      routed(concatHex([swapOf().slice(0, -2) as Hex])),
      routed(
        encodeFunctionData({
          abi: routerAbi,
          functionName: "exactInput",
          args: [{ path: request.tokenIn, recipient: DESTINATION, amountIn: 24_875_000n, amountOutMinimum: MINIMUM }]
        })
      )
    ] as ReadonlyArray<Hex>) {
      assert.isUndefined(readSwapCall(calldata), calldata)
      assert.deepStrictEqual(objections(calldata), unreadable)
      assert.deepStrictEqual(objections(calldata, { allowUnreadableSwapCall: true }), [])
    }
    const allowed = review("0x", { allowUnreadableSwapCall: true })
    assert.isTrue(allowed.warnings.some((warning) => warning.includes("cannot be decoded")))
  })

  it("is refused on a router that is not known", () => {
    const elsewhere = (more: ReviewOptions) => {
      const wire = wireOffer(request, { order: { swapTarget: OTHER } })
      try {
        return reviewOrder(readOffer(wire), request, { ...known, ...more }).warnings
      } catch (error) {
        if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
        throw error
      }
    }
    assert.deepStrictEqual(elsewhere({}), ["order.swapTarget"])
    assert.deepStrictEqual(elsewhere({ unconfirmed: "warn" }), ["order.swapTarget"])
    assert.lengthOf(elsewhere({ routers: { 8453: OTHER } }), 1)
    assert.deepStrictEqual(objections(routed(swapOf()), { routers: { 8453: OTHER } }), ["order.swapTarget"])
    assert.deepStrictEqual(objections(routed(swapOf()), { routers: { 1: OTHER } }), [])
    assert.strictEqual(readOffer(wireOffer()).order.swapTarget, ROUTER)
  })
})

describe("native currency on one chain", () => {
  const toNative = { ...request, tokenOut: NATIVE } as const
  const fromNative = { ...request, tokenIn: NATIVE } as const

  it("is swapped into and unwrapped", () => {
    const calldata = routed(swapOf({ recipient: THIS }), unwrap())
    assert.deepStrictEqual(objections(calldata, {}, toNative), [])
    assert.deepStrictEqual(objections(calldata), field("unwraps"))
    const held = (amountIn: bigint) => swapOf({ recipient: THIS, amountIn })
    assert.deepStrictEqual(objections(routed(held(20_000_000n), held(4_875_000n), unwrap()), {}, toNative), [])
    assert.deepStrictEqual(objections(routed(held(20_000_000n), unwrap(), held(4_875_000n)), {}, toNative), unreadable)
    assert.deepStrictEqual(
      objections(routed(held(20_000_000n), swapOf({ amountIn: 4_875_000n }), unwrap()), {}, toNative),
      unreadable
    )
    assert.deepStrictEqual(
      objections(routed(swapOf({ recipient: THIS }), unwrap(OTHER)), {}, toNative),
      field("recipient")
    )
    assert.deepStrictEqual(objections(routed(swapOf(), unwrap()), {}, toNative), unreadable)
    assert.deepStrictEqual(objections(routed(swapOf()), {}, toNative), field("unwraps"))
    assert.deepStrictEqual(
      objections(routed(swapOf({ tokenOut: OTHER, recipient: THIS }), unwrap()), {}, toNative),
      field("tokenOut")
    )
  })

  it("is unwrapped alone", () => {
    const wrapped = { ...toNative, tokenIn: WETH } as const
    assert.deepStrictEqual(objections(routed(pull(WETH, 24_875_000n), unwrap()), {}, wrapped), [])
    assert.deepStrictEqual(objections(routed(pull(WETH, 1n), unwrap()), {}, wrapped), field("amountIn"))
    assert.deepStrictEqual(objections(routed(pull(OTHER, 24_875_000n), unwrap()), {}, wrapped), [
      ...field("tokenIn"),
      ...field("tokenOut")
    ])
  })

  it("is passed on as the wrapped token", () => {
    const wrapped = { ...fromNative, tokenOut: WETH } as const
    const rest = pull(WETH, 24_875_000n)
    assert.deepStrictEqual(objections(routed(rest, passOn(WETH)), {}, wrapped), [])
    assert.deepStrictEqual(objections(routed(rest, passOn(WETH, OTHER)), {}, wrapped), field("recipient"))
    assert.deepStrictEqual(objections(routed(pull(WETH, 1n), passOn(WETH)), {}, wrapped), field("amountIn"))
    assert.deepStrictEqual(objections(routed(pull(OTHER, 24_875_000n), passOn(OTHER)), {}, wrapped), [
      ...field("tokenIn"),
      ...field("tokenOut")
    ])
    for (const calls of [
      [passOn(WETH)],
      [rest],
      [rest, passOn(OTHER)],
      [rest, passOn(WETH), passOn(WETH)],
      [rest, pull(OTHER, 10n ** 24n), passOn(WETH)],
      [rest, passOn(WETH), unwrap()],
      [swapOf(), passOn(request.tokenOut)],
      [swapOf({ recipient: THIS }), passOn(OTHER)]
    ]) {
      assert.deepStrictEqual(objections(routed(...calls), {}, wrapped), unreadable)
    }
  })

  it("is sent as the wrapped token, which must be known", () => {
    assert.deepStrictEqual(objections(routed(swapOf({ tokenIn: WETH })), {}, fromNative), [])
    assert.deepStrictEqual(objections(routed(swapOf({ tokenIn: OTHER })), {}, fromNative), field("tokenIn"))
    const offer = readOffer(wireOffer(fromNative, { order: { swapCalldata: routed(swapOf({ tokenIn: WETH })) } }))
    const moved = {
      ...offer,
      quote: { ...offer.quote, sourceChainId: 99, crossChain: false },
      order: { ...offer.order, destChainId: 99n }
    }
    const of = (more: ReviewOptions) => {
      try {
        reviewOrder(moved, { ...fromNative, sourceChainId: 99, destChainId: 99 }, { ...known, ...more })
        return []
      } catch (error) {
        if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
        throw error
      }
    }
    assert.includeMembers([...of({ routers: { 99: ROUTER } })], field("tokenIn"))
    assert.notIncludeMembers(
      [...of({ routers: { 99: ROUTER }, bridges: { 99: { wrappedNative: WETH } } })],
      field("tokenIn")
    )
  })
})
