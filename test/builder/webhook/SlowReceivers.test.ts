/** Endpoints of some builders hang or fail: the messages of others go out within a second. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryBuilders from "../../../src/adapters/memory/builder/Builders.ts"
import * as MemoryWebhooks from "../../../src/adapters/memory/builder/Webhooks.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { WebhookDelivery } from "../../../src/builder/webhook/WebhookDelivery.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { secretOf } from "../../../src/domain/Webhook.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Webhooks } from "../../../src/ports/builder/Webhooks.ts"
import { SendFailed, WebhookTransport } from "../../../src/ports/builder/WebhookTransport.ts"
import { address } from "../../support/IntentFixtures.ts"

/** Attempts that hang, and those that honest endpoints answered. */
interface Wire {
  hanging: number
  readonly delivered: Array<string>
}

const SILENT = Effect.andThen(Effect.sleep("15 seconds"), Effect.fail(new SendFailed({ detail: "no answer" })))
const SLOW = Effect.as(Effect.sleep(14_900), { statusCode: 200, response: "" })

/** Endpoints on the host `honest` answer at once. All others answer as `hung` does. */
const transport = (wire: Wire, hung: typeof SILENT | typeof SLOW) =>
  Layer.succeed(WebhookTransport, {
    check: () => Effect.void,
    post: ({ headers, url }) =>
      Effect.suspend(() => {
        if (url.startsWith("https://honest")) {
          wire.delivered.push(headers["webhook-id"] ?? "")
          return Effect.succeed({ statusCode: 204, response: "" })
        }
        wire.hanging += 1
        return Effect.ensuring(
          hung,
          Effect.sync(() => (wire.hanging -= 1))
        )
      })
  })

/** Its leases outlast the time that passes on the test's clock while a busy machine signs. */
const running = (wire: Wire, hung: typeof SILENT | typeof SLOW) =>
  WebhookDelivery.layer.pipe(
    Layer.provideMerge(MemoryWebhooks.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryBuilders.layer,
        transport(wire, hung),
        BuilderSettings.layer({
          ...builderDefaults,
          webhooks: { ...builderDefaults.webhooks, leaseMillis: 24 * 3_600_000 }
        })
      )
    )
  )

let builders = 0

const register = Effect.fnUntraced(function* (id: string) {
  builders += 1
  yield* (yield* Builders).create({
    id,
    name: id,
    builderBps: 0,
    maxBuilderBps: 0,
    payoutAddress: address(0x1000 + builders),
    payoutMode: "ledger",
    createdAtMs: 0
  })
})

const create = (builderId: string, id: string) =>
  Webhooks.use((webhooks) =>
    webhooks.create(
      { id, builderId, url: `https://${id}.example.com/`, description: "", events: [], createdAtMs: 0 },
      secretOf(new Uint8Array(32).fill(7)),
      10
    )
  )

const publish = (builderId: string, id: string) =>
  Webhooks.use((webhooks) => webhooks.publish(builderId, { id, type: "sweep.submitted", payload: "{}" }))

/** A builder whose endpoints hang, with messages that wait for each of them. */
const attacker = Effect.fnUntraced(function* (id: string, endpoints: number, messages: number) {
  yield* register(id)
  for (let i = 0; i < endpoints; i++) yield* create(id, `${id}-${i}`)
  for (let i = 0; i < messages; i++) yield* publish(id, `${id}-${i}`)
})

/** Waits for something while the test clock stands still, since signatures are made outside it. */
const eventually = (what: string, isSo: () => boolean) =>
  Effect.promise(async () => {
    // oxlint-disable-next-line no-await-in-loop
    for (let i = 0; i < 1_000 && !isSo(); i++) await Bun.sleep(2)
  }).pipe(Effect.andThen(Effect.sync(() => assert.isTrue(isSo(), what))))

const pass = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: seconds }),
    () =>
      Effect.andThen(
        TestClock.adjust("1 second"),
        Effect.promise(() => Bun.sleep(20))
      ),
    { discard: true }
  )

const hangs = (wire: Wire, attempts: number) => eventually(`${attempts} attempts hang`, () => wire.hanging === attempts)

