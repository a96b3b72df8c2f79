/** Texts, errors and examples of the routes that sweep many tokens with one signature. */
import { TYPES } from "../../domain/SweepBatch.ts"
import { rateLimited, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import * as Docs from "./Docs.ts"
import { delegate, id, owner, tokenIn, tokenOut } from "./DocExamples.ts"

const UNLISTED = "0x2222222222222222222222222222222222222222"

const quotesExample = {
  id,
  expiresAtMs: Docs.quoteExample.quote.expiresAtMs,
  quotes: [
    { quote: Docs.quoteExample.quote, order: Docs.order },
    { chainId: 8453, token: UNLISTED, reason: "no_route" }
  ],
  signing: {
    typedData: {
      domain: { name: "Service", version: "1", verifyingContract: owner },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "verifyingContract", type: "address" }
        ],
        ...TYPES
      },
      primaryType: "SweepBatch",
      message: { legs: [{ chainId: "8453", order: Docs.order }] }
    },
    authorizations: [{ address: delegate, chainId: 8453, nonce: "7" }]
  },
  totals: {
    minAmountOut: { amount: "6890000000000000", usd: "24.6662" },
    estimatedAmountOut: { amount: "6925000000000000", usd: "24.7915" },
    fees: {
      protocol: { amount: "17458100558660", usd: "0.0625" },
      network: { amount: "17458100558660", usd: "0.0625" },
      builder: { amount: "0", usd: "0" }
    }
  }
}

export const quotes = documented({
  summary: "Price the sweeps of a wallet",
  description: withErrors(
    `Quotes up to 50 tokens of one owner, on any chains, in one request. An addition to the specification. \`quotes\` has one entry for each token, in the order of the request: a quote with its order, or a reason. One token without a quote does not affect the others. A token that cannot be quoted within 3.5 seconds has the reason \`busy\`.

| Reason | Meaning |
|---|---|
${Docs.quoteReasons}

\`signing\` has the typed data of all orders (\`SweepBatch\`: each leg names its own chain), and an authorization for each chain where the account does not run the delegate. Anyone can send the signed legs of a chain with \`executeBatch\` of the delegate. Submit one signature for all of them to \`POST /sweeps\`, or each order alone to \`POST /intents\`. Build what is signed from the orders that you checked, as for \`POST /quote\`.

\`totals\` sums the quotes. Fees are taken in the input tokens, and \`totals\` converts them to tokenOut at the prices of the quotes.`,
    [
      [403, "request blocked by sanctions screening", "owner or destination is blocked; do not retry"],
      ...Docs.body,
      Docs.burning,
      rateLimited,
      unexpected,
      unavailable
    ]
  ),
  request: {
    owner,
    destination: owner,
    destChainId: 8453,
    tokenOut,
    tokens: [
      { chainId: 8453, token: tokenIn, amount: "25000000" },
      { chainId: 8453, token: UNLISTED, amount: "max" }
    ],
    userId: "user-1",
    subscriptionActive: false,
    slippageBps: 100
  },
  response: { status: 200, body: quotesExample },
  idempotent: true
})
