/** Quotes of many tokens, as the service would make them. */
import type { SweepQuotesRequest } from "../../src/sdk/index.ts"
import { BATCH_TYPES } from "../../src/sdk/model/BatchTypedData.ts"
import {
  crossRequest,
  DELEGATE,
  type Json,
  NOW_MS,
  owner,
  request,
  swapOffer,
  swapRequest,
  wireOffer,
  type WireOffer
} from "./Offers.ts"

/** An unlisted token on Base, without a route. */
export const UNLISTED = "0x2222222222222222222222222222222222222222"
export const EXPIRES_AT_MS = NOW_MS + 120_000

/** USDC and DAI on Base, bridged to the USDC of Optimism, and a token without a route. */
export const batchRequest: SweepQuotesRequest = {
  owner: owner.address,
  destination: crossRequest.destination ?? owner.address,
  destChainId: crossRequest.destChainId,
  tokenOut: crossRequest.tokenOut,
  tokens: [
    { chainId: 8453, token: crossRequest.tokenIn, amount: crossRequest.amountIn },
    { chainId: 8453, token: UNLISTED, amount: "max" },
    { chainId: 8453, token: swapRequest.tokenIn, amount: "max" }
  ]
}

/** Two tokens on one chain, swapped there. */
export const localRequest: SweepQuotesRequest = {
  owner: owner.address,
  destination: request.destination ?? owner.address,
  destChainId: 8453,
  tokenOut: request.tokenOut,
  tokens: [{ chainId: 8453, token: request.tokenIn, amount: request.amountIn }]
}

const value = (amount: string, usd: string) => ({ amount, usd })

const idOf = (index: number) => `6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4${index}`

/** The entry of an offer in the response of `POST /quotes`. Each has an id and a nonce of its own. */
const entryOf = ({ order, quote }: WireOffer, index: number) => ({
  quote: { ...quote, id: idOf(index) },
  order: { ...order, nonce: index.toString() }
})

/** The response of `POST /quotes` with these offers and refusals. */
export const wireQuotes = (
  entries: ReadonlyArray<WireOffer | { readonly reason: string; readonly token?: string }>
) => {
  const quotes = entries.map((entry, index) =>
    "quote" in entry ? entryOf(entry, index) : { chainId: 8453, token: UNLISTED, ...entry }
  )
  const legs = quotes.flatMap((entry) => ("quote" in entry ? [{ chainId: "8453", order: entry.order }] : []))
  return {
    id: "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77",
    expiresAtMs: EXPIRES_AT_MS,
    quotes,
    signing: {
      typedData: {
        domain: { name: "Service", version: "1", verifyingContract: owner.address },
        types: {
          EIP712Domain: [
            { name: "name", type: "string" },
            { name: "version", type: "string" },
            { name: "verifyingContract", type: "address" }
          ],
          SweepBatch: [...BATCH_TYPES.SweepBatch],
          SweepLeg: [...BATCH_TYPES.SweepLeg],
          SweepOrder: [...BATCH_TYPES.SweepOrder]
        },
        primaryType: "SweepBatch",
        message: { legs }
      },
      authorizations: [{ address: DELEGATE, chainId: 8453, nonce: "7" }]
    },
    totals: {
      minAmountOut: value("49600000", "49.6"),
      estimatedAmountOut: value("49625000", "49.62"),
      fees: { protocol: value("250000", "0.25"), network: value("0", "0"), builder: value("0", "0") }
    }
  } satisfies Json
}

/** The response to {@link batchRequest}. */
export const wireBatch = () => wireQuotes([wireOffer(crossRequest), { reason: "no_route" }, swapOffer()])
