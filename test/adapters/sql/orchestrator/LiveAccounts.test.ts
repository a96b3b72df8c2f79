/** One transaction under way for each account, also where the release before writes. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../../../migrations/orchestrator/index.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import * as Migrations from "../../../../src/adapters/sql/shared/Migrations.ts"
import { address, hash } from "../../../support/IntentFixtures.ts"
import { testDatabase } from "../../../support/Postgres.ts"

const LANE = address(0x1a4e)

/** A transaction with one link, written as by every release. */
const sent = Effect.fnUntraced(function* (nonce: number, account: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    WITH transaction AS (
      INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, created_at)
      VALUES (1, ${LANE}, ${nonce}, 'sweep', now()) RETURNING id
    )
    INSERT INTO orchestrator.relay_transaction_intents (transaction_id, intent_id, position, account)
    SELECT id, ${`i${nonce}`}, 0, ${account} FROM transaction`
})

const ended = (nonce: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql`UPDATE orchestrator.relay_transaction_intents SET active = false WHERE intent_id = ${`i${nonce}`}`
  )

/** The constraint that a statement violates. */
const violated = <E extends { readonly reason: { readonly _tag: string } }, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => ("constraint" in reason ? reason.constraint : reason._tag))

layer(testDatabase)("accounts of transactions under way", (it) => {
  it.effect("are taken over from the release before, and kept for what it writes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const earlier = Object.entries(migrations).filter(([name]) => name < "0032")
      yield* Migrations.migrate("orchestrator", Object.fromEntries(earlier))
      yield* sql`INSERT INTO orchestrator.lanes (chain_id, lane, next_nonce) VALUES (1, ${LANE}, 0)`
      for (let nonce = 0; nonce < 3; nonce++) {
        yield* sql`
          INSERT INTO orchestrator.intent_states (number, id, source_chain_id, owner, order_nonce, order_digest, dest_chain_id,
            deadline, created_at, updated_at)
          VALUES (${nonce}, ${`i${nonce}`}, 1, ${address(nonce)}, ${nonce}, decode(${hash(`${nonce}`).slice(2)}, 'hex'), 1, 1,
            now(), now())`
      }
      yield* sent(0, "1:a")
      yield* ended(0)
      yield* sent(1, "1:b")
      yield* Migrated.migrate
      assert.strictEqual(yield* violated(sent(2, "1:b")), "relay_transaction_intents_one_per_account")
      yield* sent(2, "1:a")
      yield* ended(1)
      const live = yield* sql<{ account: string }>`SELECT account FROM orchestrator.live_accounts`
      assert.deepStrictEqual(live, [{ account: "1:a" }])
    })
  )
})