/** Publishes one message after the other to an honest endpoint. Each is delivered before another second passes. */
const honest = Effect.fnUntraced(function* (wire: Wire, rounds: number, between: Effect.Effect<unknown>) {
  yield* register("honest")
  yield* create("honest", "honest")
  for (let i = 0; i < rounds; i++) {
    yield* publish("honest", `message ${i}`)
    yield* TestClock.adjust("1 second")
    yield* eventually(`message ${i} is delivered`, () => wire.delivered.length > i)
    yield* between
  }
})

const scene = (
  name: string,
  hung: typeof SILENT | typeof SLOW,
  body: (wire: Wire) => Effect.Effect<void, unknown, Builders | Webhooks>
) =>
  it.effect(name, () => {
    const wire: Wire = { hanging: 0, delivered: [] }
    return body(wire).pipe(Effect.provide(running(wire, hung)))
  })

describe("a message to an honest endpoint is delivered within a second", () => {
  const { concurrency, failingConcurrency, perBuilder } = builderDefaults.webhooks

  scene("while all endpoints of a builder are silent", SILENT, (wire) =>
    Effect.gen(function* () {
      yield* attacker("silent", 10, 20)
      yield* TestClock.adjust("1 second")
      yield* hangs(wire, perBuilder)
      yield* honest(wire, 5, pass(4))
      assert.isAtMost(wire.hanging, perBuilder)
    })
  )

  scene("while all endpoints of a builder answer after 14.9 seconds", SLOW, (wire) =>
    Effect.gen(function* () {
      yield* attacker("slow", 10, 20)
      yield* TestClock.adjust("1 second")
      yield* hangs(wire, perBuilder)
      yield* honest(wire, 8, pass(4))
      yield* hangs(wire, perBuilder)
    })
  )

  scene("while endpoints of many builders fail", SILENT, (wire) =>
    Effect.gen(function* () {
      for (let i = 0; i < 12; i++) yield* attacker(`dead${i}`, 4, 5)
      yield* TestClock.adjust("1 second")
      // Nothing is known about them yet.
      yield* hangs(wire, concurrency)
      yield* pass(50)
      yield* hangs(wire, failingConcurrency)
      yield* honest(wire, 5, pass(4))
      assert.isAtMost(wire.hanging, failingConcurrency)
    })
  )

  scene("while a builder removes endpoints that hang, and adds others", SILENT, (wire) =>
    Effect.gen(function* () {
      yield* register("moving")
      for (let i = 0; i < 12; i++) {
        const ids = [0, 1, 2, 3].map((k) => `moving-${i}-${k}`)
        yield* Effect.forEach(ids, (id) => create("moving", id))
        yield* publish("moving", `moving-${i}`)
        yield* pass(1)
        yield* Effect.forEach(ids, (id) => Webhooks.use((webhooks) => webhooks.remove("moving", id)))
        assert.isAtMost(wire.hanging, perBuilder)
      }
      yield* honest(wire, 1, Effect.void)
    })
  )
})

describe("a message to an honest endpoint waits for the deadline of no other", () => {
  const { concurrency } = builderDefaults.webhooks

  scene("while a hundred builders are silent, of which nothing is known yet", SILENT, (wire) =>
    Effect.gen(function* () {
      for (let i = 0; i < 100; i++) yield* attacker(`hole${i}`, 1, 8)
      yield* register("honest")
      yield* create("honest", "honest")
      yield* publish("honest", "message")
      yield* TestClock.adjust("1 second")
      yield* hangs(wire, concurrency)
      assert.isEmpty(wire.delivered)
      // All of the silent ones are due before it, and each has its first turn.
      yield* pass(7)
      yield* eventually("the message is delivered", () => wire.delivered.length === 1)
      assert.isAtLeast(wire.hanging, 100)
    })
  )

  scene("while a hundred builders answer after 14.9 seconds all the time", SLOW, (wire) =>
    Effect.gen(function* () {
      for (let i = 0; i < 100; i++) yield* attacker(`slow${i}`, 1, 20)
      yield* pass(10)
      yield* register("honest")
      yield* create("honest", "honest")
      for (let i = 0; i < 8; i++) {
        yield* publish("honest", `message ${i}`)
        yield* pass(3)
        yield* eventually(`message ${i} is delivered`, () => wire.delivered.length > i)
        assert.isAtMost(wire.hanging, 8 * concurrency)
      }
    })
  )
})
