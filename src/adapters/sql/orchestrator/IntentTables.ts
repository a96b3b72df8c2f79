/**
 * Reads of intents across their tables: `s` is the state, `t` the terms, `g` the signatures, `w` the sweep of a leg. Intents whose month was detached are
 * unknown.
 */
import type { PgClient } from "@effect/sql-pg"
import type { Fragment } from "effect/sql/Statement"

const hex = (column: string, name: string) => `'0x' || encode(${column}, 'hex') AS ${name}`

const STATE = [
  "s.id",
  "s.source_chain_id",
  "s.created_at",
  "s.updated_at",
  "s.submitted_at",
  "s.owner",
  "s.order_nonce",
  hex("s.order_digest", "order_digest"),
  "s.dest_chain_id",
  "s.deadline",
  "s.builder_id",
  "s.status",
  hex("s.tx_hash", "tx_hash"),
  hex("s.delivery_tx_hash", "delivery_tx_hash"),
  "s.amount_out",
  "s.failure_reason",
  "s.failure_detail",
  "s.searches",
  hex("s.trace", "trace")
]

const TERMS = [
  "t.quoted_at_block",
  "t.gas",
  "t.data_gas",
  "t.cover_gas",
  "t.cover_gas_price",
  "t.cover_value",
  "t.token_in",
  "t.amount_in",
  "t.fee_amount",
  "t.builder",
  "t.builder_fee",
  "t.token_out",
  "t.min_amount_out",
  "t.destination",
  "t.swap_target",
  hex("t.swap_calldata", "swap_calldata"),
  "t.user_id",
  "t.payout_mode",
  "t.quote"
]

const SIGNATURES = [
  "g.authorization_chain_id",
  "g.authorization_nonce",
  "g.y_parity",
  hex("g.delegate", "delegate"),
  hex("g.r", "r"),
  hex("g.s", "s"),
  // The signatures of a batch are stored with its sweep.
  hex("coalesce(w.signature, g.signature)", "signature"),
  "g.network",
  "g.sweep_id",
  "g.leg",
  hex("w.leg_hashes", "leg_hashes"),
  "w.authorizations -> s.source_chain_id::text AS batch_authorization"
]

/** Columns of an `IntentRow` without those of its submission. */
export const offered = (sql: PgClient.PgClient): Fragment => sql.literal([...STATE, ...TERMS].join(", "))

/** Columns of an `IntentRow`. */
export const columns = (sql: PgClient.PgClient): Fragment => sql.literal([...STATE, ...TERMS, ...SIGNATURES].join(", "))

/**
 * Joins the states `s` to rows of a queue by this column. OFFSET 0 keeps this and the joins below as look-ups by key, whatever the
 * planner knows about the sizes of the tables.
 */
export const states = (sql: PgClient.PgClient, id: string): Fragment =>
  sql.literal(`CROSS JOIN LATERAL (SELECT * FROM orchestrator.intent_states s WHERE s.id = ${id} OFFSET 0) s`)

const SWEEP_OF_SIGNATURES = "LATERAL (SELECT * FROM orchestrator.sweeps w WHERE w.id = g.sweep_id OFFSET 0) w"

const SIGNATURES_OF_STATE =
  "LATERAL (SELECT * FROM orchestrator.intent_signatures g WHERE g.number = s.number OFFSET 0) g"

/** Joins terms, signatures and sweeps to the states `s`. */
export const documents = (sql: PgClient.PgClient): Fragment =>
  sql.literal(`${terms("s")}
    LEFT JOIN ${SIGNATURES_OF_STATE} ON true
    LEFT JOIN ${SWEEP_OF_SIGNATURES} ON true`)

/** Joins the sweeps `w` to rows of legs by this column, and drops the rows of other intents. */
export const sweeps = (sql: PgClient.PgClient, id: string): Fragment =>
  sql`${states(sql, id)} ${sql.literal(`CROSS JOIN ${SIGNATURES_OF_STATE} CROSS JOIN ${SWEEP_OF_SIGNATURES}`)}`

/** Joins the terms `t` to the states of this alias. */
export const terms = (state: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM orchestrator.intent_terms t WHERE t.number = ${state}.number OFFSET 0) t`

/**
 * An array of ids in a condition `= ANY(…)`. The planner does not see its length, so it keeps one plan instead of making a new one
 * for every call.
 */
export const ids = (sql: PgClient.PgClient, values: ReadonlyArray<string>): Fragment =>
  sql`(SELECT ${values}::text[])::text[]`
