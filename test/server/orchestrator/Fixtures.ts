/** Requests to the server under test, and what its use cases answer. */
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Health } from "../../../src/domain/Health.ts"
import type { MoneyView } from "../../../src/domain/Money.ts"
import type { PortfolioView, PricesView, SweepableView } from "../../../src/domain/Portfolio.ts"
import type { QuoteDetails } from "../../../src/domain/QuoteDetails.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import type { StuckIntent } from "../../../src/domain/StuckIntent.ts"
import { type SweepOrder, typedData } from "../../../src/domain/SweepOrder.ts"
import type { TreasuryView } from "../../../src/domain/Treasury.ts"
import type { Offer } from "../../../src/orchestrator/quote/Quoter.ts"
import type { Intent } from "../../../src/ports/orchestrator/Intents.ts"
import { chain as fakeChain } from "../../support/FakeChain.ts"

export const ID = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"

export const OWNER = Address.of("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

export const TOKEN = Address.of("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")

export const OUT = Address.of("0x4200000000000000000000000000000000000006")

export const DELEGATE = Address.of("0x1111111111111111111111111111111111111111")

export const TX = `0x${"ab".repeat(32)}` as const

const word = (byte: string): `0x${string}` => `0x${byte.repeat(32)}`

export const quoteRequest = {
  owner: OWNER,
  tokenIn: TOKEN,
  amountIn: "25000000",
  tokenOut: OUT,
  destination: OWNER,
  destChainId: 8453,
  tier: "tier1",
  subscriptionActive: false,
  userId: "user-1"
}

export const submission = {
  quoteId: ID,
  signature: `0x${"12".repeat(65)}`,
  authorization: { address: DELEGATE, chainId: 8453, nonce: "7", r: word("34"), s: word("56") }
}

export const order = (request: QuoteRequest): SweepOrder => ({
  owner: request.owner,
  tokenIn: request.tokenIn,
  amountIn: request.amountIn,
  feeAmount: 125_000n,
  builder: Address.zero,
  builderFee: 1n,
  tokenOut: request.tokenOut,
  minAmountOut: 2n ** 200n,
  destination: request.destination,
  swapTarget: DELEGATE,
  swapCalldata: "0x04e45aaf",
  deadline: 1_767_226_320n,
  nonce: 3n,
  destChainId: BigInt(request.destChainId)
})

/** Details of a quote, with amounts that a number could not hold. */
export const details: QuoteDetails = {
  feeBreakdown: {
    protocol: { amount: 2n ** 200n, usd: "0.1" },
    network: { amount: 24_999n, usd: "0.025" },
    builder: { amount: 1n, usd: "0.000001" }
  },
  appliedTier: "tier2",
  priceImpactBps: 14,
  minAmountOutUsd: "20.67",
  estimatedAmountOutUsd: null
}

/** The same on the wire. */
export const wireDetails = {
  feeBreakdown: {
    protocol: { amount: (2n ** 200n).toString(), usd: "0.1" },
    network: { amount: "24999", usd: "0.025" },
    builder: { amount: "1", usd: "0.000001" }
  },
  appliedTier: "tier2",
  priceImpactBps: 14,
  minAmountOutUsd: "20.67",
  estimatedAmountOutUsd: null
}

/** Terms of {@link offer} in the state of its intent, on the wire. */
export const wireTerms = {
  sourceChainId: 8453,
  minAmountOut: (2n ** 200n).toString(),
  estimatedAmountOut: (2n ** 201n).toString(),
  ...wireDetails
}

export const offer = (request: QuoteRequest): Offer => ({
  quote: {
    id: ID,
    crossChain: false,
    expiresAtMs: 1_767_225_720_000,
    total: 125_001n,
    settlementAddress: DELEGATE,
    sourceChainId: 8453,
    estimatedAmountOut: 2n ** 201n,
    minAmountOut: 2n ** 200n,
    provider: "test",
    estimatedSeconds: 6,
    ...details
  },
  order: order(request),
  signing: {
    typedData: typedData(order(request), { name: "Service", chainId: 8453 }),
    authorization: { address: DELEGATE, chainId: 8453, nonce: 7n }
  }
})

export const decodedRequest: QuoteRequest = {
  owner: OWNER,
  tokenIn: TOKEN,
  amountIn: 25_000_000n,
  tokenOut: OUT,
  destination: OWNER,
  destChainId: 8453,
  tier: "tier1",
  subscriptionActive: false,
  userId: "user-1"
}

export const intent: Intent = {
  ...offer(decodedRequest),
  id: ID,
  orderDigest: TX,
  quotedAtBlock: 1n,
  gas: 1n,
  userId: "user-1",
  status: "submitted",
  createdAtMs: 1,
  updatedAtMs: 2
}

const token = {
  chainId: 8453,
  address: TOKEN,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  balance: 2n ** 255n,
  priceUsd: "1.000000",
  valueUsd: null,
  tier: "tier1" as const
}

export const prices: PricesView = {
  prices: [
    { chainId: token.chainId, address: token.address, priceUsd: "1.000000", ageSeconds: 3, sources: ["uniswap-v3"] }
  ],
  updatedAtMs: 5
}

export const portfolio: PortfolioView = { owner: OWNER, tokens: [token], totalUsd: "1.000000", updatedAtMs: 5 }

export const sweepable: SweepableView = {
  ...portfolio,
  tokens: [
    {
      ...token,
      sweepable: true,
      reason: null,
      delegation: "none" as const,
      estimatedNetAmount: 12n,
      estimatedNetUsd: "0.900000"
    }
  ]
}

export const health: Health = {
  status: "ok",
  database: { status: "ok", latencyMs: 1 },
  chains: [{ id: 8453, name: "base", status: "ok", blockNumber: 12n, blockAgeSeconds: 1, contractsDeployed: true }],
  lanes: [{ chainId: 8453, address: OWNER, status: "ok", balance: 10n ** 18n, unconfirmed: 0 }],
  relaying: [{ chainId: 8453, status: "ok", paused: false, spent: 10n ** 15n, dailyCap: 10n ** 18n }],
  providers: [{ name: "test", status: "ok" }],
  queues: { quoted: 1, submitted: 2, settledSource: 3, outboxPending: 4, outboxRejected: 5 }
}

const ASSET = Address.of("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")

const sums = {
  sweeps: 3,
  unpricedSweeps: 1,
  failed: 2,
  feesUsd: "12.5",
  gasUsd: "2.25",
  failuresUsd: "11",
  netUsd: "-0.75",
  isGasPriced: false
}

export const moneyView: MoneyView = {
  days: 7,
  fromDay: "2026-01-01",
  total: sums,
  chains: [{ chainId: 8453, ...sums, unpricedWei: 2n ** 70n }],
  builders: [{ builderId: "acme", ...sums }, sums],
  tiers: [{ tier: "tier1", ...sums }, sums]
}

/** Sums that a number could not hold. */
export const treasuryView: TreasuryView = {
  chains: [{ chainId: 8453, feeRecipient: OWNER, asset: ASSET, selling: "on" }],
  entries: [
    {
      chainId: 8453,
      token: OWNER,
      collected: 2n ** 256n,
      sweeps: 3,
      sold: 5n,
      proceeds: [{ token: ASSET, amount: 2n ** 255n }],
      arrived: 0n,
      held: 7n,
      lost: 0n,
      unexplained: -1n,
      valueUsd: "1.5",
      state: "sell",
      sell: 7n,
      lots: 1
    }
  ],
  sales: [
    {
      id: "1",
      chainId: 8453,
      seller: OWNER,
      token: OWNER,
      asset: ASSET,
      amount: 7n,
      rest: 0n,
      state: "planned",
      openedAtMs: 1,
      updatedAtMs: 2
    }
  ],
  unavailableChains: []
}

export const stuckIntent: StuckIntent = {
  id: ID,
  status: "submitted",
  owner: OWNER,
  sourceChainId: 1,
  destChainId: 2,
  builderId: "bld",
  sinceMs: 1,
  deadline: 2n,
  txHash: TX,
  waitsFor: "rest",
  explanation: "It rests.",
  advice: null,
  retryable: true
}

const ofChain = (id: number) => ({
  id,
  tokens: fakeChain.tokens.map((listed) => Object.assign({}, listed, { chainId: id }))
})

/** The second can only be arrived at. */
export const chains: ReadonlyArray<Chain> = [
  {
    ...fakeChain,
    ...ofChain(1),
    name: "one",
    swapRouter: DELEGATE,
    spokePool: DELEGATE,
    spokePoolPeriphery: DELEGATE,
    explorerUrl: "https://one.example"
  },
  {
    ...fakeChain,
    id: 2,
    name: "two",
    spokePool: DELEGATE,
    spokePoolPeriphery: DELEGATE,
    swapRouter: DELEGATE,
    supportsSetCode: false,
    tokens: []
  },
  { ...fakeChain, id: 3, name: "three", tokens: [] }
]
