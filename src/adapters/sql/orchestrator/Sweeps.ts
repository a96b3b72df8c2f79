/** Sweeps in PostgreSQL: the batch that an owner signed, and its intents. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option } from "effect"
import { concatHex } from "viem"
import * as Address from "../../../domain/Address.ts"
import { IllegalTransition } from "../../../domain/Intent.ts"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { type NewSweep, type StoredSweep, submissionsOf } from "../../../ports/orchestrator/Sweeps.ts"
import { bytes, guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentMoves from "./IntentMoves.ts"
import type * as IntentRow from "./IntentRow.ts"
import * as IntentSubmissions from "./IntentSubmissions.ts"

type Service = Intents["Service"]

interface SweepRow {
  readonly id: string
  readonly number: bigint
  readonly owner: string
  readonly intent_ids: ReadonlyArray<string>
  readonly created_at: Date
}

const toSweep = ({ created_at, id, intent_ids, number, owner }: SweepRow): StoredSweep => ({
  id,
  number,
  owner: Address.stored(owner),
  intentIds: intent_ids,
  createdAtMs: created_at.getTime()
})

/** The authorizations of a sweep, by chain. */
const authorizationsIn = ({ legs }: NewSweep): Readonly<Record<number, IntentRow.StoredAuthorization>> =>
  Object.fromEntries(
    legs.flatMap(({ authorization }) =>
      authorization === undefined
        ? []
        : [[authorization.chainId, { ...authorization, nonce: String(authorization.nonce) }]]
    )
  )

/** One transaction: the sweep and all its legs, or nothing. */
export const submit = (sql: PgClient.PgClient, wake: IntentSubmissions.Wake): Service["submitSweep"] =>
  Effect.fnUntraced(function* (sweep) {
    const { id, legs, network, owner, signature } = sweep
    const at = timestamp(yield* Clock.currentTimeMillis)
    const stored = Effect.gen(function* () {
      yield* sql`
        INSERT INTO orchestrator.sweeps (id, owner, signature, authorizations, leg_hashes, intent_ids, created_at)
        VALUES (
          ${id}, ${owner}, ${bytes(signature)}, ${sql.json(authorizationsIn(sweep))}::jsonb, ${bytes(concatHex(legs.map(({ legHash }) => legHash)))},
          ${legs.map(({ intentId }) => text(intentId))}, ${at}
        )`
      const submissions = submissionsOf(sweep).map((each) => ({ ...each, network }))
      const firsts = new Map(submissions.toReversed().map((each) => [each.id, each]))
      const rows = yield* IntentSubmissions.record(sql, [...firsts.values()])
      const submitted = new Set(rows.map((row) => row.id))
      const other = submissions.find((each) => firsts.get(each.id) !== each || !submitted.has(text(each.id)))
      if (other === undefined) return rows
      const from = yield* IntentMoves.statusOf(sql, other.id)
      return yield* new IllegalTransition({ from, event: IntentSubmissions.SUBMITTED._tag })
    })
    yield* wake(yield* sql.withTransaction(stored))
  }, guarded("submitSweep"))

export const find = (sql: PgClient.PgClient): Service["findSweep"] =>
  Effect.fnUntraced(function* (id) {
    const [row] = yield* sql<SweepRow>`
      SELECT id, number, owner, intent_ids, created_at FROM orchestrator.sweeps WHERE id = ${text(id)}`
    return Option.map(Option.fromUndefinedOr(row), toSweep)
  }, guarded("findSweep"))

export const ofOwner = (sql: PgClient.PgClient): Service["sweepsOf"] =>
  Effect.fnUntraced(function* (owner, { before, limit }) {
    const rows = yield* sql<SweepRow>`
      SELECT id, number, owner, intent_ids, created_at FROM orchestrator.sweeps
      WHERE owner = ${owner} AND (${before === undefined ? null : String(before)}::bigint IS NULL
        OR number < ${before === undefined ? null : String(before)}::bigint)
      ORDER BY number DESC LIMIT ${limit}`
    return rows.map(toSweep)
  }, guarded("sweepsOf"))
