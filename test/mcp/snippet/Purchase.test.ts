/** Holds the generated module to the client on tokens that are bought on arrival: both take the same orders. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Hex, pad } from "viem"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Address from "../../../src/domain/Address.ts"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import { swapOnArrival } from "../../../src/sdk/arrivals.ts"
import { OrderMismatchError, readOffer, reviewOrder, type SweepRequest } from "../../../src/sdk/index.ts"
import { VENUE_ROUTERS } from "../../../src/sdk/venues.ts"
import * as Project from "../../examples/Project.ts"
import {
  across,
  asked,
  bought,
  BRIDGED,
  FILL_DEADLINE,
  HANDLER,
  messageOf,
  offerOf,
  under,
  USDC,
  WANTED
} from "../../sdk/ArrivalOffers.ts"
import {
  DELEGATE,
  known,
  NOW_MS,
  OTHER,
  owner,
  PERIPHERY,
  swapDeposit,
  swapRequest,
  type WireOffer
} from "../../sdk/Offers.ts"

type Review = (owner: Hex, request: SweepRequest, offer: WireOffer) => { readonly insteadIfSwapFails?: unknown }

describe("the generated code's review of a swap on arrival", () => {
  let directory = ""
  let review: Review

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const path = join(directory, "snippet.ts")
    const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
    const code = snippet({ ...options, domainName: "Renamed", sourceChainId: 8453 })
    await Bun.write(
      path,
      code.replace("const DELEGATE: Hex | undefined = undefined", `const DELEGATE = "${DELEGATE}" as Hex`)
    )
    ;({ review } = (await import(path)) as { readonly review: Review })
    vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] })
  })

  afterAll(async () => {
    vi.useRealTimers()
    await rm(directory, { recursive: true })
  })

  const generated = (request: SweepRequest, offer: WireOffer) => review(owner.address, request, offer)
  const client = (request: SweepRequest, offer: WireOffer) =>
    reviewOrder(readOffer(offer), request, { ...known, routers: VENUE_ROUTERS, arrivals: swapOnArrival() })

  it("takes what the client takes, and tells what arrives if the swap fails", () => {
    const afterSwap = swapDeposit({
      depositData: { recipient: pad(HANDLER), message: messageOf() }
    })
    for (const [request, calldata, target] of [
      [asked, across(), undefined],
      [{ ...swapRequest, tokenOut: WANTED }, afterSwap, PERIPHERY]
    ] as const) {
      const offer = offerOf(request, calldata, BRIDGED, target)
      const expected = { token: USDC, amount: BRIDGED, chainId: 10 }
      assert.deepStrictEqual(generated(request, offer).insteadIfSwapFails, expected)
      const { insteadIfSwapFails } = client(request, offer).receive
      assert.deepStrictEqual([insteadIfSwapFails?.token, insteadIfSwapFails?.minAmount], [USDC, BRIDGED])
    }
  })

  const swapped = (other: Parameters<typeof bought>[0]) =>
    across({ message: messageOf({ calldata: under(FILL_DEADLINE, bought(other)) }) })

  const keeping = (outputAmount: bigint) =>
    across({
      outputAmount,
      message: messageOf({ amount: outputAmount, calldata: under(FILL_DEADLINE, bought({ amountIn: outputAmount })) })
    })

  it("takes a bridge that keeps less than the limit", () => {
    const offer = offerOf(asked, keeping(24_000_000n), 24_000_000n)
    assert.doesNotThrow(() => [generated(asked, offer), client(asked, offer)])
  })

  for (const [name, calldata, instead] of [
    ["a handler that is not Across's", across({ recipient: OTHER }), BRIDGED],
    ["a message that is none", across({ message: "0x00" }), BRIDGED],
    ["trailing bytes of the message", across({ message: `${messageOf()}00` }), BRIDGED],
    ["another router", across({ message: messageOf({ router: Address.of(OTHER) }) }), BRIDGED],
    ["the sale of another token", across({ message: messageOf({ sold: Address.of(OTHER) }) }), BRIDGED],
    ["the sale of a part", across({ message: messageOf({ amount: 1n }) }), BRIDGED],
    ["a swap of another token", swapped({ tokenIn: OTHER }), BRIDGED],
    ["a swap of a part", swapped({ amountIn: 1n }), BRIDGED],
    ["the purchase of another token", swapped({ tokenOut: OTHER }), BRIDGED],
    ["a purchase for somebody else", swapped({ recipient: OTHER }), BRIDGED],
    [
      "somebody else without the swap",
      across({ message: messageOf({ fallbackRecipient: Address.of(OTHER) }) }),
      BRIDGED
    ],
    [
      "a swap that ends early",
      across({ message: messageOf({ calldata: under(FILL_DEADLINE - 1, bought()) }) }),
      BRIDGED
    ],
    ["two swaps", across({ message: messageOf({ calldata: under(FILL_DEADLINE, bought(), bought()) }) }), BRIDGED],
    ["a bridge that keeps too much", keeping(23_000_000n), 23_000_000n],
    ["a quote that does not tell what arrives instead", across(), undefined],
    ["a quote that tells something else", across(), BRIDGED + 1n]
  ] as ReadonlyArray<readonly [string, Hex, bigint | undefined]>) {
    it(`refuses ${name}, as the client does`, () => {
      const offer = offerOf(asked, calldata, instead)
      assert.throws(() => generated(asked, offer))
      assert.throws(() => client(asked, offer), OrderMismatchError)
    })
  }
})
