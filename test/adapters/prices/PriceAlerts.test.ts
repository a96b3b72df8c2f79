/** The alert of a deviating price, raised and cleared by several processes over one store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryLastPrices from "../../../src/adapters/memory/orchestrator/LastPrices.ts"
import * as SeveralSources from "../../../src/adapters/prices/SeveralSources.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { type Price, Prices, PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as SharedAlerts from "../../support/SharedAlerts.ts"

const CHAIN = FakeChain.chain.id
const RULES = { maxDeviationBps: 1_000, maxAgeMillis: 900_000 }
const token = FakeChain.address(0xb1)
const key = `price_deviates:${CHAIN}:${token}`

/** Price of a source. `none`: it has no price of the token. `down`: it does not answer. */
type Answer = bigint | "none" | "down"

/** A process with sources of its own over the shared store, which reads their prices only if the test asks for them. */
const start = Effect.fnUntraced(function* (...initial: ReadonlyArray<Answer>) {
  const answers = yield* Ref.make(initial)
  let reads = 0
  const sources = initial.map((_, index) =>
    Prices.ofDetailed(
      Effect.fnUntraced(function* () {
        if (index === 0) reads++
        const answer = (yield* Ref.get(answers))[index]
        if (answer === undefined || answer === "down") return yield* new PricesUnavailable({ detail: "down" })
        const price = { readAtMs: 0, sources: [`source ${index}`] }
        return new Map<typeof token, Price>(answer === "none" ? [] : [[token, { ...price, usd: answer }]])
      })
    )
  )
  const scope = yield* Scope.make()
  const prices = yield* SeveralSources.combine(sources, RULES).pipe(Scope.provide(scope))
  const read = Effect.ignore(prices.detailed(CHAIN, [{ address: token, decimals: 18 }]))
  return {
    read,
    reads: () => reads,
    /** The sources say this from now on, and somebody asks. */
    see: (...next: ReadonlyArray<Answer>) => Effect.andThen(Ref.set(answers, next), read),
    stop: Scope.close(scope, Exit.void)
  }
})

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map((alert) => alert.key)))

/** An alert whose process has gone. */
const abandoned = Effect.gen(function* () {
  yield* (yield* Alerts).raise({
    key,
    severity: "warning",
    kind: "price_deviates",
    message: "",
    details: { chainId: CHAIN, token }
  })
})

const environment = Layer.mergeAll(SharedAlerts.layer, MemoryLastPrices.layer, FakeChain.layer({}))

const shared = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof environment> | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(environment))

