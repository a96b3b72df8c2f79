/** Somebody with a wallet on the sweep page, in front of a service that answers as a test says. */
import { Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as FakeChain from "../support/FakeChain.ts"
import * as Site from "./Site.ts"
import { opens } from "./SweepSteps.ts"
import * as Wallet from "./Wallet.ts"

const chain = (id: number, name: string, bridgeDestinations: ReadonlyArray<number>) => ({
  id,
  name,
  nativeSymbol: "ETH",
  wrappedNative: FakeChain.address(0xd3),
  contracts: { delegate: FakeChain.address(1), guard: FakeChain.address(2), entry: FakeChain.address(3) },
  blockTimeMillis: 1_000,
  confirmations: 1,
  assets: { USDC: FakeChain.address(0xd1), WETH: FakeChain.address(0xd3) },
  features: { source: true, swap: true, bridgeDestinations, swapBeforeBridge: true }
})

export const token = (chainId: number, symbol: string, name: string, digits: number) => ({
  chainId,
  address: FakeChain.address(digits),
  symbol,
  name,
  decimals: 6
})

export const usdcOnBase = token(8453, "USDC", "USD Coin", 0xd1)
export const daiOnBase = token(8453, "DAI", "Dai Stablecoin", 0xd2)
const usdcOnArbitrum = token(42161, "USDC", "USD Coin", 0xd1)
export const wethOnArbitrum = token(42161, "WETH", "Wrapped Ether", 0xd3)

interface Held extends ReturnType<typeof token> {
  readonly balance: string
  readonly priceUsd: string
  readonly valueUsd: string
  readonly tier: string
  readonly sweepable: boolean
  readonly reason: string | null
  readonly delegation: string
  readonly estimatedNetAmount: string
  readonly estimatedNetUsd: string
  readonly standing?: string
}

export const held = (of: ReturnType<typeof token>, dollars: string): Held => ({
  ...of,
  balance: "5000000",
  priceUsd: "1",
  valueUsd: dollars,
  tier: "tier1",
  sweepable: true,
  reason: null,
  delegation: "none",
  estimatedNetAmount: "4900000",
  estimatedNetUsd: dollars
})

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json: unknown
}

export const CATALOG = {
  chains: { json: { chains: [chain(8453, "base", [42161]), chain(42161, "arbitrum", [8453])] } },
  tokens: { json: { tokens: [usdcOnBase, daiOnBase, usdcOnArbitrum, wethOnArbitrum] } }
} satisfies Record<string, Answer>

export const FAILED: Answer = { status: 503, json: { error: "internal error" } }

export const holding = (tokens: ReadonlyArray<Held>, unavailableChains?: ReadonlyArray<number>): Answer => ({
  json: { owner: FakeChain.address(0x0a), tokens, totalUsd: "0", updatedAtMs: 0, unavailableChains }
})

const NOTHING = { amount: "0", usd: "0" }

/** Quotes of WETH on Arbitrum alone, which the service cannot sweep. */
export const unquoted = (reason: string): Answer => ({
  json: {
    id: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
    expiresAtMs: 0,
    quotes: [{ chainId: wethOnArbitrum.chainId, token: wethOnArbitrum.address, reason }],
    totals: {
      minAmountOut: NOTHING,
      estimatedAmountOut: NOTHING,
      fees: { protocol: NOTHING, network: NOTHING, builder: NOTHING }
    }
  }
})

export const TOKENS = [held(daiOnBase, "90"), held(wethOnArbitrum, "5")]

export const WHOLE = holding(TOKENS)

export const WITHOUT_BASE = holding([held(wethOnArbitrum, "5")], [8453])

export const WITHOUT_PRICE = holding([
  { ...held(daiOnBase, "0"), sweepable: false, reason: "no_price" },
  held(wethOnArbitrum, "5")
])

/** Somebody with a wallet on the page, in front of a service that answers as the test says. */
export const scene = Effect.fnUntraced(function* (
  first: Partial<Record<"chains" | "tokens" | "holdings" | "quotes", Answer>>,
  wallet: Wallet.Options = {}
) {
  const { complaints, page } = yield* Site.visitor()
  const service: Record<string, Answer> = { ...CATALOG, holdings: WHOLE, ...first }
  yield* Effect.promise(() =>
    page.route(`${Site.orchestratorUrl}**`, (route) => {
      const path = new URL(route.request().url()).pathname
      const {
        headers,
        json,
        status = 200
      } = service[path.endsWith("/sweepable") ? "holdings" : path.slice(1)] ?? FAILED
      return route.fulfill({
        status,
        json,
        headers: {
          "access-control-allow-origin": "*",
          "access-control-allow-headers": "*",
          "access-control-expose-headers": "retry-after, sweep-reason",
          ...headers
        }
      })
    })
  )
  yield* Wallet.install(page, privateKeyToAccount(generatePrivateKey()), wallet)
  yield* opens(page)
  const answers = (changed: Partial<Record<"chains" | "holdings" | "quotes", Answer>>) =>
    Effect.sync(() => void Object.assign(service, changed))
  return { complaints, page, answers }
})
