/** Notices are told once, in time, and to every destination on its own. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import type { AlertKind } from "../../src/domain/AlertKind.ts"
import type { AlertMessage } from "../../src/domain/AlertMessage.ts"
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
import * as Heartbeat from "../../src/runtime/Heartbeat.ts"

const OPTIONS: AlertDelivery.Options = {
  service: "orchestrator",
  source: "shop",
  escalationMillis: 3 * 60_000,
  repeatMillis: 5 * 60_000
}

type Answer = Effect.Effect<void, NotAccepted>

const refusal: Answer = Effect.fail(new NotAccepted({ detail: "HTTP 500" }))

/** A destination that answers as `answer` says at the time, and remembers what it was sent. */
const destination = (name: DestinationName, answer: () => Answer = () => Effect.void) => {
  const sent: Array<AlertMessage> = []
  const made: AlertDestination = {
    name,
    isEscalation: name.startsWith("escalation_"),
    send: (message) =>
      Effect.suspend(() => {
        sent.push(message)
        return answer()
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
      yield* raise(on, "alert_destination_failing:slack")
      yield* raise(on, "alert_destination_failing:webhook")
      yield* replica(on, destination("webhook", () => Effect.never).made)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(
        (yield* Context.get(on, Alerts).list).map(({ key }) => key),
        ["alert_destination_failing:webhook"]
      )
    })
  )
})

it.effect("a heartbeat is sent each minute while the service can work", () =>
  Effect.gen(function* () {
    let beats = 0
    let isAble = true
    const beat = Effect.suspend(() => {
      beats += 1
      return beats === 1 ? refusal : Effect.void
    })
    yield* Layer.build(
      Heartbeat.layer(
        beat,
        Effect.sync(() => isAble)
      )
    )
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(beats, 3)
    isAble = false
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(beats, 3)
    isAble = true
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(beats, 4)
  })
)
