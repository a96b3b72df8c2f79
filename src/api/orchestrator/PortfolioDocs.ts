/** Texts, errors and examples of the routes about balances and prices in the documentation. */
import { rateLimited, unavailable, unexpected, withErrors, type ErrorRow } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { owner, tokenIn, tokenOut } from "./DocExamples.ts"

const portfolioErrors: ReadonlyArray<ErrorRow> = [
  [422, "owner: <problem>; tokens: <problem>", "the owner or a token is not an address, or there are too many tokens"],
  rateLimited,
  unexpected,
  [502, "internal error", "no chain answered, or no price source did"],
  unavailable
]

const held = {
  chainId: 8453,
  address: tokenIn,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  balance: "25000000",
  priceUsd: "1.000000",
  valueUsd: "25.000000",
  tier: "tier1"
}

const portfolioExample = { owner, tokens: [held], totalUsd: "25.000000", updatedAtMs: 1767225600000 }

/** Not part of the contract's query, so that its clients can make a request without one. */
const TOKENS = {
  name: "tokens",
  in: "query",
  required: false,
  description:
    "At most 20 addresses of tokens, separated by commas. They are looked for on every chain, beside the tokens of the lists.",
  schema: { type: "string" },
  example: tokenIn
}

export const portfolio = documented({
  parameters: [TOKENS],
  summary: "Get the balances of an owner",
  description: withErrors(
    "Balances on every served chain, with prices if known. A chain that fails or does not answer within 1.5 seconds is named in `unavailableChains`, and its tokens are missing.",
    portfolioErrors
  ),
  response: { status: 200, body: { ...portfolioExample, tokens: [{ ...held, worthSweeping: true }] } }
})

export const prices = documented({
  summary: "List prices of tokens",
  description: withErrors(
    "Prices in US dollars for one whole token, at most a minute old, for display only. Listed tokens without a price are left out. A chain that fails or does not answer within 1.5 seconds is named in `unavailableChains`.",
    [rateLimited, unexpected, [502, "internal error", "no chain answered, or no price source did"], unavailable]
  ),
  response: {
    status: 200,
    body: {
      prices: [
        { chainId: 8453, address: tokenOut, priceUsd: "3000.25", ageSeconds: 4, sources: ["uniswap-v3", "chainlink"] }
      ],
      updatedAtMs: 1767225600000
    }
  }
})

export const sweepable = documented({
  parameters: [TOKENS],
  summary: "Get the sweepable balances of an owner",
  description: withErrors(
    "The portfolio, with the amount that a sweep of each token leaves after fees. A chain that fails or does not answer within 1.5 seconds is named in `unavailableChains`, and its tokens are missing.",
    portfolioErrors
  ),
  response: {
    status: 200,
    body: {
      ...portfolioExample,
      tokens: [
        {
          ...held,
          sweepable: true,
          reason: null,
          delegation: "none",
          estimatedNetAmount: "24875000",
          estimatedNetUsd: "24.875000"
        }
      ]
    }
  }
})
