/** Notices are told once, in time, and to every destination on its own. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import type { AlertKind } from "../../src/domain/AlertKind.ts"
import type { AlertMessage } from "../../src/domain/AlertMessage.ts"
import { UNTOLD } from "../../src/domain/AlertNotice.ts"
import {
  type AlertDestination,
  AlertDestinations,
  type DestinationName,
  NotAccepted
} from "../../src/ports/shared/AlertDestinations.ts"
import { AlertNotices } from "../../src/ports/shared/AlertNotices.ts"
import { Alerts, type Severity } from "../../src/ports/shared/Alerts.ts"
import { StoreUnavailable } from "../../src/ports/shared/Store.ts"
import * as AlertDelivery from "../../src/runtime/AlertDelivery.ts"

const OPTIONS: AlertDelivery.Options = {
  service: "orchestrator",
  source: "shop",
  escalationMillis: 3 * 60_000,
  repeatMillis: 5 * 60_000
}

type Answer = Effect.Effect<void, NotAccepted>

const refusal: Answer = Effect.fail(new NotAccepted({ detail: "HTTP 500" }))

/** A destination that answers as `answer` says at the time, and remembers what it was sent. */
const destination = (name: DestinationName, answer: (message: AlertMessage) => Answer = () => Effect.void) => {
  const sent: Array<AlertMessage> = []
  const made: AlertDestination = {
    name,
    isEscalation: name.startsWith("escalation_"),
    send: (message) =>
      Effect.suspend(() => {
        sent.push(message)
        return answer(message)
      })
  }
  return { made, sent, said: () => sent.map(({ kind, reason }) => `${reason} ${kind}`) }
}

type Store = Context.Context<Alerts | AlertNotices>

const store = Layer.build(AlertsInMemory.layer)

/** Runs a replica in a scope of its own. */
const replica = Effect.fnUntraced(function* (on: Store, ...destinations: ReadonlyArray<AlertDestination>) {
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(
    AlertDelivery.layer(OPTIONS).pipe(
      Layer.provide(Layer.succeedContext(on)),
      Layer.provide(Layer.succeed(AlertDestinations, destinations))
    ),
    scope
  )
  return scope
})

const raise = (on: Store, kind: string, severity: Severity = "critical") =>
  Context.get(on, Alerts).raise({
    key: kind,
    severity,
    // The delivery tells any kind.
    kind: kind as AlertKind,
    message: "Look.",
    details: { lane: "0xab" }
  })

const clear = (on: Store, key: string) => Context.get(on, Alerts).clear(key)

