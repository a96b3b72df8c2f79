/** What the API's documentation says about each endpoint beside its schemas: meaning, errors and examples. */
import { TYPES } from "../../domain/SweepOrder.ts"
import {
  bodyTooLarge,
  type ErrorRow,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const introduction = `Gasless, non-custodial token sweeps.

1. \`POST /quote\` prices a sweep and returns the order to sign.
2. The owner signs two things, with no gas and no allowance: the order (EIP-712), and an EIP-7702 authorization that lets the account run the chain's delegate. Both are in \`signing\`.
3. \`POST /intents\` takes both signatures; a relayer pays the gas.
4. \`GET /intents/:id\` tells the status until it is \`delivered\` or \`failed\`. Poll about every 3 seconds.

Every uint256 is a decimal string in the token's smallest unit. Addresses are accepted in any case and returned checksummed.

Errors are \`{ "error": string }\`. Where it says \`internal error\` the reason is deliberately not told: decide by the status. Every answer carries \`X-Request-Id\`; name it when you ask about a request.

\`/quote\`, \`/intents\`, \`/intents/*\` and \`/portfolio/*\` share 100 requests per 60 seconds and client. Beyond, the answer is 429 with \`Retry-After\` in seconds.`

const body: ReadonlyArray<ErrorRow> = [
  bodyTooLarge,
  [422, "invalid JSON body", "the body is not valid JSON"],
  [422, "<field>: <problem>; …", "a field is missing or malformed; every problem is listed"]
]

const id = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const tokenIn = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const tokenOut = "0x4200000000000000000000000000000000000006"
const delegate = "0x1111111111111111111111111111111111111111"
const txHash = `0x${"ab".repeat(32)}`

const order = {
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

const quoteExample = {
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
    estimatedSeconds: 6
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

export const quote = documented({
  summary: "Price a sweep",
  description: withErrors(
    "Locks the fees and returns the unsigned order with its expiry. With `apiKey`, the builder behind the key is attributed and its markup is part of the order. Unknown fields are ignored.\n\nBefore signing, show the owner the amount and chain, the fee split, the minimum that is received, destination and expiry, and check the returned order against the request.",
    [
      [403, "request blocked by sanctions screening", "owner or destination is blocked; not retryable"],
      ...body,
      [
        422,
        "internal error",
        "no quote can be made: the token is declined, fees reach the amount, there is no route, or another failure; the same request may fail again"
      ],
      rateLimited,
      unexpected
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
    userId: "user-1"
  },
  response: { status: 200, body: quoteExample }
})

export const submit = documented({
  summary: "Submit what the owner signed",
  description: withErrors(
    "Takes the order's signature and the EIP-7702 authorization. When it answers, the sweep is durable and a relayer will send it.",
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
  response: { status: 201, body: { id, status: "submitted" } }
})

export const status = documented({
  summary: "Status of an intent",
  description: withErrors(
    "`quoted` → `submitted` → `settled_source` → `delivered`, or `failed` with a `failureReason`. `delivered` and `failed` are final.",
    [[404, "not found", "no such intent"], rateLimited, unexpected, unavailable]
  ),
  response: { status: 200, body: { id, status: "delivered", txHash, crossChain: false, deliveryTxHash: txHash } }
})

const portfolioErrors: ReadonlyArray<ErrorRow> = [
  [422, "owner: <problem>", "the owner is not an address"],
  rateLimited,
  unexpected,
  [502, "internal error", "a balance or price provider failed"]
]

export const portfolio = documented({
  summary: "What an owner holds",
  description: withErrors("Balances on every served chain, with prices where there are any.", portfolioErrors)
})

export const sweepable = documented({
  summary: "What is worth sweeping",
  description: withErrors(
    "The portfolio, and for each token whether sweeping it leaves anything after fees, and what.",
    portfolioErrors
  )
})

export const tick = documented({
  summary: "Run one pass of the watcher",
  description: withErrors("Moves on what can be moved on, beside the scheduled passes, and tells what moved.", [
    unauthorized,
    unexpected,
    unavailable
  ])
})

export const health = documented({
  summary: "Health of everything behind the orchestrator",
  description: withErrors(
    "Database, chains, relayer lanes, providers and queues. Answers 200 also when parts are down: read `status`.",
    [unauthorized, unexpected]
  )
})

export const alerts = documented({
  summary: "Standing alerts",
  description: withErrors("What an operator must look at, critical first, then oldest first.", [
    unauthorized,
    unexpected,
    unavailable
  ])
})

export const liveness = documented({
  summary: "Whether the process serves",
  description: "Says nothing about what is behind it; see `GET /admin/health`.",
  response: { status: 200, body: { ok: true } }
})
