import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Logger, Option, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as SanctionsRefresh from "../../../src/orchestrator/operate/SanctionsRefresh.ts"
import { RefreshFailed, type ListAge, SanctionsLists } from "../../../src/ports/orchestrator/SanctionsLists.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"

const HOUR = 3_600_000

/** Replicas over one store of alerts, each with a list that can be refreshed while its source answers. */
const replicas = (initials: ReadonlyArray<Option.Option<ListAge>>) =>
  Effect.gen(function* () {
    const store = yield* Layer.build(AlertsInMemory.layer)
    const alerts = Context.get(store, Alerts)
    const shared = Layer.succeed(Alerts, alerts)
    return {
      alerts: Effect.map(alerts.list, (all) => all.map(({ details }) => details["detail"])),
      running: yield* Effect.forEach(initials, (initial) => scene(initial, shared))
    }
  })

/** A list that can be refreshed while its source answers. */
const scene = (initial: Option.Option<ListAge>, alerts: Layer.Layer<Alerts> = AlertsInMemory.layer) =>
  Effect.gen(function* () {
    const state = { age: initial, answers: true, refreshes: 0, failure: "HTTP 503" }
    const scope = yield* Scope.fork(yield* Effect.scope)
    const lists = Layer.succeed(SanctionsLists, {
      age: Effect.sync(() => state.age),
      refresh: Effect.gen(function* () {
        state.refreshes += 1
        if (!state.answers) return yield* new RefreshFailed({ detail: state.failure })
        if (Option.isNone(state.age)) return Option.none()
        state.age = Option.some({ checkedAt: yield* Clock.currentTimeMillis })
        return Option.some(7)
      })
    })
    const context = yield* Layer.build(
      SanctionsRefresh.layer({ intervalMillis: 6 * HOUR }).pipe(
        Layer.provide(lists),
        Layer.provideMerge([alerts, Logger.layer([]), SecureRandom.layerWebCrypto])
      )
    ).pipe(Scope.provide(scope))
    const standing = Effect.map(
      Alerts.use(({ list }) => list),
      (alerts) =>
        alerts.map(({ details: { replica: _replica, reviewedAtMs: _reviewedAtMs, ...details }, kind, severity }) => ({
          kind,
          severity,
          details
        }))
    ).pipe(Effect.provide(context))
    return { state, standing, end: Scope.close(scope, Exit.void) }
  })

describe("SanctionsRefresh", () => {
  it.effect("refreshes at the start and then after each interval", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* scene(Option.some({ checkedAt: undefined }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(state.refreshes, 1)
      yield* TestClock.adjust("6 hours")
      assert.strictEqual(state.refreshes, 2)
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("retries after five minutes, alerts after a day, and clears the alert with the next list", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* scene(Option.some({ checkedAt: undefined }))
      yield* TestClock.adjust("1 second")
      state.answers = false
      yield* TestClock.adjust("6 hours")
      assert.strictEqual(state.refreshes, 2)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(state.refreshes, 3)
      yield* TestClock.adjust("17 hours")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* standing, [
        { kind: "sanctions_list_stale", severity: "warning", details: { ageHours: 24, detail: "HTTP 503" } }
      ])
      state.answers = true
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("says that a list which was never read blocks everything", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* scene(Option.some({ checkedAt: undefined }))
      state.answers = false
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing, [
        { kind: "sanctions_list_stale", severity: "critical", details: { detail: "HTTP 503" } }
      ])
    })
  )

  it.effect("names the reason for which a newer copy does not count, beside a failed download", () =>
    Effect.gen(function* () {
      const { standing, state } = yield* scene(Option.some({ checkedAt: undefined, detail: "it lacks 5 of 10" }))
      state.answers = false
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* standing).map(({ details }) => details),
        [{ detail: "HTTP 503; it lacks 5 of 10" }]
      )
    })
  )

  it.effect("says nothing where no list is configured", () =>
    Effect.gen(function* () {
      const { standing } = yield* scene(Option.none())
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* standing, [])
    })
  )

  it.effect("has an alert of each replica, which no other one clears while it runs", () =>
    Effect.gen(function* () {
      const never = Option.some({ checkedAt: undefined })
      const { alerts, running } = yield* replicas([never, never])
      const [first, second] = running
      assert.isTrue(first !== undefined && second !== undefined)
      if (first === undefined || second === undefined) return
      for (const [index, { state }] of running.entries()) {
        state.answers = false
        state.failure = `replica ${index}`
      }
      yield* TestClock.adjust("1 second")
      assert.sameMembers([...(yield* alerts)], ["replica 0", "replica 1"])
      first.state.answers = true
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* alerts, ["replica 1"])
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* alerts, ["replica 1"])
      // The other one ends, and its alert soon after it.
      yield* second.end
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(yield* alerts, ["replica 1"])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* alerts, [])
    })
  )
})
