/**
 * Events for builders without a payload. An event copies the terms of its sweep, which are stored once in `intent_terms`, so the
 * outbox keeps only what the terms do not have. The message is made when it is claimed. Messages of the ledger keep their payload.
 *
 * This release leases messages by `held_until`, so that an update of `leased_until` is one of the release before, which reads
 * `message`: a trigger fills it. The release before stores the payload of its own events, and both deliver both forms. It does not
 * see leases of this release, so both can claim one message at once. Deliveries are idempotent.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The rows are written again, since the topic is stored.
  yield* sql`ALTER TABLE orchestrator.outbox
    ALTER COLUMN message DROP NOT NULL,
    ADD COLUMN held_until timestamptz,
    ADD COLUMN event_status orchestrator.intent_status,
    ADD COLUMN failure_reason text,
    ADD COLUMN tx_hash orchestrator.word,
    ADD COLUMN delivery_tx_hash orchestrator.word,
    ADD CONSTRAINT outbox_content CHECK (message IS NOT NULL OR event_status IS NOT NULL),
    DROP COLUMN topic,
    ADD COLUMN topic text NOT NULL GENERATED ALWAYS AS (
      CASE WHEN message IS NULL OR message ->> '_tag' = 'SweepEvent' THEN 'events' ELSE 'ledger' END
    ) STORED`
  yield* sql`CREATE INDEX outbox_due_of_topic ON orchestrator.outbox (topic, due_at, id) WHERE state = 'pending'`
  yield* sql`UPDATE orchestrator.outbox SET held_until = leased_until WHERE state = 'pending' AND leased_until IS NOT NULL`

  yield* sql`CREATE FUNCTION orchestrator.fill_outbox_message() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.message IS NULL THEN
        NEW.message := (
          SELECT jsonb_build_object('_tag', 'SweepEvent', 'event', jsonb_strip_nulls(jsonb_build_object(
            'id', s.id || ':' || NEW.event_status,
            'builderId', s.builder_id,
            'intentId', s.id,
            'status', NEW.event_status,
            'failureReason', NEW.failure_reason,
            'occurredAtMs', (extract(epoch FROM NEW.created_at) * 1000)::bigint,
            'sourceChainId', s.source_chain_id,
            'destChainId', s.dest_chain_id,
            'crossChain', s.dest_chain_id <> s.source_chain_id,
            'owner', s.owner,
            'tokenIn', t.token_in,
            'amountIn', t.amount_in::text,
            'tokenOut', t.token_out,
            'minAmountOut', t.quote -> 'minAmountOut',
            'builderFee', t.builder_fee::text,
            'txHash', '0x' || encode(NEW.tx_hash, 'hex'),
            'deliveryTxHash', '0x' || encode(NEW.delivery_tx_hash, 'hex')
          )))
          FROM orchestrator.intent_states s JOIN orchestrator.intent_terms t ON t.number = s.number
          WHERE s.id = NEW.intent_id
        );
      END IF;
      NEW.held_until := NEW.leased_until;
      RETURN NEW;
    END
  $$`
  yield* sql`CREATE TRIGGER outbox_filled BEFORE UPDATE OF leased_until ON orchestrator.outbox
    FOR EACH ROW EXECUTE FUNCTION orchestrator.fill_outbox_message()`
})
