/** Holds the review of the generated module against the client's: it refuses every order that the client refuses or doubts. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { concatHex, encodeFunctionData, type Hex, pad, recoverTypedDataAddress } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import * as Sdk from "../../../src/sdk/index.ts"
import { KNOWN_BRIDGES, OrderMismatchError, readOffer, reviewOrder, type SweepRequest } from "../../../src/sdk/index.ts"
import * as Project from "../../examples/Project.ts"
import {
  crossRequest,
  DELEGATE,
  deposit,
  known,
  leaves,
  NOW_MS,
  OTHER,
  owner,
  replaced,
  request,
  routed,
  routerAbi,
  swapDeposit,
  swapOf,
  swapOffer,
  swapRequest,
  type WireOffer,
  wireOffer
} from "../../sdk/Offers.ts"

interface Reviewed {
  readonly receiveAtLeast: { readonly amount: bigint }
  readonly refundAtLeast: { readonly token: Hex; readonly amount: bigint; readonly chainId: number } | undefined
}

interface Signer {
  readonly address: Hex
  readonly signTypedData: (typedData: Parameters<typeof owner.signTypedData>[0]) => Promise<Hex>
  readonly signAuthorization: typeof owner.signAuthorization
}

interface Generated {
  readonly review: (owner: Hex, request: SweepRequest, offer: WireOffer) => Reviewed
  readonly sign: (signer: Signer, request: SweepRequest, offer: WireOffer) => Promise<Sdk.SignedSweep>
}

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
/** The router itself, as a recipient. */
const ROUTER_ITSELF = "0x0000000000000000000000000000000000000002"
const WETH = KNOWN_BRIDGES[8453]?.tokens["WETH"] ?? OTHER

/** The module's source, with the delegate that its integrator knows. */
const source = (delegate: Hex | undefined): string => {
  const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
  const code = snippet({ ...options, domainName: "Renamed", sourceChainId: 8453 })
  const setting = "const DELEGATE: Hex | undefined = undefined"
  assert.include(code, setting)
  return delegate === undefined ? code : code.replace(setting, `const DELEGATE: Hex | undefined = "${delegate}"`)
}

