/** SIGTERM, as a deployment sends it before it replaces the process. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Schedule } from "effect"
import { delay, isSend, isSimulation, pass, swallow } from "../support/FaultProxy.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 300_000

/** Time limit of a shutdown. Without a limit, it would wait 10 seconds for a silent node. */
const PATIENCE = "9 seconds"

/** By itself: by the code that shells give for an interruption. */
const STOPPED = Option.some(Option.some(130))

/** Waits until the process takes no new connection. */
const refusesConnections = (url: string) =>
  Effect.promise(() =>
    fetch(`${url}/healthz`, { keepalive: false }).then(
      () => false,
      () => true
    )
  ).pipe(Effect.repeat({ until: (refused) => refused, schedule: Schedule.spaced("10 millis") }))

layer(Scene.layer, { excludeTestServices: true })("A process that is told to stop", (it) => {
  it.effect(
    "answers what it was asked, takes nothing more, and leaves the rest to the next one",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client, exitCode, signal, url } = yield* scene.orchestrator(route)
        const sweep = yield* scene.quote(client)
        yield* route.alpha.react(({ method }) => (method === "eth_call" ? delay(300) : pass))
        const before = (yield* route.alpha.calls).length
        const submission = yield* Effect.forkChild(scene.offer(client, sweep))
        yield* route.alpha.awaitCall(({ method }, index) => index >= before && method === "eth_call")
        yield* signal("SIGTERM")
        yield* refusesConnections(url)
        assert.strictEqual(yield* scene.offer(client, sweep), 0)
        assert.strictEqual(yield* Fiber.join(submission), 201)
        assert.deepStrictEqual(yield* Effect.timeoutOption(exitCode, PATIENCE), STOPPED)

        const next = yield* scene.orchestrator(yield* scene.route)
        yield* scene.endLeases
        yield* scene.delivered(next.client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "gives back what it had claimed, so that others need not wait for its leases",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client, exitCode, signal } = yield* scene.orchestrator(route)
        const sweep = yield* scene.quote(client)
        yield* route.alpha.react((call) => (isSimulation(call) ? swallow : pass))
        const before = (yield* route.alpha.calls).length
        yield* scene.submit(client, sweep)
        yield* route.alpha.awaitCall((call, index) => index >= before && isSimulation(call))
        yield* signal("SIGTERM")
        assert.deepStrictEqual(yield* Effect.timeoutOption(exitCode, PATIENCE), STOPPED)

        // A lease would last 30 seconds, and as long as the next process needs to start.
        const queued = yield* scene.sql`SELECT intent_id, lease_until FROM orchestrator.intent_queue`
        assert.deepStrictEqual(queued, [{ intent_id: sweep.id, lease_until: null }])
        const next = yield* scene.orchestrator(yield* scene.route)
        yield* scene.delivered(next.client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "is gone in time though a node gives it no answer",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const { client, exitCode, signal } = yield* scene.orchestrator(route)
        const sweep = yield* scene.quote(client)
        yield* route.alpha.react((call) => (isSend(call) ? swallow : pass))
        yield* scene.submit(client, sweep)
        yield* route.alpha.awaitCall(isSend)
        yield* route.alpha.react((call) => (isSimulation(call) ? swallow : pass))
        const before = (yield* route.alpha.calls).length
        yield* Effect.forkChild(scene.quote(client))
        yield* route.alpha.awaitCall((call, index) => index >= before && isSimulation(call))
        yield* signal("SIGTERM")
        assert.deepStrictEqual(yield* Effect.timeoutOption(exitCode, PATIENCE), STOPPED)

        const next = yield* scene.orchestrator(yield* scene.route)
        yield* scene.endLeases
        yield* scene.delivered(next.client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )
})
