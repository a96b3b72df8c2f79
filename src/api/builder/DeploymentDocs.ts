/** Texts and examples of the deployment's endpoint. */
import { rateLimited, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const deployment = documented({
  summary: "Get the public configuration",
  description: withErrors(
    "Chains with their delegates, bridges, routers, listed tokens and explorers, the EIP-712 domain name of orders, the URL of the orchestrator, the state of self-signup, and the credential of the admin console.",
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
          wrappedNative: "0x4200000000000000000000000000000000000006",
          bridge: {
            spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
            spokePoolPeriphery: "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4",
            multicallHandler: "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E",
            assets: { USDC: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" }
          },
          routers: [{ address: "0x2626664c2603336E57B271c5C0b26F421741e481", family: "uniswap-v3" }],
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
      domainName: "Service",
      orchestratorUrl: "https://api.example.com",
      selfSignup: true,
      consoleAccess: "gateway"
    }
  }
})
