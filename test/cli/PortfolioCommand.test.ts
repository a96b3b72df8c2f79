/** `sweep portfolio`, what `sweep sweep` chooses from it, and the facts by which it reviews. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SweepService from "../../src/cli/SweepService.ts"
import type { DevChain } from "../../src/devnet/DevInfo.ts"
import { OrderMismatchError, readOffer, reviewOrder } from "../../src/sdk/index.ts"
import { address } from "../support/FakeChain.ts"
import { across, asked as wanted, BRIDGED, HANDLER, offerOf, USDC } from "../sdk/ArrivalOffers.ts"
import { known } from "../sdk/Offers.ts"
import { sweepHere } from "./inProcess.ts"

const OWNER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const OTHER = "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"
const OWNER_KEY = `0x${"5e".repeat(32)}`

const token = {
  chainId: 8453,
  address: TOKEN,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  balance: "25000000",
  priceUsd: "1",
  valueUsd: "25",
  tier: "tier1",
  sweepable: false,
  reason: "no_route",
  standing: "unlisted",
  delegation: "none",
  estimatedNetAmount: "0",
  estimatedNetUsd: "0"
}

/** A service with one balance, and the paths that were requested. */
const service = Effect.gen(function* () {
  const asked: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: (request) => {
          const { pathname, search } = new URL(request.url)
          asked.push(decodeURIComponent(pathname + search))
          return Response.json({
            owner: OWNER,
            tokens: [token],
            totalUsd: "25",
            updatedAtMs: 1,
            unavailableChains: [10]
          })
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )
  return { asked, ORCHESTRATOR_URL: `http://127.0.0.1:${server.port}` }
})

describe("sweep portfolio", () => {
  it.effect("lists the balances with the reasons against a sweep, and looks for the tokens of --find", () =>
    Effect.gen(function* () {
      const { asked, ORCHESTRATOR_URL } = yield* service
      const { code, err, out } = yield* sweepHere(["portfolio", OWNER, "--find", TOKEN, "--find", OTHER], {
        ORCHESTRATOR_URL
      })
      assert.strictEqual(code, 0, err)
      assert.match(out, /8453 +25 USDC +25 +0 +no_route +unlisted +0x833589/)
      assert.include(out, "total: 25 USD")
      assert.include(out, "chains that did not answer: 10")
      assert.deepStrictEqual(asked, [`/portfolio/${OWNER}/sweepable?tokens=${TOKEN},${OTHER}`])
    })
  )

  it.effect("is what sweep sweep chooses from, and refuses what is no address", () =>
    Effect.gen(function* () {
      const { asked, ORCHESTRATOR_URL } = yield* service
      const swept = yield* sweepHere(["sweep", "--into", `10:${OTHER}`, "--find", TOKEN], {
        ORCHESTRATOR_URL,
        OWNER_KEY
      })
      assert.match(swept.err, /has no token that is worth sweeping/)
      assert.isTrue(asked[0]?.endsWith(`/sweepable?tokens=${TOKEN}`), asked[0])
      for (const args of [
        ["portfolio", "0x12"],
        ["portfolio", OWNER, "--find", "USDC"]
      ]) {
        const refused = yield* sweepHere(args, { ORCHESTRATOR_URL })
        assert.strictEqual(refused.code, 1)
        assert.match(refused.err, /expected the address of/)
      }
    })
  )
})

describe("the review of sweep sweep", () => {
  it("takes tokens that are bought on arrival, on public chains and on the local network", () => {
    const offer = readOffer(offerOf(wanted, across(), BRIDGED))
    const { insteadIfSwapFails } = reviewOrder(offer, wanted, { ...known, ...SweepService.readers([]) }).receive
    assert.strictEqual(insteadIfSwapFails?.token, USDC)
    assert.throws(() => reviewOrder(offer, wanted, known), OrderMismatchError)
  })

  it("knows the handler and the exchanges of the local network by its file", () => {
    const zero = address(1)
    const chain: DevChain = {
      id: 10,
      name: "alpha",
      rpcUrl: "",
      delegate: zero,
      guard: zero,
      entry: zero,
      feeRecipient: zero,
      spokePool: zero,
      spokePoolPeriphery: zero,
      swapRouter: address(2),
      multicallHandler: address(3),
      venues: [{ name: "pairs", family: "uniswap-v2", router: address(4) }],
      permit2: zero,
      sanctionsOracle: zero,
      tokens: {}
    }
    const { routers } = SweepService.readers([chain])
    assert.hasAllKeys(routers?.[10], [address(2), address(4)])
    assert.isDefined(routers?.[8453])
    // Another handler than that of the file is not taken.
    const offer = readOffer(offerOf(wanted, across(), BRIDGED))
    const local = SweepService.readers([{ ...chain, swapRouter: address(2) }])
    assert.throws(() => reviewOrder(offer, wanted, { ...known, ...local }), new RegExp(HANDLER))
  })
})
