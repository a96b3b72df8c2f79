/** The alert about a chain's logs, of several processes that read them from nodes of their own. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { LogSources } from "../../../src/orchestrator/settle/LogSources.ts"
import { RenewedAlerts } from "../../../src/orchestrator/shared/RenewedAlerts.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { world } from "../../support/RelayScene.ts"
import * as SharedAlerts from "../../support/SharedAlerts.ts"

const shared = Layer.merge(world, SharedAlerts.layer)

const failure = new ChainUnavailable({ chainId: source.id, method: "eth_getLogs", detail: "no logs" })

const HEAD = 1_000n

/** Starts a process that reviews its node each second. Its source fails, or answers. */
const start = Effect.fnUntraced(function* (isDown: boolean) {
  const node = { isDown, reads: 0, newest: HEAD }
  const scope = yield* Scope.make()
  const client = yield* Effect.flatMap(Chains, ({ get }) => get(source.id))
  const own: ChainClient = {
    ...client,
    block: (tag) =>
      Effect.map(
        client.block(tag),
        Option.map((block) => ({ ...block, number: HEAD }))
      ),
    logs: (filter) =>
      Effect.suspend(() => {
        node.reads++
        return node.isDown || filter.toBlock > node.newest ? Effect.fail(failure) : client.logs(filter)
      })
  }
  // Fresh, because a process shares no memory with another one.
  const context = yield* Layer.fresh(LogSources.layer.pipe(Layer.provideMerge(RenewedAlerts.layer))).pipe(
    Layer.buildWithScope(scope)
  )
  const { note, review } = Context.get(context, LogSources)
  if (isDown) yield* note(own, failure)
  yield* review(own).pipe(Effect.andThen(Effect.sleep("1 second")), Effect.forever, Effect.forkIn(scope))
  return { node, stop: Scope.close(scope, Exit.void) }
})

/** The beginning of the only alert. */
const raised = Effect.gen(function* () {
  yield* TestClock.adjust("61 seconds")
  const [alert, ...others] = yield* Effect.flatMap(Alerts, ({ list }) => list)
  assert.strictEqual(alert?.kind, "logs_unavailable")
  assert.lengthOf(others, 0)
  return alert?.sinceMs ?? assert.fail()
})

const ids = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ id }) => id)))

describe("the alert about logs", () => {
  it.effect("stands from its beginning beside a process whose source answers, until its own source does", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      const healthy = yield* start(false)
      const original = yield* raised
      const before = yield* ids
      yield* SharedAlerts.stands(original, "5 minutes")
      assert.deepStrictEqual(yield* ids, before)
      assert.strictEqual(healthy.node.reads, 0, "nobody reads while another process renews it")
      failing.node.isDown = false
      yield* SharedAlerts.ends("45 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("ends while the newest blocks are missing alone", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      yield* raised
      failing.node.newest = HEAD - 4n
      failing.node.isDown = false
      yield* SharedAlerts.ends("45 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is raised and ends in time although the clock was set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(86_400_000)
      const context = yield* Layer.build(LogSources.layer.pipe(Layer.provideMerge(RenewedAlerts.layerOnDemand)))
      const { note, review } = Context.get(context, LogSources)
      const client = yield* Effect.flatMap(Chains, ({ get }) => get(source.id))
      const own: ChainClient = { ...client, logs: () => Effect.fail(failure) }
      yield* note(own, failure)
      yield* TestClock.setTime(0)
      // Looks again at once, and begins the time of the alert by the new clock.
      yield* review(own)
      yield* TestClock.adjust("61 seconds")
      yield* review(own)
      const kinds = yield* Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))
      assert.deepStrictEqual(kinds, ["logs_unavailable"])
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is cleared by another process after its own has gone", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      yield* start(false)
      yield* raised
      yield* failing.stop
      yield* SharedAlerts.ends("30 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )

  it.effect("is not cleared by a process that has read none, and whose source fails too", () =>
    Effect.gen(function* () {
      const failing = yield* start(true)
      const idle = yield* start(false)
      idle.node.isDown = true
      const original = yield* raised
      yield* failing.stop
      yield* SharedAlerts.stands(original, "3 minutes")
      assert.isAtMost(idle.node.reads, 18)
      idle.node.isDown = false
      yield* SharedAlerts.ends("45 seconds")
    }).pipe(Effect.scoped, Effect.provide(shared))
  )
})
