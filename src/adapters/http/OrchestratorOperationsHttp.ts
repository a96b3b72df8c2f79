/** {@link OrchestratorOperations} over the orchestrator's operator routes, with its admin token. */
import { Duration, Effect, Layer, type Option, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { AlertView, Health } from "../../domain/Health.ts"
import { MoneyView } from "../../domain/Money.ts"
import { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"
import { PauseView } from "../../domain/Pause.ts"
import { FoundByOrchestrator, SweepStory } from "../../domain/SweepStory.ts"
import { TreasuryView } from "../../domain/Treasury.ts"
import {
  OperationsNotConfigured,
  OperationsUnavailable,
  OrchestratorOperations
} from "../../ports/builder/OrchestratorOperations.ts"
import * as Exchange from "./Exchange.ts"

export interface Options {
  /** Base URL of the orchestrator. */
  readonly orchestratorUrl: string
  /** ORCH_ADMIN_TOKEN of the orchestrator. */
  readonly token: Redacted.Redacted
  readonly timeout?: Duration.Input
}

/** Longer than the orchestrator's health check, which gives each part 2.5 seconds, and shorter than the limit of a request. */
const TIMEOUT = Duration.millis(3_500)

const readHealth = Exchange.json(Health)
const readAlerts = Exchange.json(Schema.Array(AlertView))
const readStuck = Exchange.json(StuckIntents)
const readTreasury = Exchange.json(TreasuryView)
const readMoney = Exchange.json(MoneyView)
const readFound = Exchange.json(FoundByOrchestrator)
const readStory = Exchange.json(SweepStory)
const readPause = Exchange.json(PauseView)
const readPauses = Exchange.json(Schema.Array(PauseView))
const readOutcome = Exchange.json(RetryOutcome)

const refused = new Exchange.ExchangeFailed({
  detail: "the orchestrator rejected ORCHESTRATOR_ADMIN_TOKEN. Set it to the orchestrator's ORCH_ADMIN_TOKEN"
})

/** Decodes a response of status 200. Every other status is unexpected. */
const reading =
  <A>(read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Exchange.ExchangeFailed>) =>
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<A, Exchange.ExchangeFailed> => {
    if (response.status === 200) return read(response)
    return Effect.fail(response.status === 401 ? refused : Exchange.unexpected(response))
  }

/** 404 is none. */
const orNone =
  <A>(read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Exchange.ExchangeFailed>) =>
  (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Option.Option<A>, Exchange.ExchangeFailed> =>
    response.status === 404 ? Effect.succeedNone : Effect.asSome(read(response))

export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const timeout = options.timeout ?? TIMEOUT

  const ask = <A>(
    request: HttpClientRequest.HttpClientRequest,
    use: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Exchange.ExchangeFailed>
  ) =>
    Exchange.exchange(
      client,
      request.pipe(
        HttpClientRequest.prependUrl(options.orchestratorUrl),
        HttpClientRequest.bearerToken(options.token),
        HttpClientRequest.acceptJson
      ),
      timeout,
      use
    ).pipe(Effect.mapError(({ detail }) => new OperationsUnavailable({ detail })))

  const outcome = reading(readOutcome)

  return OrchestratorOperations.of({
    health: ask(HttpClientRequest.get("/admin/health"), reading(readHealth)).pipe(
      Effect.withSpan("OrchestratorOperations.health")
    ),
    alerts: ask(HttpClientRequest.get("/admin/alerts"), reading(readAlerts)).pipe(
      Effect.withSpan("OrchestratorOperations.alerts")
    ),
    stuck: Effect.fn("OrchestratorOperations.stuck")((query) =>
      ask(
        HttpClientRequest.setUrlParams(HttpClientRequest.get("/admin/intents"), { state: "stuck", ...query }),
        reading(readStuck)
      )
    ),
    treasury: ask(HttpClientRequest.get("/admin/treasury"), reading(readTreasury)).pipe(
      Effect.withSpan("OrchestratorOperations.treasury")
    ),
    money: Effect.fn("OrchestratorOperations.money")((days) =>
      ask(HttpClientRequest.setUrlParams(HttpClientRequest.get("/admin/money"), { days }), reading(readMoney))
    ),
    find: Effect.fn("OrchestratorOperations.find")((q) =>
      ask(HttpClientRequest.setUrlParams(HttpClientRequest.get("/admin/find"), { q }), reading(readFound))
    ),
    story: Effect.fn("OrchestratorOperations.story")((id) =>
      ask(HttpClientRequest.get(`/admin/intents/${encodeURIComponent(id)}`), orNone(reading(readStory)))
    ),
    pauses: ask(HttpClientRequest.get("/admin/pauses"), reading(readPauses)).pipe(
      Effect.withSpan("OrchestratorOperations.pauses")
    ),
    changePause: Effect.fn("OrchestratorOperations.changePause")((change) =>
      ask(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/admin/pauses"), change), orNone(reading(readPause)))
    ),
    retry: Effect.fn("OrchestratorOperations.retry")((id) =>
      ask(HttpClientRequest.post(`/admin/intents/${encodeURIComponent(id)}/retry`), orNone(outcome))
    )
  })
})

export const layer = (options: Options) => Layer.effect(OrchestratorOperations, make(options))

/** For a backend without the settings: every request fails with the names of the missing ones. */
export const notConfigured = (missing: ReadonlyArray<string>) => {
  const failure = Effect.fail(new OperationsNotConfigured({ missing }))
  return Layer.succeed(OrchestratorOperations, {
    health: failure,
    alerts: failure,
    stuck: () => failure,
    treasury: failure,
    money: () => failure,
    find: () => failure,
    story: () => failure,
    pauses: failure,
    changePause: () => failure,
    retry: () => failure
  })
}
