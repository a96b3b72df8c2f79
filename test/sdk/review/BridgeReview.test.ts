/** The review of bridge calls: the owner receives the promised amount, or a refund of as much of the same asset. */
import { assert, describe, it } from "vitest"
import { decodeFunctionData, pad, type Hex } from "viem"
import { OrderMismatchError, reviewOrder, type ReviewOptions, type SweepRequest } from "../../../src/sdk/index.ts"
import { readOffer } from "../../../src/sdk/wire/Offer.ts"
import {
  crossRequest,
  DELEGATE,
  deposit,
  known,
  NOW_MS,
  OTHER,
  owner,
  PERIPHERY,
  SPOKE_POOL,
  swapAbi,
  swapDeposit,
  swapOffer,
  swapRequest,
  wireOffer
} from "../Offers.ts"

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const USDC = crossRequest.tokenIn
const WETH = "0x4200000000000000000000000000000000000006"
const DESTINATION = swapRequest.destination ?? owner.address

const review = (swapCalldata: Hex = swapDeposit(), more: ReviewOptions = {}, asked: SweepRequest = swapRequest) =>
  reviewOrder(readOffer(swapOffer(asked, swapCalldata)), asked, { ...known, ...more })

/** The fields that a review names, or none when it accepts. */
const objections = (run: () => unknown): ReadonlyArray<string> => {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    throw error
  }
}

