/** What the documentation says about the deployment's endpoint. */
import { rateLimited, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const deployment = documented({
  summary: "Chains, tokens and what is open",
  description: withErrors(
    "For clients that start: the chains with their listed tokens and explorers, where the orchestrator is, whether builders may sign up by themselves, and what opens the admin console.",
    [rateLimited, unexpected, unavailable]
  ),
  response: {
    status: 200,
    body: {
      chains: [
        {
          id: 8453,
          name: "base",
          nativeSymbol: "ETH",
          explorerUrl: "https://basescan.org",
          tokens: [
            {
              chainId: 8453,
              address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              symbol: "USDC",
              name: "USD Coin",
              decimals: 6
            }
          ]
        }
      ],
      orchestratorUrl: "https://api.example.com",
      selfSignup: true,
      consoleAccess: "gateway"
    }
  }
})
