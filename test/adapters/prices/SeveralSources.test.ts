import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryAlerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as MemoryLastPrices from "../../../src/adapters/memory/orchestrator/LastPrices.ts"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as SeveralSources from "../../../src/adapters/prices/SeveralSources.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { LastPrices } from "../../../src/ports/orchestrator/LastPrices.ts"
import { type Price, Prices, PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import * as PricesSuite from "../../ports/orchestrator/Prices.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const USD = 10n ** 18n
const CHAIN = FakeChain.chain.id
const RULES = { maxDeviationBps: 1_000, maxAgeMillis: 900_000 }

/** Time after which an alert that no process renews any more is cleared by proof. */
const RELEASE = "40 seconds"

const listed = FakeChain.address(0xb1)
const unlisted = FakeChain.address(0xb2)
const weth = FakeChain.chain.wrappedNative

type Table = ReadonlyMap<Address.Address, bigint>

/** A source whose prices the test can change. `undefined` is a source that is down. */
const makeSource = Effect.fnUntraced(function* (name: string, initial: Table | undefined) {
  const table = yield* Ref.make(initial)
  const service = Prices.ofDetailed(
    Effect.fnUntraced(function* (_chainId, tokens) {
      const known = yield* Ref.get(table)
      if (known === undefined) return yield* new PricesUnavailable({ detail: `${name} is down` })
      return new Map<Address.Address, Price>(
        tokens.flatMap(({ address }) => {
          const usd = known.get(address)
          return usd === undefined ? [] : [[address, { usd, readAtMs: 0, sources: [name] }] as const]
        })
      )
    })
  )
  return { service, set: (next: Table | undefined) => Ref.set(table, next) }
})

const scene = Effect.fnUntraced(function* (...tables: ReadonlyArray<Table | undefined>) {
  const sources = yield* Effect.forEach(tables, (table, index) => makeSource(`source ${index + 1}`, table))
  const prices = yield* SeveralSources.combine(
    sources.map(({ service }) => service),
    RULES
  )
  const read = (address: Address.Address) =>
    Effect.map(prices.detailed(CHAIN, [{ address, decimals: 18 }]), (found) => found.get(address))
  const alerts = Effect.flatMap(Alerts, ({ list }) => list)
  return { alerts, prices, read, sources }
})

const environment = Layer.mergeAll(MemoryAlerts.layer, MemoryLastPrices.layer, FakeChain.layer({}))

PricesSuite.suite(
  "several sources",
  Layer.effect(
    Prices,
    Effect.flatMap(Prices, (memory) => SeveralSources.combine([memory, memory], RULES))
  ).pipe(
    Layer.provide(
      MemoryPrices.layer({
        prices: new Map([
          [
            CHAIN,
            new Map([
              [NATIVE, 3_000n * USD],
              [listed, USD]
            ])
          ]
        ])
      })
    ),
    Layer.provide(environment)
  ),
  Effect.succeed({
    chainId: CHAIN,
    priced: [
      { address: NATIVE, decimals: 18, usd: 3_000n * USD },
      { address: listed, decimals: 18, usd: USD }
    ],
    unpriced: { address: unlisted, decimals: 18 },
    toleranceBps: 0n
  })
)

describe("the last good price", () => {
  /** Waits until a process has written the price, which it does beside its quotes. */
  const stored = (price: bigint) =>
    Effect.flatMap(LastPrices, ({ read }) =>
      Effect.andThen(Effect.yieldNow, read(CHAIN)).pipe(
        Effect.repeat({ until: (prices) => prices.get(listed)?.price === price })
      )
    )

  it.effect("counts after a restart, and for other replicas", () =>
    Effect.gen(function* () {
      const first = yield* scene(new Map([[listed, 100n]]))
      assert.strictEqual((yield* first.read(listed))?.usd, 100n)
      yield* stored(100n)
      yield* TestClock.adjust("1 second")
      const restarted = yield* scene(new Map([[listed, 150n]]))
      assert.deepStrictEqual(yield* restarted.read(listed), {
        usd: 100n,
        readAtMs: 0,
        sources: ["last_good"],
        doubt: "wild"
      })
      assert.lengthOf(yield* restarted.alerts, 1)
      // The first replica follows in steps. The other one reads them after 30 seconds.
      yield* TestClock.adjust("30 seconds")
      yield* first.sources[0]?.set(new Map([[listed, 109n]])) ?? Effect.void
      assert.strictEqual((yield* first.read(listed))?.usd, 109n)
      yield* stored(109n)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* restarted.read(listed))?.usd, 109n)
    }).pipe(Effect.provide(environment))
  )

  it.effect("of a clock that ran ahead does not count, nor hold a newer one back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7_200_000)
      const ahead = yield* scene(new Map([[listed, 100n]]))
      yield* ahead.read(listed)
      yield* stored(100n)
      yield* TestClock.setTime(3_600_000)
      const other = yield* scene(new Map([[listed, 150n]]))
      assert.strictEqual((yield* other.read(listed))?.usd, 150n)
      yield* stored(150n)
      // The first process, whose clock was set right, follows too.
      yield* ahead.sources[0]?.set(new Map([[listed, 155n]])) ?? Effect.void
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* ahead.read(listed))?.usd, 155n)
      yield* stored(155n)
      assert.lengthOf(yield* other.alerts, 0)
    }).pipe(Effect.provide(environment))
  )

  it.effect("of a clock that is a little ahead counts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(60_000)
      yield* (yield* scene(new Map([[listed, 100n]]))).read(listed)
      yield* stored(100n)
      yield* TestClock.setTime(0)
      const other = yield* scene(new Map([[listed, 150n]]))
      assert.strictEqual((yield* other.read(listed))?.usd, 100n)
    }).pipe(Effect.provide(environment))
  )

  it.effect("is not waited for while the store does not answer", () =>
    Effect.gen(function* () {
      const { read } = yield* scene(new Map([[listed, 100n]])).pipe(
        Effect.provideService(LastPrices, { read: () => Effect.never, keep: () => Effect.never })
      )
      const reading = yield* Effect.forkChild(read(listed))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(reading))?.usd, 100n)
    }).pipe(Effect.provide(environment))
  )
})

