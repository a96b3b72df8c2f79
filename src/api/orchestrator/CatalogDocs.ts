/** Texts and examples of `GET /chains` and `GET /tokens`. */
import { unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, tokenOut } from "./DocExamples.ts"

const weth = { chainId: 8453, address: tokenOut, symbol: "WETH", name: "Wrapped Ether", decimals: 18 }

const CACHING =
  "Cacheable for five minutes. With `If-None-Match`, the response is 304 without a body if nothing has changed."

export const chains = documented({
  summary: "List chains",
  description: withErrors(
    `Lists everything that a client needs to offer chains: names for route hints, the contracts that accounts delegate to, how long settlement takes, and which sweeps can start and end where.\n\n${CACHING}`,
    [unexpected]
  ),
  response: {
    status: 200,
    body: {
      chains: [
        {
          id: 8453,
          name: "base",
          nativeSymbol: "ETH",
          wrappedNative: tokenOut,
          contracts: {
            delegate,
            guard: "0x2222222222222222222222222222222222222222",
            entry: "0x3333333333333333333333333333333333333333"
          },
          explorerUrl: "https://basescan.org",
          blockTimeMillis: 2000,
          confirmations: 3,
          assets: { WETH: tokenOut },
          paused: false,
          features: { source: true, swap: true, bridgeDestinations: [1, 10], swapBeforeBridge: true }
        }
      ]
    }
  },
  revalidates: true
})

export const tokens = documented({
  summary: "List tokens",
  description: withErrors(
    `A token list in the Uniswap format, of all chains or of one. Other tokens can be swept too, at the highest tier. \`extensions.tier\` is the \`tier\` to ask quotes with; \`0xEeee…EEeE\` with the tag \`native\` stands for a chain's native currency.\n\n${CACHING}`,
    [
      [404, "not found", "the chain is not served"],
      [422, "chainId: <problem>", "the chain id is not a positive integer"],
      unexpected
    ]
  ),
  response: {
    status: 200,
    body: {
      name: "Token Sweep",
      timestamp: "2026-01-01T00:00:00.000Z",
      version: { major: 1, minor: 0, patch: 0 },
      tags: { native: { name: "Native", description: "The native currency of its chain, not a token contract" } },
      tokens: [{ ...weth, extensions: { tier: "tier1" } }]
    }
  },
  revalidates: true
})