describe("the generated code's review", () => {
  let directory = ""
  let generated: Generated
  let unconfigured: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const load = async (name: string, delegate: Hex | undefined): Promise<Generated> => {
      const path = join(directory, name)
      await Bun.write(path, source(delegate))
      return import(path)
    }
    generated = await load("snippet.ts", DELEGATE)
    unconfigured = await load("unconfigured.ts", undefined)
    vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await rm(directory, { recursive: true, force: true })
  })

  const refuses = (offer: WireOffer, asked: SweepRequest): boolean => {
    try {
      generated.review(owner.address, asked, offer)
      return false
    } catch {
      return true
    }
  }

  /** The client refuses it. */
  const doubts = (offer: WireOffer, asked: SweepRequest): boolean => {
    try {
      return reviewOrder(readOffer(offer), asked, { ...known, maxSlippageBps: 10_000 }) === undefined
    } catch (error) {
      if (error instanceof OrderMismatchError) return true
      throw error
    }
  }

  it("takes what was asked for, and tells what comes back", () => {
    const of = (asked: SweepRequest, offer: WireOffer) => generated.review(owner.address, asked, offer)
    assert.isUndefined(of(request, wireOffer(request)).refundAtLeast)
    assert.isUndefined(of(crossRequest, wireOffer(crossRequest)).refundAtLeast)
    const swapped = of(swapRequest, swapOffer())
    assert.strictEqual(swapped.receiveAtLeast.amount, 24_800_000n)
    assert.deepStrictEqual(swapped.refundAtLeast, { token: crossRequest.tokenIn, amount: 24_850_000n, chainId: 8453 })
  })

  it("compares what crosses the bridge in the decimals of both tokens", async () => {
    const usdc = KNOWN_BRIDGES[8453]?.tokens["USDC"] ?? OTHER
    const known6 = `USDC: { address: "${usdc}", decimals: 6 }`
    assert.include(source(DELEGATE), known6)
    const path = join(directory, "decimals.ts")
    await Bun.write(path, source(DELEGATE).replace(known6, known6.replace("6 }", "18 }")))
    const fine: Generated = await import(path)
    const of = (minExpectedInputTokenAmount: bigint) =>
      fine.review(owner.address, swapRequest, swapOffer(swapRequest, swapDeposit({ minExpectedInputTokenAmount })))
    const least = 24_800_000n * 10n ** 12n
    assert.strictEqual(of(least).refundAtLeast?.amount, least)
    assert.throws(() => of(least - 1n), /the bridged amount/)
    assert.throws(() => of(24_850_000n), /the bridged amount/)
  })

  const HALF = 12_437_500n

  const high: Hex = `0x01${"00".repeat(11)}${OTHER.slice(2)}`
  const plain = { inputAmount: 24_875_000n }
  const nativeRequest = { ...crossRequest, tokenIn: NATIVE, tokenOut: NATIVE } as const
  const native = { ...plain, inputToken: WETH, outputToken: WETH }

  for (const [name, swapCalldata, asked] of [
    ["a router call that is no swap", "0x04e45aaf", request],
    ["a bare swap, without a deadline", swapOf(), request],
    ["two swaps of the whole amount", routed(swapOf(), swapOf()), request],
    [
      "a part for another recipient",
      routed(swapOf({ amountIn: HALF }), swapOf({ amountIn: HALF, recipient: OTHER })),
      request
    ],
    ["a part of nothing", routed(swapOf(), swapOf({ amountIn: 0n })), request],
    ["a swap of another token on one chain", routed(swapOf({ tokenIn: OTHER })), request],
    ["a swap into another token", routed(swapOf({ tokenOut: OTHER })), request],
    ["a swap for another recipient", routed(swapOf({ recipient: OTHER })), request],
    ["a swap of another amount on one chain", routed(swapOf({ amountIn: 1n })), request],
    ["a swap with a price limit", routed(swapOf({ sqrtPriceLimitX96: 1n })), request],
    ["a swap whose output stays in the router", routed(swapOf({ recipient: ROUTER_ITSELF })), request],
    ["a swap and a transfer out of the router", routed(swapOf({ recipient: ROUTER_ITSELF }), swapOf()), request],
    ["trailing bytes after the router call", `${routed(swapOf())}00`, request],
    ["an exclusive relayer", deposit({ ...plain, exclusiveRelayer: OTHER, exclusivity: 121 }), crossRequest],
    ["exclusivity for nobody", deposit({ ...plain, exclusivity: 1 }), crossRequest],
    ["a late refund", deposit({ ...plain, fillDeadline: NOW_MS / 1000 + 25_201 }), crossRequest],
    ["a past deadline of the bridge", deposit({ ...plain, fillDeadline: NOW_MS / 1000 }), crossRequest],
    ["another depositor", deposit({ ...plain, depositor: OTHER }), crossRequest],
    ["another recipient", deposit({ ...plain, recipient: OTHER }), crossRequest],
    ["another amount", deposit({ inputAmount: 1n }), crossRequest],
    ["another token delivered", deposit({ ...plain, outputToken: OTHER }), crossRequest],
    ["less delivered", deposit({ ...plain, outputAmount: 1n }), crossRequest],
    ["a message", deposit({ ...plain, message: "0x00" }), crossRequest],
    ["trailing bytes", `${deposit(plain)}00`, crossRequest],
    ["another token in native currency's place", deposit({ ...native, inputToken: OTHER }), nativeRequest],
    ["another token delivered in its place", deposit({ ...native, outputToken: OTHER }), nativeRequest],
    ["a swap of another token", swapDeposit({ swapToken: OTHER }), swapRequest],
    ["a swap of another amount", swapDeposit({ swapTokenAmount: 1n }), swapRequest],
    ["a swap into a token that is not known", swapDeposit({ depositData: { inputToken: OTHER } }), swapRequest],
    ["a swap into another asset", swapDeposit({ depositData: { inputToken: WETH } }), swapRequest],
    ["a swap into too little", swapDeposit({ minExpectedInputTokenAmount: 24_799_999n }), swapRequest],
    ["a pool that is not the bridge's", swapDeposit({ spokePool: OTHER }), swapRequest],
    ["fees of the swap", swapDeposit({ submissionFees: { amount: 1n, recipient: OTHER } }), swapRequest],
    ["a recipient of such fees", swapDeposit({ submissionFees: { amount: 0n, recipient: OTHER } }), swapRequest],
    ["a surplus for the relayer", swapDeposit({ enableProportionalAdjustment: false }), swapRequest],
    ["a transfer to the exchange", swapDeposit({ transferType: 1 }), swapRequest],
    ["a nonce", swapDeposit({ nonce: 1n }), swapRequest],
    ["a message after a swap", swapDeposit({ depositData: { message: "0x00" } }), swapRequest],
    ["a depositor after a swap", swapDeposit({ depositData: { depositor: OTHER } }), swapRequest],
    ["a recipient after a swap", swapDeposit({ depositData: { recipient: pad(OTHER) } }), swapRequest],
    ["a recipient that is no address", swapDeposit({ depositData: { recipient: high } }), swapRequest],
    ["a relayer that is no address", swapDeposit({ depositData: { exclusiveRelayer: high } }), swapRequest],
    ["trailing bytes after a swap", `${swapDeposit()}00`, swapRequest]
  ] as ReadonlyArray<readonly [string, Hex, SweepRequest]>) {
    it(`refuses ${name}, as the client does`, () => {
      const offer = wireOffer(asked, { order: { swapCalldata } })
      assert.isTrue(refuses(offer, asked))
      assert.isTrue(doubts(offer, asked))
    })
  }

  it("takes paths through several pools, and native currency from the router, as the client does", () => {
    const [{ tokenIn, tokenOut }, recipient] = [request, request.destination ?? owner.address]
    const path = encodeFunctionData({
      abi: routerAbi,
      functionName: "exactInput",
      args: [
        {
          path: concatHex([tokenIn, "0x0001f4", OTHER, "0x000bb8", tokenOut]),
          recipient,
          amountIn: 24_875_000n,
          amountOutMinimum: 1n
        }
      ]
    })
    const unwrapping = encodeFunctionData({ abi: routerAbi, functionName: "unwrapWETH9", args: [1n, recipient] })
    for (const [asked, swapCalldata] of [
      [request, routed(path)],
      [{ ...request, tokenOut: NATIVE }, routed(swapOf({ recipient: ROUTER_ITSELF }), unwrapping)]
    ] as ReadonlyArray<readonly [SweepRequest, Hex]>) {
      const offer = wireOffer(asked, { order: { swapCalldata } })
      assert.isFalse(refuses(offer, asked))
      assert.isFalse(doubts(offer, asked))
    }
  })

  /** A wallet that records what it signs. */
  const wallet = () => {
    const signed: Array<string> = []
    const signer: Signer = {
      address: owner.address,
      signTypedData: (typedData) => {
        signed.push("order")
        return owner.signTypedData(typedData)
      },
      signAuthorization: (authorization) => {
        signed.push("authorization")
        return owner.signAuthorization(authorization)
      }
    }
    return { signed, signer }
  }

  const HOSTILE: ReadonlyArray<readonly [string, Parameters<typeof wireOffer>[1]]> = [
    ["owner", { order: { owner: OTHER } }],
    ["tokenIn", { order: { tokenIn: OTHER } }],
    ["amountIn", { order: { amountIn: "50000000" } }],
    ["tokenOut", { order: { tokenOut: OTHER } }],
    ["destination", { order: { destination: OTHER } }],
    ["destChainId", { order: { destChainId: "10" } }],
    ["feeAmount", { order: { feeAmount: "2500001" }, quote: { total: "2500001" } }],
    ["builder", { order: { builder: OTHER } }],
    ["builderFee", { order: { builderFee: "1" }, quote: { total: "125001" } }],
    ["minAmountOut", { order: { minAmountOut: "1" }, quote: { minAmountOut: "1" } }],
    ["a minimum of 0", { order: { minAmountOut: "0" }, quote: { minAmountOut: "0" } }],
    ["a minimum that the order does not hold", { order: { minAmountOut: "1" } }],
    ["swapTarget", { order: { swapTarget: owner.address } }],
    ["swapTarget to another contract", { order: { swapTarget: OTHER } }],
    ["the expected amount", { quote: { estimatedAmountOut: "6960000000000000" } }],
    ["a late deadline", { order: { deadline: String(NOW_MS / 1000 + 3_601) } }],
    ["a past deadline", { order: { deadline: String(NOW_MS / 1000 - 1) } }],
    ["sourceChainId", { quote: { sourceChainId: 1 } }],
    ["crossChain", { quote: { crossChain: true } }],
    ["an expired quote", { quote: { expiresAtMs: NOW_MS - 1 } }],
    ["settlementAddress", { quote: { settlementAddress: OTHER } }]
  ]
  const asked = { ...request, minAmountOut: 6_890_000_000_000_000n }

  for (const [name, changes] of HOSTILE) {
    it(`signs nothing if the server changes ${name}`, async () => {
      const { signed, signer } = wallet()
      const error = await generated.sign(signer, asked, wireOffer(asked, changes)).catch((failure: unknown) => failure)
      assert.include(String(error), "do not sign")
      assert.deepStrictEqual(signed, [])
    })
  }

  it("signs nothing before its integrator has set the delegate", async () => {
    const { signed, signer } = wallet()
    const error = await unconfigured.sign(signer, asked, wireOffer(asked)).catch((failure: unknown) => failure)
    assert.include(String(error), "do not sign: set DELEGATE")
    assert.deepStrictEqual(signed, [])
  })

  it("signs the reviewed order and the known delegate, whatever the server gives to sign", async () => {
    const honest = wireOffer(asked)
    for (const path of leaves(honest.signing).filter((each) => each.join(".") !== "authorization.nonce")) {
      const hostile = replaced(honest.signing, path, (value) => (typeof value === "number" ? value + 1 : OTHER))
      const offer = { ...honest, signing: hostile as WireOffer["signing"] }
      const { authorization, signature } = await generated.sign(owner, asked, offer)
      const typedData = Sdk.orderTypedData(readOffer(honest).order, 8453, "Renamed")
      assert.strictEqual(await recoverTypedDataAddress({ ...typedData, signature }), owner.address, path.join("."))
      assert.deepInclude(authorization, { address: DELEGATE, chainId: 8453, nonce: 7 })
      assert.strictEqual(await recoverAuthorizationAddress({ authorization }), owner.address)
    }
  })

  it("takes native currency by its wrapped token, and refuses it where that is not known", () => {
    const offer = wireOffer(nativeRequest, { order: { swapCalldata: deposit(native) } })
    assert.isFalse(refuses(offer, nativeRequest))
    assert.isFalse(doubts(offer, nativeRequest))
    const elsewhere = { ...nativeRequest, destChainId: 99 }
    const unknown = wireOffer(elsewhere, { order: { swapCalldata: deposit({ ...native, destChainId: 99n }) } })
    assert.isTrue(refuses(unknown, elsewhere))
    assert.isTrue(doubts(unknown, elsewhere))
  })
})
