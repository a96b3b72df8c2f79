/** Secrets of webhooks in a real PostgreSQL: readable, encrypted, with another key, and moved. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as AesGcmSecretBox from "../../../../src/adapters/secrets/AesGcmSecretBox.ts"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import { UnreadableDeliveries } from "../../../../src/adapters/sql/builder/UnreadableDeliveries.ts"
import * as SecretReview from "../../../../src/builder/webhook/SecretReview.ts"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const [A, B] = [keyOf(1), keyOf(2)]

/** The stores of a process with these keys, on the test's database. */
const withKeys = (key?: typeof A, formerKey?: typeof A) =>
  Stores.layer.pipe(
    Layer.provide(AesGcmSecretBox.layer({ key, formerKey })),
    Layer.provideMerge(Migrated.layer),
    Layer.fresh
  )

/** The same, with the part that reads secrets again. */
const replica = (key?: typeof A, formerKey?: typeof A) =>
  Layer.merge(UnreadableDeliveries.layer, Stores.layer).pipe(
    Layer.provide(AesGcmSecretBox.layer({ key, formerKey })),
    Layer.provideMerge(Migrated.layer),
    Layer.fresh
  )

const NOW = 1_000

const endpoint = (id: string) => ({
  id,
  builderId: "alpha",
  url: "https://one.example.com",
  description: "",
  events: [],
  createdAtMs: 0
})

const create = (id: string) => Webhooks.use(({ create }) => create(endpoint(id), Redacted.make(`whsec_${id}`), 10))

interface Row {
  readonly id: string
  readonly secret: string | null
  readonly secret_sealed: string | null
  readonly previous_secret: string | null
  readonly previous_secret_sealed: string | null
}

const rows = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Row>`SELECT id, secret, secret_sealed, previous_secret, previous_secret_sealed
    FROM builder.webhook_endpoints ORDER BY id`
)

/** The secrets that sign a message to every endpoint. */
const signing = (message: string) =>
  Webhooks.use((webhooks) =>
    Effect.gen(function* () {
      yield* webhooks.publish("alpha", { id: message, type: "sweep.submitted", payload: "{}" })
      const due = yield* webhooks.claim({
        limit: 10,
        failingLimit: 10,
        perEndpoint: 10,
        perBuilder: 10,
        leaseMillis: 60_000
      })
      return due.map(
        ({ secrets, webhookId }) => `${webhookId}: ${secrets.map((each) => Redacted.value(each)).join(" ")}`
      )
    })
  )

/** One review by a process that has just started. */
const reviewed = Effect.flatten(SecretReview.make)

const kinds = Alerts.use(({ list }) => Effect.map(list, (alerts) => alerts.map(({ kind }) => kind)))

