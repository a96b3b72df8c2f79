/** The generated code's sweeps of many tokens: every order passes the review of a single one, and nothing else is signed. */
import { mkdtemp, mkdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Hex, recoverTypedDataAddress } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { Schema } from "effect"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import type { SweepRequest } from "../../../src/sdk/index.ts"
import * as Project from "../../examples/Project.ts"
import {
  DELEGATE,
  NOW_MS,
  OTHER,
  owner,
  request,
  routed,
  swapOf,
  swapRequest,
  wireOffer,
  type WireOffer
} from "../../sdk/Offers.ts"

interface WalletRequest {
  readonly tokens: ReadonlyArray<{ readonly chainId: number; readonly token: Hex; readonly amount: bigint }>
  readonly tokenOut: Hex
  readonly destination: Hex | undefined
  readonly destChainId: number
}

interface WalletOffer {
  readonly quotes: ReadonlyArray<Pick<WireOffer, "quote" | "order"> | { readonly reason: string }>
  readonly signing: {
    readonly authorizations: ReadonlyArray<{ readonly address: Hex; readonly chainId: number; readonly nonce: string }>
  }
}

interface Generated {
  readonly reviewWallet: (
    owner: Hex,
    request: WalletRequest,
    offer: WalletOffer
  ) => {
    readonly legs: ReadonlyArray<{ readonly quoteId: string }>
    readonly leftOut: ReadonlyArray<{ readonly token: Hex; readonly problem: string }>
  }
  readonly signWallet: (
    signer: typeof owner,
    request: WalletRequest,
    offer: WalletOffer
  ) => Promise<{
    readonly quoteIds: ReadonlyArray<string>
    readonly signature: Hex
    readonly authorizations: ReadonlyArray<Parameters<typeof recoverAuthorizationAddress>[0]["authorization"]>
  }>
}

/** Requests for one token each, all for the same output. */
const singles: ReadonlyArray<SweepRequest> = [request, { ...request, tokenIn: swapRequest.tokenIn }]

const wallet: WalletRequest = {
  tokens: singles.map(({ amountIn, tokenIn }) => ({ chainId: 8453, token: tokenIn, amount: amountIn })),
  tokenOut: request.tokenOut,
  destination: request.destination,
  destChainId: 8453
}

/** Offers of these requests, as POST /quotes returns them, with changes to the second. */
const offerOf = (changes: Parameters<typeof wireOffer>[1] = {}): WalletOffer => ({
  quotes: singles.map((asked, index) => {
    const swapCalldata = routed(swapOf({ tokenIn: asked.tokenIn }))
    const { order: changed, quote: terms } = index === 1 ? changes : {}
    const { order, quote } = wireOffer(asked, {
      order: { swapCalldata, ...changed },
      ...(terms === undefined ? {} : { quote: terms })
    })
    return { order: { ...order, nonce: String(index) }, quote: { ...quote, id: `quote-${index}` } }
  }),
  signing: { authorizations: [{ address: OTHER, chainId: 8453, nonce: "7" }] }
})

describe("the generated code's sweeps of many tokens", () => {
  let directory = ""
  let generated: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
    const setting = "const DELEGATE: Hex | undefined = undefined"
    const path = join(directory, "snippet.ts")
    const code = snippet({ ...options, domainName: "Renamed", sourceChainId: 8453 })
    await Bun.write(path, code.replace(setting, `const DELEGATE: Hex | undefined = "${DELEGATE}"`))
    generated = await import(path)
    vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await rm(directory, { recursive: true, force: true })
  })

  /** The batch of these orders, as the contracts hash it. */
  const batchOf = (offers: WalletOffer["quotes"]) => {
    const legs = offers.flatMap((entry) =>
      "order" in entry ? [{ chainId: 8453, order: Schema.decodeUnknownSync(SweepOrder)(entry.order) }] : []
    )
    const [first, ...others] = legs
    if (first === undefined) throw new Error("there is no order")
    return SweepBatch.typedData([first, ...others], "Renamed")
  }

  it("sign all reviewed orders once, and the known delegate, whatever the server gives to sign", async () => {
    const offer = offerOf()
    const { authorizations, quoteIds, signature } = await generated.signWallet(owner, wallet, offer)
    assert.deepStrictEqual(quoteIds, ["quote-0", "quote-1"])
    assert.strictEqual(await recoverTypedDataAddress({ ...batchOf(offer.quotes), signature }), owner.address)
    assert.lengthOf(authorizations, 1)
    for (const authorization of authorizations) {
      assert.deepInclude(authorization, { address: DELEGATE, chainId: 8453, nonce: 7 })
      assert.strictEqual(await recoverAuthorizationAddress({ authorization }), owner.address)
    }
  })

  it("need no authorization where the account runs the delegate", async () => {
    const { authorizations } = await generated.signWallet(owner, wallet, {
      ...offerOf(),
      signing: { authorizations: [] }
    })
    assert.deepStrictEqual(authorizations, [])
  })

  for (const [name, changes] of [
    ["another destination", { order: { destination: OTHER } }],
    ["another token", { order: { tokenIn: OTHER } }],
    ["another amount", { order: { amountIn: "50000000" } }],
    ["another chain", { quote: { sourceChainId: 10 } }],
    ["fees above the limit", { order: { feeAmount: "2500001" }, quote: { total: "2500001" } }]
  ] as ReadonlyArray<readonly [string, Parameters<typeof wireOffer>[1]]>) {
    it(`leave out an order with ${name}, and sign the others`, async () => {
      const offer = offerOf(changes)
      const { leftOut, legs } = generated.reviewWallet(owner.address, wallet, offer)
      assert.deepStrictEqual(
        legs.map(({ quoteId }) => quoteId),
        ["quote-0"]
      )
      assert.include(leftOut[0]?.problem, "do not sign")
      const { quoteIds, signature } = await generated.signWallet(owner, wallet, offer)
      assert.deepStrictEqual(quoteIds, ["quote-0"])
      const signed = batchOf(offer.quotes.slice(0, 1))
      assert.strictEqual(await recoverTypedDataAddress({ ...signed, signature }), owner.address)
    })
  }

  it("leave out a quote that comes twice, and a token without one", () => {
    const [first] = offerOf().quotes
    const twice = generated.reviewWallet(
      owner.address,
      { ...wallet, tokens: [0, 0].map(() => wallet.tokens[0]!) },
      {
        ...offerOf(),
        quotes: [first!, first!]
      }
    )
    assert.lengthOf(twice.legs, 1)
    const without = generated.reviewWallet(owner.address, wallet, {
      ...offerOf(),
      quotes: [first!, { reason: "no_route" }]
    })
    assert.deepStrictEqual(without.leftOut, [
      { chainId: 8453, token: swapRequest.tokenIn, problem: "no_route" }
    ] as never)
  })

  it("sign nothing if no order is left, or a chain's delegate is not known", async () => {
    const hostile = { ...offerOf(), quotes: [{ reason: "busy" }, { reason: "busy" }] }
    const error = await generated.signWallet(owner, wallet, hostile).catch((failure: unknown) => failure)
    assert.include(String(error), "no token can be swept: busy; busy")
    const elsewhere = { ...wallet, tokens: wallet.tokens.map((token) => ({ ...token, chainId: 10 })) }
    const { leftOut } = generated.reviewWallet(owner.address, elsewhere, {
      ...offerOf(),
      quotes: singles.map((asked) => wireOffer(asked, { quote: { sourceChainId: 10, crossChain: true } }))
    })
    for (const { problem } of leftOut) assert.include(problem, "set MORE_DELEGATES")
  })
})