describe("several sources", () => {
  it.effect("give the median, and name themselves", () =>
    Effect.gen(function* () {
      const { read } = yield* scene(
        new Map([[listed, 100n]]),
        new Map([[listed, 900n]]),
        new Map([[listed, 102n]]),
        new Map()
      )
      assert.deepStrictEqual(yield* read(listed), {
        usd: 102n,
        readAtMs: 0,
        sources: ["source 1", "source 2", "source 3"]
      })
    }).pipe(Effect.provide(environment))
  )

  it.effect("of two that disagree, count what costs the relayer less", () =>
    Effect.gen(function* () {
      const table = (price: bigint) =>
        new Map([listed, unlisted, weth, NATIVE].map((address) => [address, price] as const))
      const { read } = yield* scene(table(100n), table(200n))
      const prices = yield* Effect.forEach([listed, unlisted, weth, NATIVE], read)
      assert.deepStrictEqual(
        prices.map((price) => price?.usd),
        [100n, 100n, 200n, 200n]
      )
    }).pipe(Effect.provide(environment))
  )

  it.effect("that disagree keep no good price, and raise an alert until they agree", () =>
    Effect.gen(function* () {
      const { alerts, read, sources } = yield* scene(new Map([[listed, 100n]]), new Map([[listed, 10n]]))
      const [first, second] = sources
      if (first === undefined || second === undefined) return assert.fail("two sources")
      assert.deepInclude(yield* read(listed), { usd: 10n, doubt: "wild" })
      const [standing] = yield* alerts
      assert.strictEqual(standing?.key, `price_deviates:${CHAIN}:${listed}`)
      assert.include(standing?.message, "sources")
      assert.deepInclude(standing?.details, { newUsd: "0.00000000000000001" })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* (yield* LastPrices).read(CHAIN)).size, 0)
      // The attacked price holds nothing back.
      yield* second.set(new Map())
      assert.deepStrictEqual(yield* read(listed), { usd: 100n, readAtMs: 0, sources: ["source 1"] })
      // The silence of a source is no agreement.
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(yield* alerts, 1)
      yield* second.set(new Map([[listed, 101n]]))
      yield* TestClock.adjust(RELEASE)
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(environment))
  )

  it.effect("that disagree count by the older good price for a day", () =>
    Effect.gen(function* () {
      const { read, sources } = yield* scene(new Map([[listed, 100n]]), new Map([[listed, 101n]]))
      assert.strictEqual((yield* read(listed))?.usd, 100n)
      yield* sources[1]?.set(new Map([[listed, 10n]])) ?? Effect.void
      for (const wait of ["14 minutes", "2 minutes", "23 hours"] as const) {
        yield* TestClock.adjust(wait)
        assert.deepInclude(yield* read(listed), { usd: 100n, doubt: "wild" }, wait)
      }
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* read(listed), { usd: 10n, doubt: "wild" })
    }).pipe(Effect.provide(environment))
  )

  it.effect("do without one that fails, and fail when all do", () =>
    Effect.gen(function* () {
      const { prices, read, sources } = yield* scene(undefined, new Map([[listed, 100n]]))
      assert.strictEqual((yield* read(listed))?.usd, 100n)
      yield* Effect.forEach(sources, ({ set }) => set(undefined))
      assert.strictEqual((yield* Effect.flip(read(listed))).detail, "source 1 is down; source 2 is down")
      assert.strictEqual((yield* prices.usd(CHAIN, [])).size, 0)
      assert.include((yield* Effect.flip((yield* scene()).read(listed))).detail, "no source")
      assert.include((yield* Effect.flip(prices.usd(5, []))).detail, "not configured")
    }).pipe(Effect.provide(environment))
  )

  it.effect("keep a listed token's last good price while one source alone leaves it, with an alert that clears", () =>
    Effect.gen(function* () {
      const { alerts, read, sources } = yield* scene(new Map([[listed, 100n]]), new Map())
      const [first, second] = sources
      if (first === undefined || second === undefined) return assert.fail("two sources")
      assert.strictEqual((yield* read(listed))?.usd, 100n)
      yield* TestClock.adjust("1 minute")
      yield* first.set(new Map([[listed, 150n]]))
      assert.deepStrictEqual(yield* read(listed), { usd: 100n, readAtMs: 0, sources: ["last_good"], doubt: "wild" })
      const [standing] = yield* alerts
      assert.strictEqual(standing?.key, `price_deviates:${CHAIN}:${listed}`)
      assert.include(standing?.message, "LST")

      yield* second.set(new Map([[listed, 152n]]))
      assert.strictEqual((yield* read(listed))?.usd, 150n)
      yield* TestClock.adjust(RELEASE)
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(environment))
  )

  it.effect("take a listed token's new price once it has lasted for ten minutes", () =>
    Effect.gen(function* () {
      const { alerts, read, sources } = yield* scene(new Map([[NATIVE, 100n]]))
      assert.strictEqual((yield* read(NATIVE))?.usd, 100n)
      yield* Effect.forEach(sources, ({ set }) => set(new Map([[NATIVE, 150n]])))
      assert.strictEqual((yield* read(NATIVE))?.usd, 100n)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual((yield* read(NATIVE))?.usd, 100n)
      assert.strictEqual((yield* alerts).length, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* read(NATIVE))?.usd, 150n)
      yield* TestClock.adjust(RELEASE)
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(environment))
  )

  it.effect("keep nothing of a token that is not listed", () =>
    Effect.gen(function* () {
      const { alerts, read, sources } = yield* scene(new Map([[unlisted, 100n]]))
      assert.strictEqual((yield* read(unlisted))?.usd, 100n)
      yield* Effect.forEach(sources, ({ set }) => set(new Map([[unlisted, 900n]])))
      assert.strictEqual((yield* read(unlisted))?.usd, 900n)
      yield* Effect.forEach(sources, ({ set }) => set(new Map()))
      assert.isUndefined(yield* read(unlisted))
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(environment))
  )
})