describe("secrets of webhooks", () => {
  it.effect("are encrypted by the key, moved to another key, and readable again without one", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* register
        yield* create("one")
        yield* reviewed
        assert.deepInclude((yield* rows)[0], { secret: "whsec_one", secret_sealed: null })
      }).pipe(Effect.provide(withKeys()))

      yield* Effect.gen(function* () {
        yield* create("two")
        assert.deepInclude((yield* rows)[1], { secret: null })
        assert.sameMembers(yield* signing("a"), ["one: whsec_one", "two: whsec_two"])
        yield* reviewed
        yield* Webhooks.use(({ rotate }) => rotate("alpha", "two", Redacted.make("whsec_new"), NOW))
        for (const row of yield* rows) {
          assert.isNull(row.secret)
          assert.isNull(row.previous_secret)
          assert.notInclude(JSON.stringify(row), "whsec_")
        }
        assert.sameMembers(yield* signing("b"), ["one: whsec_one", "two: whsec_new whsec_two"])
      }).pipe(Effect.provide(withKeys(A)))

      yield* Effect.gen(function* () {
        const before = yield* rows
        assert.sameMembers(yield* signing("c"), ["one: whsec_one", "two: whsec_new whsec_two"])
        yield* reviewed
        for (const [index, row] of (yield* rows).entries()) {
          assert.notStrictEqual(row.secret_sealed?.slice(0, 12), before[index]?.secret_sealed?.slice(0, 12))
        }
      }).pipe(Effect.provide(withKeys(B, A)))

      yield* Effect.gen(function* () {
        assert.sameMembers(yield* signing("d"), ["one: whsec_one", "two: whsec_new whsec_two"])
      }).pipe(Effect.provide(withKeys(B)))

      yield* Effect.gen(function* () {
        yield* reviewed
        assert.deepInclude((yield* rows)[1], { secret: "whsec_new", previous_secret: "whsec_two", secret_sealed: null })
      }).pipe(Effect.provide(withKeys(undefined, B)))
    }).pipe(Effect.provide(migratedDatabase))
  )

  it.effect("of another row, or of an unknown key, are not read: an alert tells, and other endpoints are served", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* register
        yield* create("one")
        yield* create("two")
        const sql = yield* PgClient.PgClient
        yield* sql`UPDATE builder.webhook_endpoints SET secret_sealed =
          (SELECT secret_sealed FROM builder.webhook_endpoints WHERE id = 'one') WHERE id = 'two'`
        assert.deepStrictEqual(yield* signing("a"), ["one: whsec_one"])
        assert.deepStrictEqual(yield* kinds, ["webhook_unreadable"])
      }).pipe(Effect.provide(withKeys(A)))

      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* signing("b"), [])
        yield* reviewed
        assert.include(yield* kinds, "secrets_unreadable")
      }).pipe(Effect.provide(withKeys(B)))

      yield* Effect.gen(function* () {
        yield* Webhooks.use(({ rotate }) => rotate("alpha", "two", Redacted.make("whsec_new"), NOW))
        yield* reviewed
        assert.notInclude(yield* kinds, "secrets_unreadable")
        assert.include(yield* signing("c"), "two: whsec_new")
      }).pipe(Effect.provide(withKeys(B, A)))
    }).pipe(Effect.provide(migratedDatabase))
  )
  it.effect(
    "raise one alert while one replica cannot read them and another can, and end it when the first one can",
    () =>
      Effect.gen(function* () {
        const standing = Alerts.use(({ list }) =>
          Effect.map(list, (all) => all.filter(({ kind }) => kind === "secrets_unreadable").map(({ id }) => id))
        )
        yield* Effect.andThen(register, create("one")).pipe(Effect.provide(withKeys(A)))
        yield* Effect.gen(function* () {
          const able = yield* Effect.provide(SecretReview.make, withKeys(A))
          const unable = yield* SecretReview.make
          yield* able
          yield* unable
          const raised = yield* standing
          assert.lengthOf(raised, 1)
          for (let minute = 0; minute < 3; minute += 1) {
            yield* able
            assert.deepStrictEqual(yield* standing, raised)
            yield* unable
            assert.deepStrictEqual(yield* standing, raised)
          }
          // The replica is started again with the key.
          yield* reviewed.pipe(Effect.provide(withKeys(B, A)))
          assert.deepStrictEqual(yield* standing, [])
        }).pipe(Effect.provide(withKeys(B)))
      }).pipe(Effect.provide(migratedDatabase))
  )

  it.effect("keep one alert of an endpoint while one replica cannot read it, and are freed by the one that can", () =>
    Effect.gen(function* () {
      const standing = Alerts.use(({ list }) =>
        Effect.map(list, (all) => all.filter(({ kind }) => kind === "webhook_unreadable").map(({ id }) => id))
      )
      const recheck = Effect.flatMap(UnreadableDeliveries, (unreadable) => unreadable.recheck)
      const able = yield* Layer.build(replica(A))
      const unable = yield* Layer.build(replica(B))
      yield* Effect.provide(Effect.andThen(register, create("one")), able)
      yield* Effect.gen(function* () {
        // The able replica clears an alert once, which an earlier process may have left.
        for (const message of ["a", "b"]) {
          assert.deepStrictEqual(yield* Effect.provide(signing(message), unable), [])
          if (message === "a") yield* Effect.provide(recheck, able)
        }
        const raised = yield* standing
        assert.lengthOf(raised, 1)
        for (const message of ["c", "d"]) {
          yield* Effect.provide(recheck, able)
          assert.deepStrictEqual(yield* standing, raised)
          assert.include(yield* Effect.provide(signing(message), able), "one: whsec_one")
          assert.deepStrictEqual(yield* Effect.provide(signing(`${message}, too`), unable), [])
        }
        // The replica is started again with the key.
        yield* Effect.provide(recheck, yield* Layer.build(replica(B, A)))
        assert.deepStrictEqual(yield* standing, [])
      }).pipe(Effect.provide(able))
    }).pipe(Effect.scoped, Effect.provide(migratedDatabase))
  )

  it.effect("end the alert of a replica that is gone after three reviews in which nobody renewed it", () =>
    Effect.gen(function* () {
      const has = Effect.map(kinds, (all) => all.includes("secrets_unreadable"))
      yield* Effect.andThen(register, create("one")).pipe(Effect.provide(withKeys(A)))
      yield* Effect.gen(function* () {
        const able = yield* Effect.provide(SecretReview.make, withKeys(A))
        const unable = yield* SecretReview.make
        yield* able
        // The clock of the other replica is behind, and its renewals keep the alert.
        for (let minute = 10; minute > 0; minute -= 1) {
          yield* TestClock.setTime(minute * 60_000)
          yield* unable
          yield* able
          assert.isTrue(yield* has)
        }
        for (let review = 0; review < 2; review += 1) {
          yield* able
          assert.isTrue(yield* has)
        }
        yield* able
        assert.isFalse(yield* has)
      }).pipe(Effect.provide(withKeys(B)))
    }).pipe(Effect.provide(migratedDatabase))
  )

  it.effect("end an alert that does not tell its renewals after thirty reviews", () =>
    Effect.gen(function* () {
      const has = Effect.map(kinds, (all) => all.includes("secrets_unreadable"))
      const alert = {
        key: "secrets_unreadable",
        severity: "critical",
        kind: "secrets_unreadable",
        message: ""
      } as const
      const able = yield* SecretReview.make
      yield* able
      yield* Alerts.use(({ raise }) => raise({ ...alert, details: { webhooks: 1 } }))
      for (let review = 0; review < 30; review += 1) {
        yield* able
        assert.isTrue(yield* has)
      }
      yield* able
      assert.isFalse(yield* has)
    }).pipe(Effect.provide(withKeys(A)), Effect.provide(migratedDatabase))
  )

  it.effect("end the alert of an endpoint after three rechecks in which no replica renewed it", () =>
    Effect.gen(function* () {
      const has = Effect.map(kinds, (all) => all.includes("webhook_unreadable"))
      const recheck = Effect.flatMap(UnreadableDeliveries, (unreadable) => unreadable.recheck)
      const able = yield* Layer.build(replica(A))
      const unable = yield* Layer.build(replica(B))
      yield* Effect.provide(Effect.andThen(register, create("one")), able)
      yield* Effect.gen(function* () {
        for (const message of ["a", "b"]) {
          assert.deepStrictEqual(yield* Effect.provide(signing(message), unable), [])
          if (message === "a") yield* recheck
        }
        for (let minute = 10; minute > 0; minute -= 1) {
          yield* TestClock.setTime(minute * 60_000)
          yield* Effect.provide(recheck, unable)
          yield* recheck
          assert.isTrue(yield* has)
        }
        for (let turn = 0; turn < 2; turn += 1) {
          yield* recheck
          assert.isTrue(yield* has)
        }
        yield* recheck
        assert.isFalse(yield* has)
        assert.include(yield* signing("c"), "one: whsec_one")
      }).pipe(Effect.provide(able))
    }).pipe(Effect.scoped, Effect.provide(migratedDatabase))
  )
})
