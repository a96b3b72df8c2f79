/**
 * Payout batches and the entries that they claim. A claim stands until its batch fails. The partial unique index
 * prevents two standing claims of one entry, whatever the queries do.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE builder.payouts (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    token builder.address NOT NULL,
    min_amount builder.uint256 NOT NULL,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'failed')),
    tx_hash builder.hash,
    failure_reason text,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    CONSTRAINT payouts_closed CHECK ((status = 'open') = (closed_at IS NULL)),
    CONSTRAINT payouts_paid CHECK ((status = 'paid') = (tx_hash IS NOT NULL)),
    CONSTRAINT payouts_failed CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CONSTRAINT payouts_one_per_payment UNIQUE (chain_id, tx_hash, token)
  )`

  yield* sql`CREATE TABLE builder.payout_lines (
    payout_id text COLLATE "C" NOT NULL REFERENCES builder.payouts (id),
    builder_id text COLLATE "C" NOT NULL REFERENCES builder.builders (id),
    payout_address builder.address NOT NULL,
    amount builder.uint256 NOT NULL CHECK (amount > 0),
    entries integer NOT NULL CHECK (entries > 0),
    PRIMARY KEY (payout_id, builder_id)
  )`
  yield* sql`CREATE TRIGGER payout_lines_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON builder.payout_lines
    FOR EACH STATEMENT EXECUTE FUNCTION builder.refuse_change()`

  yield* sql`CREATE TABLE builder.payout_claims (
    payout_id text COLLATE "C" NOT NULL,
    builder_id text COLLATE "C" NOT NULL,
    entry_id bigint NOT NULL REFERENCES builder.ledger_entries (id),
    released boolean NOT NULL DEFAULT false,
    PRIMARY KEY (payout_id, entry_id),
    FOREIGN KEY (payout_id, builder_id) REFERENCES builder.payout_lines (payout_id, builder_id)
  )`
  yield* sql`CREATE UNIQUE INDEX payout_claims_standing ON builder.payout_claims (entry_id) WHERE NOT released`

  yield* sql`ALTER TABLE builder.ledger_entries ADD CONSTRAINT ledger_entries_payout_line
    FOREIGN KEY (payout_id, builder_id) REFERENCES builder.payout_lines (payout_id, builder_id)`
})
