/** Responses to keyed requests in PostgreSQL. Every replica can replay them. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type KeyedAttempt, type KeyClaim, Idempotency } from "../../../ports/shared/Idempotency.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"

type ClaimRequest = Parameters<Idempotency["Service"]["claim"]>[0]

const ClaimedRow = Schema.Struct({ attempts: Schema.Int })

const KeyRow = Schema.Struct({
  fingerprint: Schema.String,
  status: Schema.NullOr(Schema.Int),
  body: Schema.NullOr(Schema.String),
  sweep_reason: Schema.NullOr(Schema.String)
})

const FingerprintRow = Schema.Struct({ id: Schema.String, fingerprint: Schema.String })

const decodeClaimed = Schema.decodeUnknownEffect(Schema.Array(ClaimedRow))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(KeyRow))
const decodeFingerprints = Schema.decodeUnknownEffect(Schema.Array(FingerprintRow))

/**
 * Number of expired keys that a claim deletes: more than the one that it adds, so that the table does not grow without
 * limit.
 */
const EXPIRED_BATCH = 5

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const table = sql("orchestrator.idempotency_keys")

  const attemptClaim = Effect.fnUntraced(function* (request: ClaimRequest) {
    const millis = yield* Clock.currentTimeMillis
    const now = yield* boundedTime(sql, millis)
    const leaseUntil = yield* boundedTime(sql, millis + request.leaseMillis)
    const expiresAt = yield* boundedTime(sql, millis + request.lifetimeMillis)
    const rows = yield* sql`
      WITH expired AS (
        DELETE FROM ${table} WHERE id IN (
          SELECT id FROM ${table} WHERE expires_at <= ${now} AND id <> ${request.id}
          ORDER BY expires_at LIMIT ${EXPIRED_BATCH} FOR UPDATE SKIP LOCKED
        )
      )
      INSERT INTO ${table} AS k (id, fingerprint, attempt, lease_until, expires_at)
      VALUES (
        ${request.id}, ${request.fingerprint}, ${request.attempt},
        ${leaseUntil}, ${expiresAt}
      )
      ON CONFLICT (id) DO UPDATE SET
        fingerprint = excluded.fingerprint, attempt = excluded.attempt, lease_until = excluded.lease_until,
        expires_at = excluded.expires_at, status = NULL, body = NULL,
        sweep_reason = NULL,
        attempts = CASE WHEN k.expires_at <= ${now} THEN 1 ELSE k.attempts + 1 END
      WHERE k.expires_at <= ${now}
        OR (k.status IS NULL AND k.lease_until <= ${now} AND k.fingerprint = excluded.fingerprint)
      RETURNING attempts`
    return (yield* decodeClaimed(rows).pipe(Effect.orDie))[0]
  })

  const claim = Effect.fn("Idempotency.claim")(function* (request: ClaimRequest): Effect.fn.Return<KeyClaim, SqlError> {
    for (;;) {
      const claimed = yield* attemptClaim(request)
      if (claimed !== undefined) return { _tag: "Claimed", resumed: claimed.attempts > 1 }
      const rows = yield* sql`SELECT fingerprint, status, body, sweep_reason FROM ${table} WHERE id = ${request.id}`
      const [held] = yield* decodeKeys(rows).pipe(Effect.orDie)
      // The key expired and was deleted between the two statements. It can be claimed now.
      if (held === undefined) continue
      if (held.fingerprint !== request.fingerprint) return { _tag: "Mismatched" }
      if (held.status === null || held.body === null) return { _tag: "InProgress" }
      const reason = held.sweep_reason === null ? {} : { sweepReason: held.sweep_reason }
      return { _tag: "Answered", answer: { status: held.status, body: held.body, ...reason } }
    }
  }, guarded("idempotency.claim"))

  const fingerprints = Effect.fn("Idempotency.fingerprints")(function* (ids: ReadonlyArray<string>) {
    if (ids.length === 0) return new Map<string, string>()
    const now = timestamp(yield* Clock.currentTimeMillis)
    const rows = yield* sql`
      SELECT id, fingerprint FROM ${table} WHERE id = ANY(${IntentTables.ids(sql, ids)}) AND expires_at > ${now}`
    const found = yield* decodeFingerprints(rows).pipe(Effect.orDie)
    return new Map(found.map(({ fingerprint, id }) => [id, fingerprint]))
  }, guarded("idempotency.fingerprints"))

  const extend = Effect.fn("Idempotency.extend")(function* ({ attempt, id }: KeyedAttempt, leaseMillis: number) {
    const until = yield* boundedTime(sql, (yield* Clock.currentTimeMillis) + leaseMillis)
    yield* sql`
      UPDATE ${table} SET lease_until = ${until} WHERE id = ${id} AND attempt = ${attempt} AND status IS NULL`
  }, guarded("idempotency.extend"))

  const complete: Idempotency["Service"]["complete"] = Effect.fn("Idempotency.complete")(function* (
    { attempt, id },
    { body, status, sweepReason }
  ) {
    yield* sql`
      UPDATE ${table} SET status = ${status}, body = ${text(body)}, sweep_reason = ${sweepReason ?? null}
      WHERE id = ${id} AND attempt = ${attempt}`
  }, guarded("idempotency.complete"))

  const release: Idempotency["Service"]["release"] = Effect.fn("Idempotency.release")(function* ({ attempt, id }) {
    const now = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
    yield* sql`
      UPDATE ${table} SET lease_until = ${now} WHERE id = ${id} AND attempt = ${attempt} AND status IS NULL`
  }, guarded("idempotency.release"))

  return Idempotency.of({ claim, fingerprints, extend, complete, release })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(Idempotency, make)
