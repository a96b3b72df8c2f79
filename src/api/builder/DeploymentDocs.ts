/** Texts and examples of the deployment's endpoint. */
import { rateLimited, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const deployment = documented({
  summary: "Get the public configuration",
  description: withErrors(
    "Chains with their delegates, listed tokens and explorers, the URL of the orchestrator, the state of self-signup, and the credential of the admin console.",
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
          delegate: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
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
