/** The real server on a free port, with use cases that tests swap, and a client for it. */
import { Effect, Layer, Logger, Option, References } from "effect"
import { HttpServer } from "effect/http"
import type { RateLimiter } from "effect/persistence"
import * as ChainsInMemory from "../../../src/adapters/memory/shared/Chains.ts"
import * as IdempotencyInMemory from "../../../src/adapters/memory/shared/Idempotency.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type { FailureReason } from "../../../src/domain/Intent.ts"
import { HealthCheck } from "../../../src/orchestrator/operate/HealthCheck.ts"
import { Readiness } from "../../../src/orchestrator/operate/Readiness.ts"
import { IntentDesk } from "../../../src/orchestrator/operate/IntentDesk.ts"
import * as LaneBook from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import { LaneDesk, UnknownLane } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { StoryDesk } from "../../../src/orchestrator/operate/StoryDesk.ts"
import { EndpointDesk } from "../../../src/orchestrator/operate/EndpointDesk.ts"
import { LimitDesk } from "../../../src/orchestrator/operate/LimitDesk.ts"
import { PauseDesk } from "../../../src/orchestrator/operate/PauseDesk.ts"
import { Treasury } from "../../../src/orchestrator/treasury/Treasury.ts"
import { Intake } from "../../../src/orchestrator/intake/Intake.ts"
import { SweepIntake } from "../../../src/orchestrator/intake/SweepIntake.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { Quoter } from "../../../src/orchestrator/quote/Quoter.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import type { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import * as OrchestratorServer from "../../../src/server/orchestrator/OrchestratorServer.ts"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings, type ServerSettingsShape } from "../../../src/server/shared/ServerSettings.ts"
import type { ListenOptions } from "../../../src/server/shared/ServiceServer.ts"
import { endpointsLayer, replica, store } from "../../support/Endpoints.ts"
import {
  ID,
  chains,
  health,
  intent,
  offer,
  portfolio,
  prices,
  stuckIntent,
  sweepable,
  moneyView,
  treasuryView
} from "./Fixtures.ts"

export interface UseCases {
  readonly quote: Quoter["Service"]["quote"]
  readonly quoteAll: Quoter["Service"]["quoteAll"]
  readonly submit: Intake["Service"]["submit"]
  readonly accepted: Intake["Service"]["accepted"]
  readonly sweeps: SweepIntake["Service"]
  readonly find: Intents["Service"]["find"]
  readonly findSweep: Intents["Service"]["findSweep"]
  readonly sweepsOf: Intents["Service"]["sweepsOf"]
  readonly givenUp: ReadonlyMap<string, FailureReason>
  readonly portfolio: Portfolio["Service"]["portfolio"]
  readonly prices: Portfolio["Service"]["prices"]
  readonly sweepable: Portfolio["Service"]["sweepable"]
  readonly tick: Watcher["Service"]["tick"]
  readonly ready: Readiness["Service"]["check"]
  readonly alerts: Alerts["Service"]["list"]
  readonly clearAlert: Alerts["Service"]["clear"]
  readonly stuck: IntentDesk["Service"]["stuck"]
  readonly retry: IntentDesk["Service"]["retry"]
  readonly stories: StoryDesk["Service"]
  readonly close: OutboxDelivery["Service"]["close"]
  readonly treasury: Treasury["Service"]
  readonly lanes: LaneDesk["Service"]
  readonly exposures: Pick<Exposures["Service"], "sums" | "largest">
  readonly store: Layer.Layer<RateLimiter.RateLimiterStore>
  readonly keys: Layer.Layer<Idempotency>
  readonly pausedChains: ReadonlyArray<number>
  /** Byte of the key of secrets. Undefined: none is set. */
  readonly secretsKey: number | undefined
}

