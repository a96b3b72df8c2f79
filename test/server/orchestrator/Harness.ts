/** The real server on a free port, with use cases that tests swap, and a client for it. */
import { Effect, Layer, Logger, Option, References } from "effect"
import { HttpServer } from "effect/http"
import type { RateLimiter } from "effect/persistence"
import * as ChainsInMemory from "../../../src/adapters/memory/shared/Chains.ts"
import * as IdempotencyInMemory from "../../../src/adapters/memory/shared/Idempotency.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { FailureReason } from "../../../src/domain/Intent.ts"
import type { Health } from "../../../src/domain/Health.ts"
import type { PortfolioView, PricesView, SweepableView } from "../../../src/domain/Portfolio.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import type { StuckIntent } from "../../../src/domain/StuckIntent.ts"
import { type SweepOrder, typedData } from "../../../src/domain/SweepOrder.ts"
import { HealthCheck } from "../../../src/orchestrator/operate/HealthCheck.ts"
import { Readiness } from "../../../src/orchestrator/operate/Readiness.ts"
import { IntentDesk } from "../../../src/orchestrator/operate/IntentDesk.ts"
import type { TreasuryView } from "../../../src/domain/Treasury.ts"
import { Treasury } from "../../../src/orchestrator/treasury/Treasury.ts"
import { Intake } from "../../../src/orchestrator/intake/Intake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { type Offer, Quoter } from "../../../src/orchestrator/quote/Quoter.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import type { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { type Intent, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import * as OrchestratorServer from "../../../src/server/orchestrator/OrchestratorServer.ts"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings, type ServerSettingsShape } from "../../../src/server/shared/ServerSettings.ts"
import type { ListenOptions } from "../../../src/server/shared/ServiceServer.ts"
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
    estimatedSeconds: 6
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

export interface UseCases {
  readonly quote: Quoter["Service"]["quote"]
  readonly submit: Intake["Service"]["submit"]
  readonly accepted: Intake["Service"]["accepted"]
  readonly find: Intents["Service"]["find"]
  readonly givenUp: ReadonlyMap<string, FailureReason>
  readonly portfolio: Portfolio["Service"]["portfolio"]
  readonly prices: Portfolio["Service"]["prices"]
  readonly sweepable: Portfolio["Service"]["sweepable"]
  readonly tick: Watcher["Service"]["tick"]
  readonly ready: Readiness["Service"]["check"]
  readonly alerts: Alerts["Service"]["list"]
  readonly stuck: IntentDesk["Service"]["stuck"]
  readonly retry: IntentDesk["Service"]["retry"]
  readonly close: OutboxDelivery["Service"]["close"]
  readonly treasury: Treasury["Service"]
  readonly exposures: Pick<Exposures["Service"], "sums" | "largest">
  readonly store: Layer.Layer<RateLimiter.RateLimiterStore>
  readonly keys: Layer.Layer<Idempotency>
  readonly pausedChains: ReadonlyArray<number>
}

const working: UseCases = {
  quote: (request) => Effect.succeed(offer(request)),
  submit: ({ quoteId }) => Effect.succeed({ id: quoteId, status: "submitted" }),
  accepted: () => Effect.succeedNone,
  find: (id) => Effect.succeed(id === ID ? Option.some(intent) : Option.none()),
  givenUp: new Map(),
  portfolio: () => Effect.succeed(portfolio),
  prices: Effect.succeed(prices),
  sweepable: () => Effect.succeed(sweepable),
  tick: Effect.succeed({
    transactions: 1,
    rebroadcast: 2,
    replaced: 3,
    settledSource: 4,
    delivered: 5,
    failed: 6,
    outboxDelivered: 7,
    unavailableChains: [8]
  }),
  ready: Effect.succeed({
    unready: [],
    chains: [{ id: 8453, name: "base", ready: true, missingContracts: [] }]
  }),
  alerts: Effect.succeed([
    {
      id: "1",
      key: "lane_low:1",
      severity: "critical",
      kind: "lane_low",
      message: "fund the lane",
      details: { balance: "1", low: true, n: 2 },
      sinceMs: 7
    }
  ]),
  stuck: ({ limit, olderThanMillis }) =>
    Effect.succeed({ intents: limit === 0 || olderThanMillis > 3_600_000 ? [] : [stuckIntent], total: 7 }),
  retry: (id) =>
    Effect.succeed(
      id === ID ? Option.some({ id, outcome: "requeued" as const, explanation: "It is free." }) : Option.none()
    ),
  close: (id) => Effect.succeed(id === "41"),
  exposures: { sums: () => Effect.succeed(new Map()), largest: () => Effect.succeed([]) },
  treasury: {
    view: Effect.succeed(treasuryView),
    safePlan: () => Effect.succeed({ batch: { meta: { name: "Sale of collected fees" } }, leftOut: [] }),
    sell: Effect.succeed({ opened: treasuryView.sales })
  },
  store: RateLimitStore.layerMemory,
  keys: IdempotencyInMemory.layer,
  pausedChains: []
}

/** States in the store of the intents that `find` returns. */
const statesFrom =
  (find: UseCases["find"]): Intents["Service"]["states"] =>
  (ids) =>
    Effect.map(Effect.forEach(ids, find), (found) =>
      found.flatMap((each) =>
        Option.match(each, {
          onNone: () => [],
          onSome: ({ deliveryTxHash, failureReason, id, quote, status, txHash }) => [
            {
              id,
              status,
              crossChain: quote.crossChain,
              ...(txHash === undefined ? {} : { txHash }),
              ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
              ...(failureReason === undefined ? {} : { failureReason })
            }
          ]
        })
      )
    )

export interface LogLine {
  readonly message: string
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
}

export const services = (
  useCases: Partial<UseCases>,
  settings: Partial<ServerSettingsShape>,
  onLog: (line: LogLine) => void
) => {
  const all = { ...working, ...useCases }
  return Layer.mergeAll(
    Layer.mock(Quoter, { quote: all.quote }),
    Layer.mock(Intake, { submit: all.submit, accepted: all.accepted }),
    Layer.mock(Intents, {
      find: all.find,
      states: statesFrom(all.find),
      givenUpReasons: () => Effect.succeed(all.givenUp)
    }),
    Layer.mock(Portfolio, { portfolio: all.portfolio, sweepable: all.sweepable, prices: all.prices }),
    Layer.mock(Watcher, { tick: all.tick }),
    Layer.mock(HealthCheck, { check: Effect.succeed(health) }),
    Layer.mock(OutboxDelivery, { close: all.close }),
    Layer.mock(Readiness, { check: all.ready }),
    Layer.mock(Alerts, { list: all.alerts }),
    Layer.mock(Exposures, all.exposures),
    Layer.mock(IntentDesk, { stuck: all.stuck, retry: all.retry }),
    Layer.mock(Treasury, all.treasury),
    ChainsInMemory.layer(chains),
    all.store,
    all.keys,
    OrchestratorSettings.layer({
      ...orchestratorDefaults,
      relayer: { ...orchestratorDefaults.relayer, pausedChains: all.pausedChains }
    }),
    ServerSettings.layer(settings),
    Logger.layer([
      Logger.make((options) =>
        onLog({
          message: [options.message, options.cause.reasons.length === 0 ? "" : options.cause]
            .flat()
            .map(String)
            .join(" "),
          level: options.logLevel,
          annotations: options.fiber.getRef(References.CurrentLogAnnotations)
        })
      )
    ])
  )
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Starts the server for the rest of the test. */
export const serve = Effect.fnUntraced(function* (
  useCases: Partial<UseCases> = {},
  settings: Partial<ServerSettingsShape> = {},
  listen: Partial<ListenOptions> = {}
) {
  const logs: Array<LogLine> = []
  const context = yield* Layer.build(
    OrchestratorServer.listen({ port: 0, hostname: "127.0.0.1", ...listen }).pipe(
      Layer.provide(services(useCases, settings, (line) => logs.push(line)))
    )
  )
  const base = yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url)).pipe(Effect.provideContext(context))
  const call = (path: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${base}${path}`, init)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parse(text) }
    })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(path, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers }
    })
  return { base, call, post, logs }
})
