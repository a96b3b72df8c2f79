/** Holds the generated module's decoders of other routers' calls against the client's readers. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Hex } from "viem"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import { OrderMismatchError, readOffer, reviewOrder, type SweepRequest } from "../../../src/sdk/index.ts"
import { VENUE_ROUTERS } from "../../../src/sdk/venues.ts"
import * as Project from "../../examples/Project.ts"
import {
  DELEGATE,
  known,
  NOW_MS,
  OTHER,
  owner,
  request,
  routed,
  swapOf,
  type WireOffer,
  wireOffer
} from "../../sdk/Offers.ts"
import { AGGREGATORS } from "../../sdk/AggregatorCalls.ts"
import { EXCHANGES, type Terms } from "../../sdk/VenueCalls.ts"
import { NATIVE, READERS } from "../../sdk/VenueCases.ts"

interface Generated {
  readonly review: (owner: Hex, request: SweepRequest, offer: WireOffer) => unknown
}

/** A router of each family on Base. */
const FAMILIES = {
  "Uniswap v2": EXCHANGES["Uniswap v2"].router,
  Solidly: EXCHANGES.Aerodrome.router,
  "Uniswap v3 with deadlines": EXCHANGES["SushiSwap v3"].router,
  Slipstream: EXCHANGES.Slipstream.router,
  "Uniswap v4": EXCHANGES["Uniswap v4"].router
} as const

describe("the generated code's review of other routers", () => {
  let directory = ""
  let generated: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
    const setting = "const DELEGATE: Hex | undefined = undefined"
    const path = join(directory, "snippet.ts")
    const code = snippet({ ...options, domainName: "Service", sourceChainId: 8453 })
    await Bun.write(path, code.replace(setting, `const DELEGATE: Hex | undefined = "${DELEGATE}"`))
    generated = await import(path)
    vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await rm(directory, { recursive: true, force: true })
  })

  /** True if the module accepts the call. The client agrees. */
  const accepts = (swapTarget: Hex, swapCalldata: Hex, asked: SweepRequest = request): boolean => {
    const offer = wireOffer(asked, { order: { swapTarget, swapCalldata } })
    const outcome = (review: () => unknown, refusal: (error: unknown) => boolean): boolean => {
      try {
        return review() !== undefined
      } catch (error) {
        if (refusal(error)) return false
        throw error
      }
    }
    const accepted = outcome(
      () => generated.review(owner.address, asked, offer),
      () => true
    )
    const expected = outcome(
      () => reviewOrder(readOffer(offer), asked, { ...known, routers: VENUE_ROUTERS }),
      (error) => error instanceof OrderMismatchError
    )
    assert.strictEqual(accepted, expected, swapCalldata)
    return accepted
  }

  for (const [name, router] of Object.entries(FAMILIES)) {
    const { reads, refuses, unwraps } = READERS[name] ?? assert.fail(name)

    it(`takes swaps by ${name}, also into native currency`, () => {
      const intoNative = { ...request, tokenOut: NATIVE } as const
      for (const call of reads) {
        assert.isTrue(accepts(router, call))
        assert.isFalse(accepts(router, call, intoNative))
        assert.isFalse(accepts(router, `${call}00`))
      }
      for (const call of unwraps) {
        assert.isTrue(accepts(router, call, intoNative))
        assert.isFalse(accepts(router, call))
      }
    })

    it(`refuses other calls by ${name}`, () => {
      for (const call of [...Object.values(refuses), "0x", routed(swapOf())] as ReadonlyArray<Hex>) {
        assert.isFalse(accepts(router, call))
      }
    })
  }

  it("takes a swap by SwapRouter02 in parts that add up to the amount", () => {
    const { router } = EXCHANGES.SwapRouter02
    const part = (amountIn: bigint) => swapOf({ amountIn })
    assert.isTrue(accepts(router, routed(part(20_000_000n), part(4_875_000n))))
    assert.isFalse(accepts(router, routed(part(20_000_000n), part(4_875_001n))))
  })

  it("refuses other terms than the order's, by any router", () => {
    const terms: ReadonlyArray<Partial<Terms>> = [
      { tokenIn: OTHER },
      { tokenOut: OTHER },
      { amountIn: 1n },
      { recipient: OTHER }
    ]
    for (const { call, router } of Object.values(EXCHANGES)) {
      assert.isTrue(accepts(router, call()))
      for (const term of terms) assert.isFalse(accepts(router, call(term)))
    }
  })

  it("refuses aggregators, and routers that are not known", () => {
    for (const { call, router } of Object.values(AGGREGATORS)) assert.isFalse(accepts(router, call()))
    assert.isFalse(accepts(OTHER, EXCHANGES["Uniswap v2"].call()))
  })
})
