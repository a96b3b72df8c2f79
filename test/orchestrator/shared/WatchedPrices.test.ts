/** The alert about a native currency without a price that counts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Role } from "../../../src/domain/Role.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import * as WatchedPrices from "../../../src/orchestrator/shared/WatchedPrices.ts"
import { type Price, Prices, PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { address, chain, layer as fakeChain } from "../../support/FakeChain.ts"

const KEY = `price_unavailable:${chain.id}`

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ key }) => key)))

interface Sources {
  mood: "counts" | "display" | "none" | "down"
  reads: number
}

const PRICE: Price = { usd: 2_000n * 10n ** 18n, readAtMs: 0, sources: ["feed"] }

const start = Effect.fnUntraced(function* (sources: Sources, roles: ReadonlyArray<Role> = ["api"]) {
  const scope = yield* Scope.make()
  const prices = Prices.ofDetailed(() =>
    Effect.suspend(() => {
      sources.reads += 1
      if (sources.mood === "down") return Effect.fail(new PricesUnavailable({ detail: "silent" }))
      const known = new Map<Address.Address, Price>()
      if (sources.mood === "counts") known.set(NATIVE, PRICE)
      if (sources.mood === "display") known.set(NATIVE, { ...PRICE, doubt: "lone", isForDisplay: true })
      return Effect.succeed(known)
    })
  )
  const context = yield* WatchedPrices.layer.pipe(
    Layer.provide(Layer.succeed(Prices, prices)),
    Layer.provide(Layer.succeed(ProcessShare, { roles: new Set(roles), chains: undefined })),
    Layer.fresh,
    Layer.buildWithScope(scope)
  )
  const watched = yield* Effect.provide(Prices, context)
  const read = (token: Address.Address) => Effect.ignore(watched.usd(chain.id, [{ address: token, decimals: 18 }]))
  return { quote: read(NATIVE), read, stop: Scope.close(scope, Exit.void) }
})

const shared = Layer.merge(AlertsInMemory.layer, fakeChain({}))

describe("the alert about a native currency without a price", () => {
  it.effect.each(["display", "none", "down"] as const)("is raised after a minute (%s), and ends with a price", (mood) =>
    Effect.gen(function* () {
      const sources: Sources = { mood, reads: 0 }
      const { quote } = yield* start(sources)
      yield* quote
      yield* TestClock.adjust("55 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing, [KEY])
      sources.mood = "counts"
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(shared))
  )

  it.effect("is not raised while quotes find a price, for one lost answer, or for another token", () =>
    Effect.gen(function* () {
      const sources: Sources = { mood: "counts", reads: 0 }
      const { quote, read } = yield* start(sources)
      yield* quote
      yield* TestClock.adjust("5 minutes")
      // Nothing is read while nothing is lacking.
      assert.strictEqual(sources.reads, 1)
      sources.mood = "none"
      yield* read(address(9))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(sources.reads, 2)
      yield* quote
      sources.mood = "counts"
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(shared))
  )

  it.effect("of a process that ended is cleared by another one, and stands while one has no price", () =>
    Effect.gen(function* () {
      const broken = yield* start({ mood: "none", reads: 0 })
      yield* start({ mood: "counts", reads: 0 })
      const relays = yield* start({ mood: "none", reads: 0 }, ["relay"])
      yield* broken.quote
      yield* relays.quote
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing, [KEY])
      yield* broken.stop
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(shared))
  )
})
