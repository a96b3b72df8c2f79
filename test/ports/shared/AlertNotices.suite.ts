/** Contract of every queue of notices about alerts. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { UNTOLD } from "../../../src/domain/AlertNotice.ts"
import { AlertNotices } from "../../../src/ports/shared/AlertNotices.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"

const LEASE = 30_000

const alert = (key: string, severity: NewAlert["severity"] = "critical"): NewAlert => ({
  key,
  severity,
  kind: "lane_low",
  message: "The lane is short of gas.",
  details: { lane: "0xabc", missing: 1.5, paused: true }
})

const the = <A>(value: A | undefined): A => value ?? assert.fail("there is none")

const raise = (key: string, severity?: NewAlert["severity"]) =>
  Alerts.use((alerts) => alerts.raise(alert(key, severity)))

const open = (destination = "slack") => AlertNotices.use((notices) => notices.open(destination))

/** Keys of the alerts that nobody has under a lease. */
const keys = (destination?: string) =>
  Effect.map(open(destination), (all) => all.flatMap(({ alert, isLeased }) => (isLeased ? [] : [alert.key])))

export const suite = (adapter: string, stores: Layer.Layer<Alerts | AlertNotices, unknown>) =>
  describe(`notices about alerts on ${adapter}`, () => {
    const test = (name: string, body: Effect.Effect<void, unknown, Alerts | AlertNotices>) =>
      it.effect(name, () => Effect.provide(body, stores))

    test(
      "list standing alerts, critical first and then the oldest",
      Effect.gen(function* () {
        yield* raise("a", "warning")
        yield* TestClock.adjust("5 millis")
        yield* raise("b")
        yield* raise("c")
        const [first, ...others] = yield* open()
        assert.deepStrictEqual(first, {
          alert: { ...alert("b"), id: the(first).alert.id, sinceMs: 5 },
          told: undefined,
          isLeased: false
        })
        assert.deepStrictEqual(
          others.map((each) => each.alert.key),
          ["c", "a"]
        )
      })
    )

    test(
      "are leased by one process at a time, until the lease expires",
      Effect.gen(function* () {
        const notices = yield* AlertNotices
        yield* raise("a")
        const [found] = yield* open()
        const subject = { alertId: the(found).alert.id, destination: "slack" }
        const claims = yield* Effect.forEach(
          Array.from({ length: 10 }),
          () => notices.claim(subject, undefined, LEASE),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          claims.filter((taken) => taken),
          [true]
        )
        assert.deepStrictEqual(yield* keys(), [])
        assert.deepStrictEqual(yield* keys("webhook"), ["a"])
        yield* TestClock.adjust(LEASE)
        const [again] = yield* open()
        assert.deepStrictEqual(the(again).told, UNTOLD)
        assert.isTrue(yield* notices.claim(subject, the(again).told, LEASE))
      })
    )

    test(
      "show their record also under a lease, while the alert stands and after it",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        const notices = yield* AlertNotices
        yield* raise("a")
        const subject = { alertId: the((yield* open())[0]).alert.id, destination: "slack" }
        yield* notices.claim(subject, undefined, LEASE)
        const failed = { ...UNTOLD, failures: 3, retryMs: 7_000 }
        yield* notices.record(subject, UNTOLD, failed)
        yield* notices.claim(subject, failed, LEASE)
        const seen = Effect.map(open(), (all) => all.map(({ isLeased, told }) => ({ isLeased, told })))
        assert.deepStrictEqual(yield* seen, [{ isLeased: true, told: failed }])
        yield* alerts.clear("a")
        assert.deepStrictEqual(yield* seen, [{ isLeased: true, told: failed }])
        yield* TestClock.adjust(LEASE)
        assert.deepStrictEqual(yield* seen, [{ isLeased: false, told: failed }])
      })
    )

    test(
      "remember what was told, and refuse whoever read an older record",
      Effect.gen(function* () {
        const notices = yield* AlertNotices
        yield* raise("a")
        const subject = { alertId: the((yield* open())[0]).alert.id, destination: "slack" }
        yield* notices.claim(subject, undefined, LEASE)
        const failed = { ...UNTOLD, failures: 1, retryMs: 7_000 }
        yield* notices.record(subject, UNTOLD, failed)
        assert.deepStrictEqual(the((yield* open())[0]).told, failed)
        assert.isFalse(yield* notices.claim(subject, undefined, LEASE))
        assert.isTrue(yield* notices.claim(subject, failed, LEASE))
        const told = { accepted: 1, lastMs: 9_000, severity: "critical" as const, failures: 0, isClosed: false }
        yield* notices.record(subject, failed, told)
        // The late record of a process whose lease had expired.
        yield* notices.record(subject, failed, { ...failed, failures: 2 })
        assert.deepStrictEqual(the((yield* open())[0]).told, told)
      })
    )

    test(
      "keep a cleared alert until its end is told, if anything was tried",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        const notices = yield* AlertNotices
        yield* raise("a")
        yield* raise("b")
        const [found] = yield* open()
        const subject = { alertId: the(found).alert.id, destination: "slack" }
        yield* notices.claim(subject, undefined, LEASE)
        yield* notices.record(subject, UNTOLD, { ...UNTOLD, accepted: 1 })
        yield* TestClock.adjust("4 seconds")
        yield* alerts.clear("a")
        yield* alerts.clear("b")
        const left = yield* open()
        assert.deepStrictEqual(
          left.map((each) => [each.alert.key, each.alert.clearedAtMs]),
          [["a", 4_000]]
        )
        assert.deepStrictEqual(yield* keys("webhook"), [])
        const { told } = the(left[0])
        yield* notices.claim(subject, told, LEASE)
        yield* notices.record(subject, the(told), { ...the(told), accepted: 2, isClosed: true })
        assert.deepStrictEqual(yield* keys(), [])
        assert.isFalse(yield* notices.claim(subject, { ...the(told), accepted: 2 }, LEASE))
      })
    )
  })
