/** Texts, errors and examples of the routes of clients in the documentation. */
import { MEANINGS } from "../../domain/QuoteReason.ts"
import { TYPES } from "../../domain/SweepOrder.ts"
import {
  chainUnavailable,
  malformedBody,
  providerUnavailable,
  type ErrorRow,
  rateLimited,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, id, owner, tokenIn, tokenOut, txHash } from "./DocExamples.ts"

export const introduction = `Gasless, non-custodial token sweeps.

1. \`POST /quote\` prices a sweep and returns the order to sign.
2. The owner signs two things, with no gas and no allowance: the order (EIP-712), and an EIP-7702 authorization that lets the account run the chain's delegate. \`signing\` shows both. Build what is signed from the order that you checked and the delegate that you know, not from the answer, so that a hostile server gets nothing else signed.
3. \`POST /intents\` takes both signatures; a relayer pays the gas.
4. \`GET /intents/:id\` returns the status until it is \`delivered\` or \`failed\`. Poll about every 3 seconds, or follow \`GET /intents/:id/events\`.

Every uint256 is a decimal string in the token's smallest unit. Addresses are accepted in any case and returned checksummed.

Errors are \`{ "error": string }\`. The reason behind \`internal error\` is not disclosed: decide by the status code. Every response has an \`X-Request-Id\`: quote it when you report a problem.

\`/quote\`, \`/quotes\`, \`/intents\`, \`/intents/*\`, \`/sweeps\`, \`/sweeps/*\`, \`/owners/*/sweeps\`, \`/portfolio/*\` and \`/prices\` share 100 requests per 60 seconds and client. Above the limit, the response is 429 with \`Retry-After\` in seconds. Every response of these routes has the remaining requests in \`RateLimit\` and the policy in \`RateLimit-Policy\`.

\`POST /quote\`, \`POST /quotes\`, \`POST /intents\` and \`POST /sweeps\` accept an \`Idempotency-Key\`: after a lost response, repeat the request with the same key and receive the first response. A key is valid for one route and body, for 24 hours, and for quotes for one hour.`

const keyed: ReadonlyArray<ErrorRow> = [
  [409, "idempotency key was used with another request", "the `Idempotency-Key` was used with another body"],
  [
    409,
    "a request with this idempotency key is in progress",
    "the first request with the `Idempotency-Key` is in progress: repeat it after `Retry-After`"
  ]
]

export const body: ReadonlyArray<ErrorRow> = [...keyed, ...malformedBody]

export const order = {
  owner,
  tokenIn,
  amountIn: "25000000",
  feeAmount: "125000",
  builder: "0x0000000000000000000000000000000000000000",
  builderFee: "0",
  tokenOut,
  minAmountOut: "6890000000000000",
  destination: owner,
  swapTarget: "0x2626664c2603336E57B271c5C0b26F421741e481",
  swapCalldata: "0x04e45aaf",
  deadline: "1767226320",
  nonce: "0",
  destChainId: "8453"
}

/** Details in the examples of a quote and of its intent. */
export const details = {
  feeBreakdown: {
    protocol: { amount: "62500", usd: "0.0625" },
    network: { amount: "62500", usd: "0.0625" },
    builder: { amount: "0", usd: "0" }
  },
  appliedTier: "tier1",
  priceImpactBps: 34,
  minAmountOutUsd: "24.6662",
  estimatedAmountOutUsd: "24.7915"
}

export const quoteExample = {
  quote: {
    id,
    crossChain: false,
    expiresAtMs: 1767225720000,
    total: "125000",
    settlementAddress: delegate,
    sourceChainId: 8453,
    estimatedAmountOut: "6925000000000000",
    minAmountOut: "6890000000000000",
    provider: "uniswap-v3",
    estimatedSeconds: 6,
    ...details
  },
  order,
  signing: {
    typedData: {
      domain: { name: "Service", version: "1", chainId: 8453, verifyingContract: owner },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
          { name: "verifyingContract", type: "address" }
        ],
        ...TYPES
      },
      primaryType: "SweepOrder",
      message: order
    },
    authorization: { address: delegate, chainId: 8453, nonce: "7" }
  }
}

/** Rows of the reasons for which there is no quote. */
export const quoteReasons = Object.entries(MEANINGS)
  .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
  .join("\n")