describe("the alert of a deviating price", () => {
  it.effect("stands while one process sees the deviation, beside others whose sources agree", () =>
    shared(
      Effect.gen(function* () {
        const [seeing, other] = [yield* start(100n, 10n), yield* start(100n, 101n)]
        yield* seeing.read
        yield* other.read
        assert.deepStrictEqual(yield* standing, [key])
        yield* SharedAlerts.stands(0, "1 minute")
        yield* other.read
        const restarted = yield* start(100n, 101n)
        yield* restarted.read
        // Nobody asks for the price any more, and its process looks itself.
        yield* SharedAlerts.stands(0, "20 minutes")
        yield* seeing.see(100n, 101n)
        yield* SharedAlerts.ends("40 seconds")
      })
    )
  )

  it.effect("is taken over from a process that has gone, and ends by two sources that agree", () =>
    shared(
      Effect.gen(function* () {
        const [seeing, idle] = [yield* start(100n, 10n), yield* start("down", "down")]
        yield* seeing.read
        yield* seeing.stop
        // No knowledge is no proof.
        yield* SharedAlerts.stands(0, "15 minutes")
        yield* idle.see("none", "none")
        yield* SharedAlerts.stands(0, "15 minutes")
        const restarted = yield* start(100n, 10n)
        yield* SharedAlerts.stands(0, "15 minutes")
        yield* restarted.see(100n, 101n)
        yield* idle.see(100n, 101n)
        yield* SharedAlerts.ends("40 seconds")
      })
    )
  )

  it.effect("ends without anybody's request for the price", () =>
    shared(
      Effect.gen(function* () {
        yield* abandoned
        const { reads } = yield* start(100n, 101n)
        yield* SharedAlerts.stands(0, "19 seconds")
        assert.strictEqual(reads(), 0)
        yield* SharedAlerts.ends("6 seconds")
        assert.strictEqual(reads(), 1)
      })
    )
  )

  it.effect("ends by one source alone once its level has lasted for ten minutes after the deviation", () =>
    shared(
      Effect.gen(function* () {
        // It has seen the same level for long.
        const calm = yield* start(100n)
        yield* calm.read
        yield* TestClock.adjust("1 hour")
        yield* calm.read
        yield* abandoned
        yield* SharedAlerts.stands(3_600_000, "10 minutes")
        yield* SharedAlerts.ends("40 seconds")
      })
    )
  )

  it.effect("of a process that saw it end counts from the end of the last deviation that another one saw", () =>
    shared(
      Effect.gen(function* () {
        const [first, second] = [yield* start(100n, 10n), yield* start(100n, 10n)]
        yield* first.read
        yield* second.read
        yield* first.see(100n, "none")
        yield* SharedAlerts.stands(0, "9 minutes")
        yield* first.read
        yield* second.read
        yield* SharedAlerts.stands(0, "1 minute")
        yield* second.stop
        yield* SharedAlerts.stands(0, "9 minutes")
        yield* SharedAlerts.ends("2 minutes")
      })
    )
  )

  it.effect("stands while a source is down that took part, and no second one agrees", () =>
    shared(
      Effect.gen(function* () {
        const { see } = yield* start(100n, 10n, "down")
        yield* see(100n, 10n, "down")
        yield* see(100n, "down", "down")
        yield* SharedAlerts.stands(0, "1 hour")
        // The third one never answered, so that nobody waits for it.
        yield* see(100n, "none", "down")
        yield* SharedAlerts.stands(0, "9 minutes")
        yield* SharedAlerts.ends("2 minutes")
      })
    )
  )

  it.effect("ends ten minutes after the price came back, by one source alone, and not while it leaves again", () =>
    shared(
      Effect.gen(function* () {
        const { see } = yield* start(100n)
        yield* see(100n)
        yield* see(150n)
        yield* see(100n)
        yield* SharedAlerts.stands(0, "9 minutes")
        yield* see(150n)
        yield* see(100n)
        yield* SharedAlerts.stands(0, "9 minutes")
        yield* SharedAlerts.ends("2 minutes")
      })
    )
  )

  it.effect("is not cleared by a reading during which another process renewed it", () =>
    shared(
      Effect.gen(function* () {
        yield* abandoned
        const slow = Prices.ofDetailed(() =>
          Effect.as(
            Effect.sleep("8 seconds"),
            new Map<typeof token, Price>([[token, { usd: 100n, readAtMs: 0, sources: [] }]])
          )
        )
        yield* SeveralSources.combine([slow, slow], RULES)
        yield* TestClock.adjust("21 seconds")
        yield* (yield* start(100n, 10n)).read
        yield* SharedAlerts.stands(0, "1 minute")
      })
    )
  )

  it.effect("is raised again if somebody clears it while a process sees the deviation", () =>
    shared(
      Effect.gen(function* () {
        yield* (yield* start(100n, 10n)).read
        yield* (yield* Alerts).clear(key)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* standing, [key])
      })
    )
  )

  it.effect("of a token that is not listed is left to those that have it in their settings", () =>
    shared(
      Effect.gen(function* () {
        const strange = { severity: "warning", kind: "price_deviates", message: "" } as const
        const alerts = yield* Alerts
        yield* alerts.raise({ ...strange, key: "1", details: { chainId: CHAIN, token: FakeChain.address(0xb2) } })
        yield* alerts.raise({ ...strange, key: "2", details: { chainId: 5, token } })
        yield* alerts.raise({ ...strange, key: "3", details: {} })
        const { reads } = yield* start(100n, 101n)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* standing, ["1", "2", "3"])
        assert.strictEqual(reads(), 0)
      })
    )
  )
})
