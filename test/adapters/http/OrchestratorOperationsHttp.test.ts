import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as OrchestratorOperationsHttp from "../../../src/adapters/http/OrchestratorOperationsHttp.ts"
import { Health } from "../../../src/domain/Health.ts"
import { StuckIntents } from "../../../src/domain/StuckIntent.ts"
import { ChangeOfPause, nameOf, type PauseView } from "../../../src/domain/Pause.ts"
import { FoundByOrchestrator, SweepStory } from "../../../src/domain/SweepStory.ts"
import { MoneyView } from "../../../src/domain/Money.ts"
import { TreasuryView } from "../../../src/domain/Treasury.ts"
import { type OperationsFailure, OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import * as Suite from "../../ports/builder/OrchestratorOperations.suite.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

const { parts } = Suite

const adapter = (options: Partial<OrchestratorOperationsHttp.Options> = {}, server = StubServer.layer) =>
  Layer.unwrap(
    Effect.map(StubServer, ({ url }) =>
      OrchestratorOperationsHttp.layer({ orchestratorUrl: url, token: Redacted.make("operator"), ...options })
    )
  ).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(server))

const wireOf = (stuck: typeof parts.stuck, limit: number): Answer => ({
  status: 200,
  body: Schema.encodeSync(StuckIntents)({ intents: stuck.slice(0, limit), total: stuck.length })
})

const NOT_FOUND: Answer = { status: 404, body: { error: "not found" } }

/** Search and stories of an orchestrator with these parts. Undefined for other routes. */
const tell = (pathname: string, q: string | null): Answer | undefined => {
  if (pathname === "/admin/find") {
    const isNamed = (story: SweepStory) =>
      [
        story.id,
        story.order.owner,
        ...story.transactions.flatMap(({ attempts }) => attempts.map(({ hash }) => hash))
      ].some((name) => name === q)
    const sweeps = parts.stories.filter(isNamed).map(({ createdAtMs, id, order, quote, status }) => ({
      id,
      status,
      owner: order.owner,
      sourceChainId: quote.sourceChainId,
      destChainId: Number(order.destChainId),
      tokenIn: order.tokenIn,
      amountIn: order.amountIn,
      tokenOut: order.tokenOut,
      createdAtMs
    }))
    return { status: 200, body: Schema.encodeSync(FoundByOrchestrator)({ sweeps, more: false, roles: [] }) }
  }
  const id = /^\/admin\/intents\/([^/]+)$/.exec(pathname)?.[1]
  if (id === undefined) return undefined
  const story = parts.stories.find((each) => each.id === decodeURIComponent(id))
  return story === undefined ? NOT_FOUND : { status: 200, body: Schema.encodeSync(SweepStory)(story) }
}

/** Pauses of an orchestrator with these parts. */
const makePauses = () => {
  let pauses = parts.pauses
  return {
    list: (): Answer => ({ status: 200, body: pauses }),
    change: (body: string): Answer => {
      const { reason = "", state, subject } = Schema.decodeUnknownSync(ChangeOfPause)(JSON.parse(body))
      if (subject.scope === "chain" && subject.chainId === 99) return NOT_FOUND
      const others = pauses.filter((pause) => nameOf(pause.subject) !== nameOf(subject))
      const chosen = state === "default" ? null : { state, actor: "admin-token", reason, sinceMs: 7 }
      const view: PauseView = { subject, state: chosen?.state ?? "running", configured: "running", chosen }
      pauses = chosen === null ? others : [...others, view]
      return { status: 200, body: view }
    }
  }
}

