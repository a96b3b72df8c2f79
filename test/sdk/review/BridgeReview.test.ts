/** A swap before the bridge: whatever the service writes into it, the owner gets what was promised or as much of the same asset. */
import deployed from "@across-protocol/contracts/dist/broadcast/deployed-addresses.json" with { type: "json" }
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { decodeFunctionData, getAddress, numberToHex, pad, type Hex } from "viem"
import { KNOWN_CHAINS } from "../../../src/adapters/evm/chains/KnownChains.ts"
import {
  KNOWN_BRIDGES,
  OrderMismatchError,
  readBridgeCall,
  reviewOrder,
  type ReviewOptions,
  type SweepRequest
} from "../../../src/sdk/index.ts"
import { readOffer } from "../../../src/sdk/wire/Offer.ts"
import {
  crossRequest,
  deposit,
  NOW_MS,
  OTHER,
  owner,
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
  reviewOrder(readOffer(swapOffer(asked, swapCalldata)), asked, { nowMs: NOW_MS, ...more })

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

const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
const address = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 160n - 1n }))

const asAddress = (value: bigint) => getAddress(numberToHex(value, { size: 20 }))

describe("what is known of the bridge", () => {
  it("is what the service knows of public chains, and what Across says", () => {
    const ofService = Object.entries(KNOWN_CHAINS).map(([id, { spokePool, tokens, wrappedNative }]) => [
      id,
      { spokePool, wrappedNative, tokens: Object.fromEntries(tokens.map((token) => [token.symbol, token.address])) }
    ])
    assert.deepStrictEqual<unknown>(KNOWN_BRIDGES, Object.fromEntries(ofService))
    const chains: Readonly<Record<string, { readonly contracts: Readonly<Record<string, { address: string }>> }>> =
      deployed.chains
    for (const [id, { spokePool }] of Object.entries(KNOWN_BRIDGES)) {
      assert.strictEqual(chains[id]?.contracts["SpokePool"]?.address, spokePool)
    }
  })

  it("names one asset alike on all chains, with equal decimals", () => {
    const listed = Object.values(KNOWN_CHAINS).flatMap(({ tokens }) => tokens)
    for (const { decimals, symbol } of listed) {
      assert.strictEqual(decimals, listed.find((token) => token.symbol === symbol)?.decimals)
    }
  })
})

