/** Legs in the tables of intents: the release before cannot read their signatures, and must not send them. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { address, hash, newIntent, submission } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

describe("a leg", () => {
  it.effect("has a signature without an authorization, which the release before sets aside as unreadable", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const sql = yield* PgClient.PgClient
      yield* intents.create(newIntent({ id: "a" }))
      const { authorization, signature } = submission()
      yield* intents.submitSweep({
        id: "s",
        owner: address(1),
        signature,
        legs: [{ intentId: "a", legHash: hash("leg"), authorization }]
      })
      const rows = yield* sql`
        SELECT length(signature) AS length, delegate, r, s, y_parity, authorization_nonce, authorization_chain_id
        FROM orchestrator.intent_signatures`
      assert.deepStrictEqual(rows, [
        {
          length: 0,
          delegate: null,
          r: null,
          s: null,
          y_parity: null,
          authorization_nonce: null,
          authorization_chain_id: null
        }
      ])
    }).pipe(Effect.provide(freshStores))
  )
})
