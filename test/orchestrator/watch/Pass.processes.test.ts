/** The alert about a chain's nodes, of several processes that watch the chain by nodes of their own. */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { RenewedAlerts } from "../../../src/orchestrator/shared/RenewedAlerts.ts"
import * as Pass from "../../../src/orchestrator/watch/Pass.ts"
import { parts } from "../../../src/orchestrator/watch/Watcher.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { world } from "../../support/RelayScene.ts"
import * as SharedAlerts from "../../support/SharedAlerts.ts"

const shared = Layer.merge(world, SharedAlerts.layer)

/** Pause between passes over a node whose requests take ten seconds: the longest one of its duty. */
const SLOW = "25 seconds"

/** Starts a process whose node fails, or answers. */
const start = Effect.fnUntraced(function* (isDown: boolean) {
  const node: { isDown: boolean; pause: Duration.Input } = { isDown, pause: isDown ? SLOW : "1 second" }
  const scope = yield* Scope.make()
  const client = yield* Effect.flatMap(Chains, ({ get }) => get(source.id))
  const unavailable = new ChainUnavailable({ chainId: source.id, method: "eth_getBlockByNumber", detail: "no route" })
  const asked: typeof client = {
    ...client,
    block: (tag) => (node.isDown ? Effect.fail(unavailable) : client.block(tag)),
    recentHead: (maxAgeMillis) => (node.isDown ? Effect.fail(unavailable) : client.recentHead(maxAgeMillis))
  }
  const context = yield* Layer.mergeAll(RenewedAlerts.layer, parts).pipe(Layer.buildWithScope(scope))
  const { scheduled } = yield* Effect.provideContext(Pass.make, context)
  yield* Effect.suspend(() => scheduled(asked)).pipe(
    Effect.andThen(Effect.suspend(() => Effect.sleep(node.pause))),
    Effect.forever,
    Effect.forkIn(scope)
  )
  return { node, stop: Scope.close(scope, Exit.void) }
})

/** The beginning of the only alert. */
const raised = Effect.gen(function* () {
  yield* TestClock.adjust("30 seconds")
  const [alert, ...others] = yield* Effect.flatMap(Alerts, ({ list }) => list)
  assert.strictEqual(alert?.kind, "chain_unavailable")
  assert.lengthOf(others, 0)
  return alert?.sinceMs ?? assert.fail()
})

describe("the alert chain_unavailable of several processes", () => {
  it.effect("stands from its beginning beside a process with a healthy node, until its process sees the end", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      yield* start(false)
      const original = yield* raised
      yield* SharedAlerts.stands(original, "3 minutes")
      failing.node.isDown = false
      // The next pass begins up to 25 seconds later.
      yield* SharedAlerts.stands(original, "14 seconds")
      yield* SharedAlerts.ends("41 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is cleared within 30 seconds by another process after its own has gone", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      yield* start(false)
      yield* raised
      yield* failing.stop
      yield* SharedAlerts.ends("30 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is taken over by a process whose node fails just then", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      const other = yield* start(false)
      const original = yield* raised
      yield* failing.stop
      yield* SharedAlerts.stands(original, "16 seconds")
      // Its first failures are not worth an alert, and end none.
      other.node.isDown = true
      yield* SharedAlerts.stands(original, "2 minutes")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is taken over by the next process on the same node", () =>
    Effect.gen(function* () {
      const before = yield* start(true)
      const original = yield* raised
      yield* before.stop
      yield* start(true)
      yield* SharedAlerts.stands(original, "2 minutes")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )
})
