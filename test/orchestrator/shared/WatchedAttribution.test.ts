/** The alert about attributions that fail: after a minute, by quotes or by the probe alone, and until they work again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type { Role } from "../../../src/domain/Role.ts"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import * as WatchedAttribution from "../../../src/orchestrator/shared/WatchedAttribution.ts"
import { AttributionUnavailable, BuilderAttribution } from "../../../src/ports/orchestrator/BuilderAttribution.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))

interface Backend {
  /** Requests that are answered. The others are refused. */
  left: number
}

/** A process of these roles over its own way to the backend. */
const start = Effect.fnUntraced(function* (backend: Backend, roles: ReadonlyArray<Role> = ["api"]) {
  const scope = yield* Scope.make()
  const resolve = () =>
    Effect.suspend(() => {
      backend.left -= 1
      return backend.left >= 0
        ? Effect.succeed(Option.none())
        : Effect.fail(new AttributionUnavailable({ detail: "status 429" }))
    })
  const context = yield* WatchedAttribution.layer.pipe(
    Layer.provide(Layer.succeed(BuilderAttribution, { resolve })),
    Layer.provide(Layer.succeed(ProcessShare, { roles: new Set(roles), chains: undefined })),
    Layer.fresh,
    Layer.buildWithScope(scope)
  )
  const attribution = yield* Effect.provide(BuilderAttribution, context)
  return {
    quote: Effect.ignore(attribution.resolve(Redacted.make("key"))),
    stop: Scope.close(scope, Exit.void)
  }
})

const FOREVER = Number.POSITIVE_INFINITY

describe("the alert about attributions", () => {
  it.effect("is raised after a minute of failures without a quote, and ends when the backend answers", () =>
    Effect.gen(function* () {
      const backend = { left: FOREVER }
      yield* start(backend)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, [])
      backend.left = 0
      yield* TestClock.adjust("55 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
      backend.left = FOREVER
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("is not raised for a restart of the backend", () =>
    Effect.gen(function* () {
      const backend = { left: 0 }
      yield* start(backend)
      yield* TestClock.adjust("45 seconds")
      backend.left = FOREVER
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("is raised where the backend answers the first 20 requests of a minute alone", () =>
    Effect.gen(function* () {
      const backend = { left: 0 }
      const { quote } = yield* start(backend)
      const second = Effect.andThen(quote, TestClock.adjust("1 second"))
      const minute = Effect.andThen(
        Effect.sync(() => {
          backend.left = 20
        }),
        Effect.repeat(second, { times: 59 })
      )
      yield* minute
      assert.deepStrictEqual(yield* standing, [])
      yield* minute
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
      backend.left = 20
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("is not raised for one failure among many answers", () =>
    Effect.gen(function* () {
      const backend = { left: FOREVER }
      const { quote } = yield* start(backend)
      for (let round = 0; round < 20; round += 1) {
        yield* Effect.repeat(quote, { times: 30 })
        backend.left = 0
        yield* quote
        backend.left = FOREVER
        yield* TestClock.adjust("10 seconds")
      }
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("is not raised for two failures a minute where few ask", () =>
    Effect.gen(function* () {
      const backend = { left: FOREVER }
      const { quote } = yield* start(backend)
      for (let minute = 0; minute < 12; minute += 1) {
        backend.left = 0
        yield* Effect.repeat(quote, { times: 1 })
        backend.left = FOREVER
        yield* TestClock.adjust("1 minute")
      }
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect.each([1, 2, 3])("is raised while all of the few quotes of a round fail: %d", (quotes) =>
    Effect.gen(function* () {
      const backend = { left: FOREVER }
      const { quote } = yield* start(backend)
      for (let round = 0; round < 12; round += 1) {
        backend.left = 0
        yield* Effect.repeat(quote, { times: quotes - 1 })
        backend.left = FOREVER
        yield* TestClock.adjust("10 seconds")
      }
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("of a process that ended is cleared by another one, and stands while its own backend is away", () =>
    Effect.gen(function* () {
      const broken = yield* start({ left: 0 })
      yield* start({ left: FOREVER })
      yield* start({ left: 0 }, ["relay"])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing, ["attribution_unavailable"])
      yield* broken.stop
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})