describe("the delivery of alerts", () => {
  it.effect("tells the beginning within seconds, repetitions and the end", () =>
    Effect.gen(function* () {
      const on = yield* store
      const slack = destination("slack")
      yield* replica(on, slack.made)
      yield* raise(on, "lane_low")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(slack.said(), ["raised lane_low"])
      assert.deepInclude(slack.sent[0], {
        service: "orchestrator",
        source: "shop",
        severity: "critical",
        message: "Look.",
        details: { lane: "0xab" },
        sinceMs: 0
      })
      yield* TestClock.adjust("6 minutes")
      yield* clear(on, "lane_low")
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(slack.said(), ["raised lane_low", "repeated lane_low", "resolved lane_low"])
      assert.strictEqual(new Set(slack.sent.map(({ id }) => id)).size, 3)
      assert.strictEqual(new Set(slack.sent.map(({ reference }) => reference)).size, 1)
    })
  )

  it.effect("tells each notice once from several replicas", () =>
    Effect.gen(function* () {
      const on = yield* store
      const slack = destination("slack", () => Effect.sleep("1 second"))
      for (const _ of [1, 2, 3]) yield* replica(on, slack.made)
      for (const kind of ["a", "b", "c"]) yield* raise(on, kind)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(slack.said().toSorted(), ["raised a", "raised b", "raised c"])
    })
  )

  it.effect("tells the other destinations while one hangs, and escalates what stands", () =>
    Effect.gen(function* () {
      const on = yield* store
      const hanging = destination("webhook", () => Effect.never)
      const slack = destination("slack")
      const second = destination("escalation_pagerduty")
      yield* replica(on, hanging.made, slack.made, second.made)
      for (const kind of ["a", "b"]) yield* raise(on, kind)
      yield* raise(on, "c", "warning")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(slack.said(), ["raised a", "raised b", "raised c"])
      yield* TestClock.adjust("2 minutes")
      assert.isEmpty(second.sent)
      yield* clear(on, "a")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(second.said(), ["escalated b"])
      yield* clear(on, "b")
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(second.said(), ["escalated b", "resolved b"])
    })
  )

  it.effect("alerts about a destination that fails, and tells it everything once it recovers", () =>
    Effect.gen(function* () {
      const on = yield* store
      let answer = refusal
      const slack = destination("slack", () => answer)
      const webhook = destination("webhook")
      yield* replica(on, slack.made, webhook.made)
      yield* raise(on, "lane_low")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(webhook.said(), ["raised lane_low", "raised alert_destination_failing"])
      answer = Effect.void
      slack.sent.length = 0
      yield* TestClock.adjust("1 minute")
      assert.include(slack.said(), "raised lane_low")
      assert.strictEqual(webhook.said().at(-1), "resolved alert_destination_failing")
      assert.deepStrictEqual(
        (yield* Context.get(on, Alerts).list).map(({ kind }) => kind),
        ["lane_low"]
      )
    })
  )

  it.effect("replicas tell once that a destination fails, while it hangs and after its replica has died", () =>
    Effect.gen(function* () {
      const on = yield* store
      let answer: Answer = Effect.andThen(Effect.sleep("10 seconds"), refusal)
      const slack = destination("slack", () => answer)
      const webhook = destination("webhook")
      const first = yield* replica(on, slack.made, webhook.made)
      yield* TestClock.adjust("1 second")
      yield* replica(on, slack.made, webhook.made)
      yield* raise(on, "lane_low")
      const failing = () => webhook.said().filter((said) => said.endsWith("alert_destination_failing"))
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual(failing(), ["raised alert_destination_failing"])
      yield* Scope.close(first, Exit.void)
      // As if the other replica had cleared it by what it knew.
      yield* clear(on, "alert_destination_failing:slack")
      // Longer than a round that has just begun, whose notices hang for ten seconds, and the pause after it.
      yield* TestClock.adjust("15 seconds")
      assert.include(
        (yield* Context.get(on, Alerts).list).map(({ key }) => key),
        "alert_destination_failing:slack"
      )
      answer = Effect.void
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(failing().at(-1), "resolved alert_destination_failing")
      assert.deepStrictEqual(
        (yield* Context.get(on, Alerts).list).map(({ key }) => key),
        ["lane_low"]
      )
    })
  )

  it.effect("a replica that waits for a destination does not raise again what another one has cleared", () =>
    Effect.gen(function* () {
      const on = yield* store
      const notices = Context.get(on, AlertNotices)
      for (const [kind, failures] of [
        ["lane_low", 3],
        ["gas_price", 1]
      ] as const) {
        yield* raise(on, kind)
        const { alert } = (yield* notices.open("slack")).at(-1) ?? assert.fail()
        const subject = { alertId: alert.id, destination: "slack" }
        yield* notices.claim(subject, undefined, 1_000)
        yield* notices.record(subject, UNTOLD, { ...UNTOLD, failures, retryMs: 5_000 })
      }
      const slack = destination("slack", ({ kind }) =>
        kind === "gas_price" ? Effect.sleep("10 seconds") : Effect.void
      )
      const webhook = destination("webhook")
      yield* replica(on, slack.made, webhook.made)
      yield* TestClock.adjust("1 second")
      yield* replica(on, slack.made, webhook.made)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        webhook.said().filter((said) => said.endsWith("alert_destination_failing")),
        ["raised alert_destination_failing", "resolved alert_destination_failing"]
      )
    })
  )

  it.effect("a replica ends the alert about a destination that another one raised before it died", () =>
    Effect.gen(function* () {
      const on = yield* store
      yield* replica(on, destination("slack").made)
      yield* TestClock.adjust("10 seconds")
      yield* raise(on, "alert_destination_failing:slack")
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(yield* Context.get(on, Alerts).list, [])
    })
  )

  it.effect("tells the others while other replicas send many notices", () =>
    Effect.gen(function* () {
      const on = yield* store
      const notices = Context.get(on, AlertNotices)
      for (let index = 0; index < 20; index++) yield* raise(on, `held ${index}`)
      for (const { alert } of yield* notices.open("slack")) {
        yield* notices.claim({ alertId: alert.id, destination: "slack" }, undefined, 30_000)
      }
      yield* raise(on, "lane_low")
      const slack = destination("slack")
      yield* replica(on, slack.made)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(slack.said(), ["raised lane_low"])
    })
  )

  it.effect("repeats at most one message, with its id, if a process dies between sending and recording", () =>
    Effect.gen(function* () {
      const on = yield* store
      const notices = Context.get(on, AlertNotices)
      const slack = destination("slack")
      let dies = true
      const dying = Context.add(on, AlertNotices, {
        ...notices,
        record: (...record) =>
          dies
            ? Effect.fail(new StoreUnavailable({ operation: "record", detail: "it is gone" }))
            : notices.record(...record)
      })
      yield* replica(dying, slack.made)
      yield* raise(on, "lane_low")
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(slack.sent, 1)
      dies = false
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(slack.said(), ["raised lane_low", "raised lane_low"])
      assert.strictEqual(slack.sent[0]?.id, slack.sent[1]?.id)
    })
  )

  it.effect("ends alerts about destinations that are no longer configured", () =>
    Effect.gen(function* () {
      const on = yield* store
      const webhook = destination("webhook", () => refusal).made
      yield* replica(on, webhook)
      yield* raise(on, "lane_low")
      yield* TestClock.adjust("1 minute")
      yield* raise(on, "alert_destination_failing:slack")
      yield* replica(on, webhook)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        (yield* Context.get(on, Alerts).list).map(({ key }) => key),
        ["lane_low", "alert_destination_failing:webhook"]
      )
    })
  )
})