export const burning: ErrorRow = [
  422,
  "destination: <problem>",
  "the output would be lost: a token, a contract of the service or a precompiled contract"
]

export const quote = documented({
  summary: "Price a sweep",
  description: withErrors(
    `Locks the fees and returns the unsigned order with its expiry. With \`apiKey\`, the builder behind the key is attributed and its markup is part of the order. Unknown fields are ignored.

Before signing, show the owner the amount and chain, the fee split, the minimum received, the destination and the expiry, and check the returned order against the request.

A quote that cannot be made has the body \`internal error\` and its reason in the header \`Sweep-Reason\`. With \`Retry-After\`, the same request may succeed after these seconds. Without it, it is refused again. With 503, the reason is \`unavailable\`.

| \`Sweep-Reason\` | Meaning |
|---|---|
${quoteReasons}`,
    [
      [403, "request blocked by sanctions screening", "owner or destination is blocked; do not retry"],
      ...body,
      burning,
      [422, "route: <problem>", "the hint names a chain that is not served, or contradicts the request"],
      [422, "internal error", "no quote can be made: see `Sweep-Reason`"],
      rateLimited,
      unexpected,
      providerUnavailable,
      chainUnavailable
    ]
  ),
  request: {
    owner,
    tokenIn,
    amountIn: "25000000",
    tokenOut,
    destination: owner,
    destChainId: 8453,
    tier: "tier1",
    route: "base->base",
    subscriptionActive: false,
    userId: "user-1",
    slippageBps: 50,
    maxNetworkFee: "100000"
  },
  response: { status: 200, body: quoteExample },
  idempotent: true
})

export const submit = documented({
  summary: "Submit a signed sweep",
  description: withErrors(
    "Accepts the signature of the order and the EIP-7702 authorization. Once this route answers, the sweep is stored durably and a relayer will send it.",
    [
      [
        400,
        "internal error",
        "the quote is unknown, expired or already submitted; owner or destination is blocked; the authorization names another chain or delegate; a signature is not the owner's. Request a new quote and sign again"
      ],
      ...body,
      rateLimited,
      unexpected,
      unavailable
    ]
  ),
  request: {
    quoteId: id,
    signature: `0x${"12".repeat(64)}1b`,
    authorization: {
      address: delegate,
      chainId: 8453,
      nonce: "7",
      r: `0x${"34".repeat(32)}`,
      s: `0x${"56".repeat(32)}`,
      yParity: 0
    }
  },
  response: { status: 201, body: { id, status: "submitted" } },
  idempotent: true
})

export const intentExample = {
  id,
  status: "delivered",
  txHash,
  crossChain: false,
  deliveryTxHash: txHash,
  amountOut: "6921000000000000",
  sourceChainId: 8453,
  minAmountOut: quoteExample.quote.minAmountOut,
  estimatedAmountOut: quoteExample.quote.estimatedAmountOut,
  ...details
}

export const status = documented({
  summary: "Get the status of an intent",
  description: withErrors(
    "`quoted` → `submitted` → `settled_source` → `delivered`, or `failed` with a `failureReason`. `delivered` and `failed` are final. The response repeats the terms of the quote, at its prices, and has the amount that arrived once it is known.",
    [[404, "not found", "no such intent"], rateLimited, unexpected, unavailable]
  ),
  response: { status: 200, body: intentExample }
})

export const events = documented({
  summary: "Stream the status of an intent",
  description: withErrors(
    "Server-sent events, as an alternative to polling. The data of each event is the body of `GET /intents/:id`. The stream sends the current state at once, then each later state within half a second, and ends after `delivered` or `failed`. Comments keep idle connections open. Each event holds the whole state, so a client that reconnects misses nothing. Browsers send the id of the last event as `Last-Event-ID`: if that state is final, the response is 204 and they stop reconnecting.\n\nA client may have 100 streams open, and all clients of a /48 of IPv6 500: further ones are refused with 429. A process has 5,000 of intents and 5,000 of sweeps: further ones are refused with 503. Opening a stream counts as a request. A stream ends after at most 30 minutes.",
    [[404, "not found", "no such intent"], rateLimited, unexpected, unavailable]
  ),
  response: {
    status: 200,
    contentType: "text/event-stream",
    body: { id: "submitted", event: "message", data: { id, status: "submitted", crossChain: false, txHash } }
  }
})