describe("a swap before the bridge", () => {
  it("is shown, with what comes back if nobody delivers", () => {
    const { receive, send, warnings } = review()
    assert.deepStrictEqual(send, { token: swapRequest.tokenIn, amount: 25_000_000n, chainId: 8453 })
    assert.deepStrictEqual(receive, {
      token: swapRequest.tokenOut,
      minAmount: 24_800_000n,
      estimatedAmount: 24_825_000n,
      chainId: 10,
      destination: DESTINATION,
      guaranteedBy: "bridge",
      via: { token: USDC, minAmount: 24_850_000n, chainId: 8453 }
    })
    assert.lengthOf(warnings, 1)
    assert.include(warnings[0], "not to the owner")
  })

  it("is held against the request", () => {
    const of = (other: Parameters<typeof swapDeposit>[0]) => objections(() => review(swapDeposit(other)))
    const field = (name: string) => [`order.swapCalldata.${name}`]
    assert.deepStrictEqual(of({}), [])
    assert.deepStrictEqual(of({ swapToken: USDC }), field("inputToken"))
    assert.deepStrictEqual(of({ swapTokenAmount: 24_875_001n }), field("inputAmount"))
    assert.deepStrictEqual(of({ depositData: { depositor: OTHER } }), field("depositor"))
    assert.deepStrictEqual(of({ depositData: { recipient: pad(OTHER) } }), field("recipient"))
    assert.deepStrictEqual(of({ depositData: { destinationChainId: 1n } }), field("destChainId"))
    assert.deepStrictEqual(of({ depositData: { outputAmount: 24_800_001n } }), field("outputAmount"))
    assert.deepStrictEqual(of({ minExpectedInputTokenAmount: 24_799_999n }), field("via.minAmount"))
    assert.deepStrictEqual(of({ minExpectedInputTokenAmount: 24_800_000n }), [])
    assert.deepStrictEqual(of({ depositData: { outputToken: pad(OTHER) } }), [
      ...field("outputToken"),
      ...field("via.token")
    ])
  })

  it("is compared in the decimals of both tokens", () => {
    const of = (minExpectedInputTokenAmount: bigint, decimals: Readonly<Record<number, number>>) => {
      const bridges = Object.fromEntries(
        Object.entries(decimals).map(([id, each]) => [id, { decimals: { USDC: each } }])
      )
      return objections(() => review(swapDeposit({ minExpectedInputTokenAmount }), { bridges }))
    }
    const refused = ["order.swapCalldata.via.minAmount"]
    const least = 24_800_000n
    // As from BNB Chain: the amount in the other chain's unit would be nearly nothing.
    assert.deepStrictEqual(of(least, { 8453: 18 }), refused)
    assert.deepStrictEqual(of(least * 10n ** 12n - 1n, { 8453: 18 }), refused)
    assert.deepStrictEqual(of(least * 10n ** 12n, { 8453: 18 }), [])
    // As to BNB Chain, where the promise is in the finer unit.
    assert.deepStrictEqual(of(24n, { 10: 12 }), refused)
    assert.deepStrictEqual(of(25n, { 10: 12 }), [])
    assert.deepStrictEqual(of(least, { 8453: 9, 10: 9 }), [])
  })

  it("is refused into another token than the one that is delivered, and into a pool that is not Across's", () => {
    const of = (other: Parameters<typeof swapDeposit>[0], more: ReviewOptions = {}) =>
      objections(() => review(swapDeposit(other), more))
    assert.deepStrictEqual(of({ depositData: { inputToken: OTHER } }), ["order.swapCalldata.via.token"])
    // 24.8 million of WETH's smallest unit are worth nothing, and nobody pays 24.8 USDC for them.
    assert.deepStrictEqual(of({ depositData: { inputToken: WETH } }), ["order.swapCalldata.via.token"])
    assert.deepStrictEqual(of({ spokePool: OTHER }), ["order.swapCalldata.via.spokePool"])
    assert.deepStrictEqual(of({ spokePool: OTHER }, { bridges: { 8453: { spokePool: OTHER } } }), [])
    assert.deepStrictEqual(of({}, { bridges: { 8453: { spokePool: OTHER } } }), ["order.swapCalldata.via.spokePool"])
    assert.deepStrictEqual(
      of({ depositData: { inputToken: OTHER } }, { bridges: { 8453: { tokens: { USDC: OTHER } } } }),
      []
    )
  })

  it("is only the service's word where token or pool are not known", () => {
    const tokenOut = "0x4200000000000000000000000000000000000042"
    const asked = { ...swapRequest, tokenOut, destination: owner.address } as const
    const calldata = swapDeposit({
      depositData: { inputToken: OTHER, outputToken: pad(tokenOut), recipient: pad(owner.address) }
    })
    assert.deepStrictEqual(
      objections(() => review(calldata, {}, asked)),
      ["order.swapCalldata.via.token"]
    )
    const unknown = review(calldata, { unconfirmed: "warn" }, asked)
    assert.strictEqual(unknown.receive.guaranteedBy, "service")
    assert.lengthOf(unknown.warnings, 1)
    assert.include(unknown.warnings[0], `only the service says what ${OTHER} is worth`)
    const bridges = { 8453: { tokens: { OP: OTHER } }, 10: { tokens: { OP: tokenOut } } } as const
    const covered = review(calldata, { bridges }, asked)
    assert.strictEqual(covered.receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(covered.warnings, [])
    // The built-in facts stay in force.
    assert.strictEqual(review(swapDeposit(), { bridges }).receive.guaranteedBy, "bridge")

    const elsewhere = (more: ReviewOptions = {}) => {
      const wire = swapOffer()
      const { order, quote, signing } = readOffer(wire)
      const { typedData } = wire.signing
      const moved = {
        quote: { ...quote, sourceChainId: 99 },
        order,
        signing: {
          typedData: { ...typedData, domain: { ...Object(typedData["domain"]), chainId: 99 } },
          authorization: { ...signing.authorization, chainId: 99 }
        }
      }
      return reviewOrder(
        moved,
        { ...swapRequest, sourceChainId: 99 },
        { ...known, delegates: { 99: DELEGATE }, ...more }
      )
    }
    assert.deepStrictEqual(
      objections(() => elsewhere()),
      ["order.swapCalldata.via.spokePool", "order.swapTarget", "order.swapCalldata.via.token"]
    )
    const nowhere = elsewhere({ unconfirmed: "warn" })
    assert.strictEqual(nowhere.receive.guaranteedBy, "service")
    assert.isTrue(nowhere.warnings.some((warning) => warning.includes(`only the service says that ${SPOKE_POOL}`)))
    assert.isTrue(nowhere.warnings.some((warning) => warning.includes(`what ${USDC} is worth`)))
    const here = elsewhere({ bridges: { 99: { spokePool: SPOKE_POOL, periphery: PERIPHERY, tokens: { USDC } } } })
    assert.strictEqual(here.receive.guaranteedBy, "bridge")
  })

  /** Members that may differ: the exchange and its calldata, times within their limits, and a relayer without exclusivity. */
  const FREE = ["exchange", "routerCalldata", "exclusiveRelayer", "quoteTimestamp", "fillDeadline"]

  const decoded = (calldata: Hex): Readonly<Record<string, unknown>> => {
    const { depositData, submissionFees, ...data } = decodeFunctionData({ abi: swapAbi, data: calldata }).args[0]
    const { amount: fee, recipient: feeRecipient } = submissionFees
    return { ...data, ...depositData, fee, feeRecipient }
  }

  it("is refused with any byte changed that decides what becomes of the tokens", () => {
    const calldata = swapDeposit()
    const before = decoded(calldata)
    const offer = readOffer(swapOffer())
    const { typedData } = offer.signing
    const withCall = (swapCalldata: Hex) => {
      const order = { ...offer.order, swapCalldata }
      const signing = { ...offer.signing, typedData: { ...typedData, message: order } }
      return reviewOrder({ ...offer, order, signing }, swapRequest, known)
    }
    let accepted = 0
    for (let at = 2; at < calldata.length; at += 2) {
      // One bit of every second byte, and all bits of the others.
      const byte = Number.parseInt(calldata.slice(at, at + 2), 16) ^ (at % 4 === 0 ? 0x01 : 0xff)
      const tampered: Hex = `0x${calldata.slice(2, at)}${byte.toString(16).padStart(2, "0")}${calldata.slice(at + 2)}`
      if (objections(() => withCall(tampered)).length > 0) continue
      accepted += 1
      const after = decoded(tampered)
      const changed = Object.keys(before).filter((key) => String(before[key]) !== String(after[key]))
      assert.lengthOf(changed, 1, String(at))
      if (changed[0] === "minExpectedInputTokenAmount") {
        const { minAmount, via } = withCall(tampered).receive
        assert.isTrue((via?.minAmount ?? 0n) >= minAmount)
      } else {
        assert.include(FREE, changed[0])
      }
    }
    assert.isAbove(accepted, 0)
  })
})

describe("the terms of a deposit", () => {
  const of = (change: Parameters<typeof deposit>[0]) => {
    const swapCalldata = deposit({ inputAmount: 24_875_000n, ...change })
    return objections(() =>
      reviewOrder(readOffer(wireOffer(crossRequest, { order: { swapCalldata } })), crossRequest, known)
    )
  }

  it("reserve it for one relayer for two minutes at most", () => {
    const field = ["order.swapCalldata.exclusivity"]
    assert.deepStrictEqual(of({ exclusiveRelayer: OTHER, exclusivity: 120 }), [])
    assert.deepStrictEqual(of({ exclusiveRelayer: OTHER, exclusivity: 121 }), field)
    assert.deepStrictEqual(of({ exclusiveRelayer: OTHER, exclusivity: NOW_MS / 1000 + 60 }), field)
    assert.deepStrictEqual(of({ exclusivity: 1 }), field)
  })

  it("let it be filled until a time that is neither past nor far", () => {
    const field = ["order.swapCalldata.fillDeadline"]
    assert.deepStrictEqual(of({ fillDeadline: NOW_MS / 1000 + 7 * 3_600 }), [])
    assert.deepStrictEqual(of({ fillDeadline: NOW_MS / 1000 + 7 * 3_600 + 1 }), field)
    assert.deepStrictEqual(of({ fillDeadline: NOW_MS / 1000 }), field)
    assert.deepStrictEqual(of({ fillDeadline: 2 ** 32 - 1 }), field)
  })
})

describe("native currency across chains", () => {
  const fromNative = { ...crossRequest, tokenIn: NATIVE, tokenOut: NATIVE } as const
  const call = { inputAmount: 24_875_000n, inputToken: WETH, outputToken: WETH } as const
  const of = (swapCalldata: Hex, asked: SweepRequest = fromNative, more: ReviewOptions = {}) =>
    reviewOrder(readOffer(wireOffer(asked, { order: { swapCalldata } })), asked, { ...known, ...more })

  it("is sent and delivered as the wrapped token that is known", () => {
    assert.strictEqual(of(deposit(call)).receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(
      objections(() => of(deposit({ ...call, inputToken: OTHER }))),
      ["order.swapCalldata.inputToken"]
    )
    assert.deepStrictEqual(
      objections(() => of(deposit({ ...call, outputToken: OTHER }))),
      ["order.swapCalldata.outputToken"]
    )
  })

  it("is only the service's word on a chain that is not known", () => {
    const elsewhere = { ...fromNative, destChainId: 99 }
    const calldata = deposit({ ...call, destChainId: 99n })
    assert.deepStrictEqual(
      objections(() => of(calldata, elsewhere)),
      ["order.swapCalldata.outputToken"]
    )
    const found = of(calldata, elsewhere, { unconfirmed: "warn" })
    assert.strictEqual(found.receive.guaranteedBy, "service")
    assert.isTrue(found.warnings.some((warning) => warning.includes(`${WETH} arrives as the chain's native currency`)))
  })

  it("is swapped before the bridge from the wrapped token", () => {
    const asked = { ...swapRequest, tokenIn: NATIVE } as const
    assert.strictEqual(review(swapDeposit({ swapToken: WETH }), {}, asked).receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(
      objections(() => review(swapDeposit({ swapToken: OTHER }), {}, asked)),
      ["order.swapCalldata.inputToken"]
    )
  })
})
