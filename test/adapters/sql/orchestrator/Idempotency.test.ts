import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as SqlIdempotency from "../../../../src/adapters/sql/orchestrator/Idempotency.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { Idempotency } from "../../../../src/ports/shared/Idempotency.ts"
import { suite } from "../../../ports/shared/Idempotency.suite.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

const fresh = SqlIdempotency.layer.pipe(Layer.provide(Migrated.layer), Layer.provideMerge(migratedDatabase))

suite("Postgres", fresh)

layer(fresh)("the table of keys", (it) => {
  it.effect("does not grow with keys that outlived their time", () =>
    Effect.gen(function* () {
      const keys = yield* Idempotency
      const sql = yield* PgClient.PgClient
      const claim = (id: string) =>
        keys.claim({ id, attempt: id, fingerprint: "body", leaseMillis: 10, lifetimeMillis: 100 })
      yield* Effect.forEach(Array.from({ length: 12 }, String), claim)
      yield* TestClock.adjust(100)
      yield* Effect.forEach(["a", "b", "c"], claim, { concurrency: "unbounded" })
      yield* claim("d")
      const left = yield* sql<{ id: string }>`SELECT id FROM orchestrator.idempotency_keys ORDER BY id`
      expect(left.map(({ id }) => id)).toEqual(["a", "b", "c", "d"])
    })
  )
})