const working: UseCases = {
  quote: (request) => Effect.succeed(offer(request)),
  quoteAll: () => Effect.die("this test quotes no wallet"),
  submit: ({ quoteId }) => Effect.succeed({ id: quoteId, status: "submitted" }),
  accepted: () => Effect.succeedNone,
  sweeps: { submit: () => Effect.die("this test submits no sweep"), accepted: () => Effect.succeedNone },
  findSweep: () => Effect.succeedNone,
  sweepsOf: () => Effect.succeed([]),
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
  clearAlert: () => Effect.void,
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
  stories: {
    find: () => Effect.succeed({ sweeps: [], more: false, roles: [] }),
    story: () => Effect.succeedNone
  },
  close: (id) => Effect.succeed(id === "41"),
  lanes: {
    list: Effect.succeed([]),
    log: Effect.succeed([]),
    move: () => Effect.fail(new UnknownLane()),
    empty: () => Effect.fail(new UnknownLane())
  },
  exposures: { sums: () => Effect.succeed(new Map()), largest: () => Effect.succeed([]) },
  treasury: {
    view: Effect.succeed(treasuryView),
    money: () => Effect.succeed(moneyView),
    safePlan: () => Effect.succeed({ batch: { meta: { name: "Sale of collected fees" } }, leftOut: [] }),
    sell: Effect.succeed({ opened: treasuryView.sales })
  },
  store: RateLimitStore.layerMemory,
  keys: IdempotencyInMemory.layer,
  pausedChains: [],
  secretsKey: 1
}

/** States in the store of the intents that `find` returns. */
const statesFrom =
  (find: UseCases["find"]): Intents["Service"]["states"] =>
  (ids) =>
    Effect.map(Effect.forEach(ids, find), (found) =>
      found.flatMap((each) =>
        Option.match(each, {
          onNone: () => [],
          onSome: ({ amountOut, deliveryTxHash, failureReason, id, quote, status, txHash }) => [
            {
              id,
              status,
              crossChain: quote.crossChain,
              ...(txHash === undefined ? {} : { txHash }),
              ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
              ...(amountOut === undefined ? {} : { amountOut }),
              ...(failureReason === undefined ? {} : { failureReason })
            }
          ]
        })
      )
    )

/** Quotes in the store of the intents that `find` returns. */
const quotesFrom =
  (find: UseCases["find"]): Intents["Service"]["quotes"] =>
  (ids) =>
    Effect.map(
      Effect.forEach(ids, find),
      (found) =>
        new Map(found.flatMap((each) => (Option.isSome(each) ? [[each.value.id, each.value.quote] as const] : [])))
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
  const configured = Layer.merge(
    ChainsInMemory.layer(chains),
    OrchestratorSettings.layer({
      ...orchestratorDefaults,
      relayer: { ...orchestratorDefaults.relayer, pausedChains: all.pausedChains }
    })
  )
  return Layer.mergeAll(
    Layer.mock(Quoter, { quote: all.quote, quoteAll: all.quoteAll }),
    Layer.mock(Intake, { submit: all.submit, accepted: all.accepted }),
    Layer.mock(SweepIntake, all.sweeps),
    Layer.mock(Intents, {
      findSweep: all.findSweep,
      sweepsOf: all.sweepsOf,
      find: all.find,
      states: statesFrom(all.find),
      quotes: quotesFrom(all.find),
      givenUpReasons: () => Effect.succeed(all.givenUp)
    }),
    Layer.mock(Portfolio, { portfolio: all.portfolio, sweepable: all.sweepable, prices: all.prices }),
    Layer.mock(Watcher, { tick: all.tick }),
    Layer.mock(HealthCheck, { check: Effect.succeed(health) }),
    Layer.mock(OutboxDelivery, { close: all.close }),
    Layer.mock(Readiness, { check: all.ready }),
    Layer.mock(Alerts, { list: all.alerts, clear: all.clearAlert }),
    Layer.mock(Exposures, all.exposures),
    Layer.mock(LaneDesk, all.lanes),
    LaneBook.layer,
    Layer.mock(IntentDesk, { stuck: all.stuck, retry: all.retry }),
    Layer.mock(StoryDesk, all.stories),
    Layer.mock(Treasury, all.treasury),
    Layer.mergeAll(PauseDesk.layer, LimitDesk.layer, EndpointDesk.layer).pipe(
      Layer.provide(endpointsLayer(1, ["well-a"])),
      Layer.provideMerge(replica(all.secretsKey)),
      Layer.provideMerge(store),
      Layer.provideMerge(configured)
    ),
    all.store,
    all.keys,
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
