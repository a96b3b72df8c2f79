/** Facts of a deployment beside those that the sweep page ships. */
import { assert, describe, it } from "vitest"
import type { PublicChain } from "../../src/api/builder/DeploymentApi.ts"
import { BASE } from "../../src/catalog/Base.ts"
import { KNOWN_BRIDGES } from "../../src/sdk/index.ts"
import { readUniswapV2Call, VENUE_ROUTERS } from "../../src/sdk/venues.ts"
import { contradictionsOf, reviewOf } from "../../src/web/sweep/deploymentReview.ts"

const EVIL = "0x00000000000000000000000000000000C0FfeE00"

const { tokens, wrappedNative } = BASE

const base = (bridge: object = {}, more: object = {}): PublicChain =>
  ({
    id: 8453,
    name: "base",
    nativeSymbol: "ETH",
    delegate: EVIL,
    wrappedNative,
    bridge: { spokePool: BASE.spokePool, spokePoolPeriphery: BASE.spokePoolPeriphery, assets: BASE.assets, ...bridge },
    routers: [],
    tokens,
    ...more
  }) as unknown as PublicChain

describe("the facts of a deployment", () => {
  it("give way to those that the page ships, and the contradiction is said", () => {
    const chain = base({ spokePool: EVIL, assets: { ...BASE.assets, USDC: EVIL } }, { wrappedNative: EVIL })
    const { bridges } = reviewOf([chain])
    const known = KNOWN_BRIDGES[8453]
    assert.strictEqual(bridges?.[8453]?.spokePool, known?.spokePool)
    assert.strictEqual(bridges?.[8453]?.wrappedNative, known?.wrappedNative)
    assert.strictEqual(bridges?.[8453]?.tokens?.["USDC"], known?.tokens["USDC"])
    assert.deepStrictEqual(contradictionsOf([chain]), [
      `On base, the SpokePool is ${known?.spokePool}. The deployment states ${EVIL}.`,
      `On base, the wrapped native currency is ${known?.wrappedNative}. The deployment states ${EVIL}.`,
      `On base, USDC is ${known?.tokens["USDC"]}. The deployment states ${EVIL}.`
    ])
    const wrong = base({}, { tokens: tokens.map((token) => ({ ...token, decimals: 18 })) })
    assert.strictEqual(reviewOf([wrong]).bridges?.[8453]?.decimals?.["USDC"], 6)
    assert.include(contradictionsOf([wrong]), "On base, the number of decimals of USDC is 6. The deployment states 18.")
  })

  it("do not contradict them in the shipped catalogue", () => {
    assert.deepStrictEqual(contradictionsOf([base()]), [])
  })

  it("count where the page ships none", () => {
    const own = base({ spokePool: EVIL, assets: { FISH: EVIL } }, { id: 31_337, wrappedNative: EVIL })
    assert.strictEqual(reviewOf([own]).bridges?.[31_337]?.spokePool, EVIL)
    assert.strictEqual(reviewOf([base({ assets: { FISH: EVIL } })]).bridges?.[8453]?.tokens?.["FISH"], EVIL)
    assert.deepStrictEqual(contradictionsOf([own]), [])
  })

  it("name the EIP-712 domain of orders, unless the service is older", () => {
    assert.strictEqual(reviewOf([base()], "Acme").domainName, "Acme")
    assert.notProperty(reviewOf([base()]), "domainName")
  })

  it("do not change how the calls of a known router are read", () => {
    const [router = ""] = Object.keys(VENUE_ROUTERS[8453] ?? {})
    const routers = [
      { address: router.toLowerCase(), family: "uniswap-v2" },
      { address: EVIL, family: "uniswap-v2" }
    ]
    const read = reviewOf([base({}, { routers })]).routers?.[8453] as Readonly<Record<string, unknown>>
    assert.strictEqual(read[router.toLowerCase()], VENUE_ROUTERS[8453]?.[router as `0x${string}`])
    assert.strictEqual(read[EVIL], readUniswapV2Call)
  })
})