/** The operator routes of an orchestrator with these parts. */
const orchestrator = () => {
  let stuck = parts.stuck
  const pauses = makePauses()
  return ({ body, headers, method, path }: Seen): Answer => {
    if (headers.get("authorization") !== "Bearer operator") return { status: 401, body: { error: "unauthorized" } }
    const { pathname, searchParams } = new URL(path, "http://orchestrator")
    const told = method === "GET" ? tell(pathname, searchParams.get("q")) : undefined
    if (told !== undefined) return told
    const id = /^\/admin\/intents\/([^/]+)\/retry$/.exec(pathname)?.[1]
    if (method === "POST" && id !== undefined) {
      const found = stuck.find((intent) => intent.id === decodeURIComponent(id))
      if (found === undefined) return NOT_FOUND
      if (found.retryable) stuck = stuck.filter((intent) => intent !== found)
      const outcome = found.retryable ? "requeued" : "carried"
      return { status: 200, body: { id: found.id, outcome, explanation: "So it is." } }
    }
    switch (`${method} ${pathname}`) {
      case "GET /admin/health":
        return { status: 200, body: Schema.encodeSync(Health)(parts.health) }
      case "GET /admin/pauses":
        return pauses.list()
      case "POST /admin/pauses":
        return pauses.change(body)
      case "GET /admin/alerts":
        return { status: 200, body: parts.alerts }
      case "GET /admin/treasury":
        return { status: 200, body: Schema.encodeSync(TreasuryView)(parts.treasury) }
      case "GET /admin/money":
        return {
          status: 200,
          body: Schema.encodeSync(MoneyView)({ ...parts.money, days: searchParams.get("days") === "90" ? 90 : 7 })
        }
      case "GET /admin/intents":
        return searchParams.get("state") === "stuck"
          ? wireOf(stuck, Number(searchParams.get("limit") ?? 50))
          : { status: 422 }
      default:
        return { status: 500 }
    }
  }
}

Suite.suite(
  "HTTP",
  Layer.suspend(() => adapter({}, StubServer.answering(orchestrator())))
)

const failure = Effect.flatMap(OrchestratorOperations, ({ health }) => Effect.flip(health))

describe("OrchestratorOperationsHttp", () => {
  it.effect("says what is wrong, and never the token", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      for (const [given, detail] of [
        [{ status: 401, body: { error: "unauthorized" } }, "ORCH_ADMIN_TOKEN"],
        [{ status: 503, body: { error: "internal error" } }, "HTTP 503"],
        [{ status: 302, headers: { location: "https://elsewhere.test" } }, "HTTP 302"],
        [{ status: 200, body: { status: "splendid" } }, "malformed"],
        [{ status: 200, body: "<html>" }, "malformed"]
      ] as const) {
        yield* answer(given)
        const error = yield* failure
        assert.strictEqual(error._tag, "OperationsUnavailable")
        assert.include(error.message, detail)
        assert.notInclude(error.message, "operator")
      }
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("gives up on an orchestrator that does not answer", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, silent: true })
      const waiting = yield* Effect.forkChild(failure)
      yield* Effect.repeat(
        Effect.andThen(
          Effect.promise(() => Bun.sleep(1)),
          seen
        ),
        { until: (requests) => requests.length > 0 }
      )
      yield* TestClock.adjust("8 seconds")
      const error = yield* Fiber.join(waiting)
      assert.include(error.message, "no answer within 3500 ms")
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("says what to set where it was told nothing", () =>
    Effect.gen(function* () {
      const operations = yield* OrchestratorOperations
      const questions: ReadonlyArray<Effect.Effect<unknown, OperationsFailure>> = [
        operations.health,
        operations.alerts,
        operations.stuck({}),
        operations.retry("x")
      ]
      for (const question of questions) {
        const error = yield* Effect.flip(question)
        assert.strictEqual(error._tag, "OperationsNotConfigured")
        assert.strictEqual(error.message, "not configured: set ORCHESTRATOR_URL and ORCHESTRATOR_ADMIN_TOKEN")
      }
    }).pipe(Effect.provide(OrchestratorOperationsHttp.notConfigured(["ORCHESTRATOR_URL", "ORCHESTRATOR_ADMIN_TOKEN"])))
  )
})
