/** The review in the generated code, against the client's: what the client would not sign, or not vouch for, is refused. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pad, type Hex } from "viem"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { snippet } from "../../src/mcp/Snippet.ts"
import { KNOWN_BRIDGES, OrderMismatchError, reviewOrder, type SweepRequest } from "../../src/sdk/index.ts"
import { readOffer } from "../../src/sdk/wire/Offer.ts"
import * as Project from "../examples/Project.ts"
import {
  crossRequest,
  deposit,
  NOW_MS,
  OTHER,
  owner,
  request,
  swapDeposit,
  swapOffer,
  swapRequest,
  type WireOffer,
  wireOffer
} from "../sdk/Offers.ts"

interface Reviewed {
  readonly receiveAtLeast: { readonly amount: bigint }
  readonly refundAtLeast: { readonly token: Hex; readonly amount: bigint; readonly chainId: number } | undefined
}

interface Generated {
  readonly review: (owner: Hex, request: SweepRequest, offer: WireOffer) => Reviewed
}

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const WETH = KNOWN_BRIDGES[8453]?.tokens["WETH"] ?? OTHER

describe("the generated code's review", () => {
  let directory = ""
  let generated: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const path = join(directory, "snippet.ts")
    await Bun.write(
      path,
      snippet({
        orchestratorUrl: "https://sweep.test",
        builderApiKey: undefined,
        sweepRouter: undefined,
        sourceChainId: 8453
      })
    )
    generated = await import(path)
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

  /** The client refuses it, or leaves it to the service's word. */
  const doubts = (offer: WireOffer, asked: SweepRequest): boolean => {
    try {
      return reviewOrder(readOffer(offer), asked, { nowMs: NOW_MS }).receive.guaranteedBy === "service"
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

  const high: Hex = `0x01${"00".repeat(11)}${OTHER.slice(2)}`
  const plain = { inputAmount: 24_875_000n }
  const nativeRequest = { ...crossRequest, tokenIn: NATIVE, tokenOut: NATIVE } as const
  const native = { ...plain, inputToken: WETH, outputToken: WETH }

  for (const [name, swapCalldata, asked] of [
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