describe("a swap before the bridge", () => {
  it.effect.prop(
    "is read as it was written",
    [address, address, address, address, amount, amount, amount, amount],
    ([recipient, token, outputToken, spokePool, inputAmount, minAmount, outputAmount, destChainId]) =>
      Effect.sync(() => {
        const calldata = swapDeposit({
          depositData: {
            recipient: pad(asAddress(recipient)),
            inputToken: asAddress(token),
            outputToken: pad(asAddress(outputToken)),
            outputAmount,
            destinationChainId: destChainId
          },
          swapTokenAmount: inputAmount,
          minExpectedInputTokenAmount: minAmount,
          spokePool: asAddress(spokePool)
        })
        assert.deepStrictEqual(readBridgeCall(calldata), {
          depositor: owner.address,
          recipient: asAddress(recipient),
          inputToken: swapRequest.tokenIn,
          inputAmount,
          outputToken: asAddress(outputToken),
          outputAmount,
          destChainId,
          via: { token: asAddress(token), minAmount, spokePool: asAddress(spokePool) }
        })
      })
  )

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

  it("is not read where it does more than swap and deposit", () => {
    const high: Hex = `0x01${"00".repeat(11)}${OTHER.slice(2)}`
    for (const calldata of [
      swapDeposit({ submissionFees: { amount: 1n, recipient: OTHER } }),
      swapDeposit({ submissionFees: { amount: 1n, recipient: "0x0000000000000000000000000000000000000000" } }),
      swapDeposit({ submissionFees: { amount: 0n, recipient: OTHER } }),
      swapDeposit({ transferType: 1 }),
      swapDeposit({ transferType: 2 }),
      swapDeposit({ enableProportionalAdjustment: false }),
      swapDeposit({ nonce: 1n }),
      swapDeposit({ depositData: { message: "0x00" } }),
      swapDeposit({ depositData: { recipient: high } }),
      swapDeposit({ depositData: { outputToken: high } }),
      swapDeposit({ depositData: { exclusiveRelayer: high } }),
      `${swapDeposit()}00`,
      `${swapDeposit()}${"00".repeat(32)}`,
      swapDeposit().slice(0, -2)
    ] as ReadonlyArray<Hex>) {
      assert.isUndefined(readBridgeCall(calldata))
      assert.deepStrictEqual(
        objections(() => review(calldata)),
        ["order.swapCalldata"]
      )
    }
    assert.isDefined(readBridgeCall(`0x${swapDeposit().slice(2).toUpperCase()}`))
  })

  it("is held against the request", () => {
    const of = (other: Parameters<typeof swapDeposit>[0]) => objections(() => review(swapDeposit(other)))
    const field = (name: string) => [`order.swapCalldata: ${name}`]
    assert.deepStrictEqual(of({}), [])
    assert.deepStrictEqual(of({ swapToken: USDC }), field("token"))
    assert.deepStrictEqual(of({ swapTokenAmount: 24_875_001n }), field("amount"))
    assert.deepStrictEqual(of({ depositData: { depositor: OTHER } }), field("depositor"))
    assert.deepStrictEqual(of({ depositData: { recipient: pad(OTHER) } }), field("recipient"))
    assert.deepStrictEqual(of({ depositData: { destinationChainId: 1n } }), field("destination chain"))
    assert.deepStrictEqual(of({ depositData: { outputAmount: 24_800_001n } }), field("amount delivered"))
    assert.deepStrictEqual(of({ minExpectedInputTokenAmount: 24_799_999n }), field("amount bridged"))
    assert.deepStrictEqual(of({ minExpectedInputTokenAmount: 24_800_000n }), [])
    assert.deepStrictEqual(of({ depositData: { outputToken: pad(OTHER) } }), field("token delivered"))
  })

  it("is refused into another token than the one that is delivered, and into a pool that is not Across's", () => {
    const of = (other: Parameters<typeof swapDeposit>[0], more: ReviewOptions = {}) =>
      objections(() => review(swapDeposit(other), more))
    assert.deepStrictEqual(of({ depositData: { inputToken: OTHER } }), ["order.swapCalldata: token bridged"])
    // 24.8 million of WETH's smallest unit are worth nothing, and nobody pays 24.8 USDC for them.
    assert.deepStrictEqual(of({ depositData: { inputToken: WETH } }), ["order.swapCalldata: token bridged"])
    assert.deepStrictEqual(of({ spokePool: OTHER }), ["order.swapCalldata: pool"])
    assert.deepStrictEqual(of({ spokePool: OTHER }, { bridges: { 8453: { spokePool: OTHER } } }), [])
    assert.deepStrictEqual(of({}, { bridges: { 8453: { spokePool: OTHER } } }), ["order.swapCalldata: pool"])
    assert.deepStrictEqual(
      of({ depositData: { inputToken: OTHER } }, { bridges: { 8453: { tokens: { USDC: OTHER } } } }),
      []
    )
  })

  it("is only the service's word where token or pool are not known", () => {
    const tokenOut = "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"
    const asked = { ...swapRequest, tokenOut, destination: owner.address } as const
    const calldata = swapDeposit({
      depositData: { inputToken: OTHER, outputToken: pad(tokenOut), recipient: pad(owner.address) }
    })
    const unknown = review(calldata, {}, asked)
    assert.strictEqual(unknown.receive.guaranteedBy, "service")
    assert.lengthOf(unknown.warnings, 1)
    assert.include(unknown.warnings[0], `only the service says what ${OTHER} is worth`)
    const bridges = { 8453: { tokens: { USDT: OTHER } }, 10: { tokens: { USDT: tokenOut } } } as const
    const known = review(calldata, { bridges }, asked)
    assert.strictEqual(known.receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(known.warnings, [])
    // What is built in stays known beside it.
    assert.strictEqual(review(swapDeposit(), { bridges }).receive.guaranteedBy, "bridge")

    const elsewhere = (more: ReviewOptions = {}) => {
      const wire = swapOffer()
      const { order, quote, signing } = readOffer(wire)
      const moved = {
        quote: { ...quote, sourceChainId: 99 },
        order,
        signing: {
          typedData: { ...signing.typedData, domain: { ...signing.typedData.domain, chainId: 99 } },
          authorization: { ...signing.authorization, chainId: 99 }
        }
      }
      return reviewOrder(moved, { ...swapRequest, sourceChainId: 99 }, { nowMs: NOW_MS, ...more })
    }
    const nowhere = elsewhere()
    assert.strictEqual(nowhere.receive.guaranteedBy, "service")
    assert.isTrue(nowhere.warnings.some((warning) => warning.includes(`only the service says that ${SPOKE_POOL}`)))
    assert.isTrue(nowhere.warnings.some((warning) => warning.includes(`what ${USDC} is worth`)))
    const here = elsewhere({ bridges: { 99: { spokePool: SPOKE_POOL, tokens: { USDC } } } })
    assert.strictEqual(here.receive.guaranteedBy, "bridge")
  })

  /** What may differ: who swaps and how, and times and relayers that the pool itself bounds. */
  const FREE = [
    "exchange",
    "routerCalldata",
    "exclusiveRelayer",
    "quoteTimestamp",
    "fillDeadline",
    "exclusivityParameter"
  ]

  const decoded = (calldata: Hex): Readonly<Record<string, unknown>> => {
    const { depositData, submissionFees, ...data } = decodeFunctionData({ abi: swapAbi, data: calldata }).args[0]
    const { amount: fee, recipient: feeRecipient } = submissionFees
    return { ...data, ...depositData, fee, feeRecipient }
  }

  it.effect.prop(
    "is refused with any byte changed that decides what becomes of the tokens",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: swapDeposit().length / 2 - 2 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))
    ],
    ([index, change]) =>
      Effect.sync(() => {
        const calldata = swapDeposit()
        const at = 2 + 2 * index
        const byte = Number.parseInt(calldata.slice(at, at + 2), 16) ^ change
        const tampered: Hex = `0x${calldata.slice(2, at)}${byte.toString(16).padStart(2, "0")}${calldata.slice(at + 2)}`
        if (objections(() => review(tampered)).length > 0) return
        const [before, after] = [decoded(calldata), decoded(tampered)]
        const changed = Object.keys(before).filter((key) => String(before[key]) !== String(after[key]))
        assert.lengthOf(changed, 1)
        if (changed[0] === "minExpectedInputTokenAmount") {
          assert.isTrue((review(tampered).receive.via?.minAmount ?? 0n) >= review(tampered).receive.minAmount)
        } else {
          assert.include(FREE, changed[0])
        }
      }),
    { arbitrary: { runs: 2_000 } }
  )
})

