/**
 * Choices of operators that a restored database has: overrides of both services, and states of lanes. Later choices are lost, such as the
 * pause of a token that is exploited. All sweeps are therefore paused when a restore is recorded, until an operator has compared them.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Schema } from "effect"
import { LaneState } from "../../../domain/LaneState.ts"
import { nameOf } from "../../../domain/PauseName.ts"
import * as ChangeLog from "./ChangeLog.ts"
import { timestamp } from "./Database.ts"

type Sql = PgClient.PgClient

/** A value in place of a setting. */
export const Choice = Schema.Struct({
  service: Schema.Literals(["orchestrator", "builder"]),
  name: Schema.String,
  /** Null if it may be secret, such as the URL of an endpoint. */
  value: Schema.NullOr(Schema.String),
  actor: Schema.String,
  reason: Schema.String,
  /** UNIX milliseconds. */
  sinceMs: Schema.Int
})
export type Choice = typeof Choice.Type

/** A lane whose state an operator changed. */
export const ChosenLane = Schema.Struct({
  lane: Schema.String,
  state: LaneState,
  /** UNIX milliseconds. */
  sinceMs: Schema.Int
})
export type ChosenLane = typeof ChosenLane.Type

/** Names of overrides whose values are no secrets begin with one of these. */
const PUBLIC = ["pause:", "limit:", "rate_limit:"]

interface ChoiceRow extends Omit<Choice, "value" | "sinceMs"> {
  readonly value: string
  readonly since: Date
}

/** Overrides of both services by name, and all lanes whose state an operator changed. */
export const read = Effect.fnUntraced(function* (sql: Sql) {
  const overrides = yield* sql<ChoiceRow>`
    SELECT * FROM (
      SELECT 'orchestrator' AS service, name, value, actor, reason, since FROM orchestrator.operator_overrides
      UNION ALL SELECT 'builder', name, value, actor, reason, since FROM builder.operator_overrides
    ) AS choices ORDER BY name COLLATE "C", service`
  const lanes = yield* sql<{ lane: string; state: LaneState; since: Date }>`
    SELECT lane::text AS lane, state, since FROM orchestrator.lane_states ORDER BY lane`
  return {
    choices: overrides.map(({ since, value, ...rest }): Choice => ({
      ...rest,
      value: PUBLIC.some((prefix) => rest.name.startsWith(prefix)) ? value : null,
      sinceMs: since.getTime()
    })),
    lanes: lanes.map(({ lane, since, state }): ChosenLane => ({ lane, state, sinceMs: since.getTime() }))
  }
})

/** Chains that an operator has resumed, whatever the settings say of them. */
export const resumedChains = (sql: Sql) =>
  Effect.map(
    sql<{ chain: string; actor: string; since: Date }>`
      SELECT substr(name, length('pause:chain:') + 1) AS chain, actor, since FROM orchestrator.operator_overrides
      WHERE starts_with(name, 'pause:chain:') AND value = 'running' ORDER BY since`,
    (rows) => rows.map(({ actor, chain, since }) => ({ chainId: Number(chain), actor, sinceMs: since.getTime() }))
  )

const ALL = nameOf({ scope: "all" })

/**
 * Pauses all sweeps after a restore to this moment (UNIX milliseconds), and logs it. Takes the place of a pause that the database has, whose
 * reason would hide that there was a restore. Sweeps that were sent are followed to their end.
 */
export const pauseAll = Effect.fnUntraced(function* (sql: Sql, restoredToMs: number, actor: string) {
  const at = timestamp(yield* Clock.currentTimeMillis)
  const moment = new Date(restoredToMs).toISOString()
  const reason = `the database was restored to ${moment}, and later pauses, limits, endpoints and states of lanes are lost`
  yield* sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since)
    VALUES (${`pause:${ALL}`}, 'paused', ${actor}, ${reason}, ${at})
    ON CONFLICT (name) DO UPDATE
      SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = excluded.since`
  yield* ChangeLog.record(sql, "orchestrator", { actor, action: "pause.paused", subject: ALL, details: { reason } })
})