describe("native currency across chains", () => {
  const fromNative = { ...crossRequest, tokenIn: NATIVE, tokenOut: NATIVE } as const
  const call = { inputAmount: 24_875_000n, inputToken: WETH, outputToken: WETH } as const
  const of = (swapCalldata: Hex, asked: SweepRequest = fromNative) =>
    reviewOrder(readOffer(wireOffer(asked, { order: { swapCalldata } })), asked, { nowMs: NOW_MS })

  it("is sent and delivered as the wrapped token that is known", () => {
    assert.strictEqual(of(deposit(call)).receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(
      objections(() => of(deposit({ ...call, inputToken: OTHER }))),
      ["order.swapCalldata: token"]
    )
    assert.deepStrictEqual(
      objections(() => of(deposit({ ...call, outputToken: OTHER }))),
      ["order.swapCalldata: token delivered"]
    )
  })

  it("is only the service's word on a chain that is not known", () => {
    const elsewhere = { ...fromNative, destChainId: 99 }
    const found = of(deposit({ ...call, destChainId: 99n }), elsewhere)
    assert.strictEqual(found.receive.guaranteedBy, "service")
    assert.isTrue(found.warnings.some((warning) => warning.includes(`${WETH} arrives as the chain's native currency`)))
  })

  it("is swapped before the bridge from the wrapped token", () => {
    const asked = { ...swapRequest, tokenIn: NATIVE } as const
    assert.strictEqual(review(swapDeposit({ swapToken: WETH }), {}, asked).receive.guaranteedBy, "bridge")
    assert.deepStrictEqual(
      objections(() => review(swapDeposit({ swapToken: OTHER }), {}, asked)),
      ["order.swapCalldata: token"]
    )
  })
})
