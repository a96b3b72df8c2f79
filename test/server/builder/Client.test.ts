import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import * as SqlClient from "effect/sql/SqlClient"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { CHAIN_ID, TOKEN } = Harness
const live = { excludeTestServices: true }

/** The typed client of an operator's tool. */
const operator = Effect.gen(function* () {
  const base = yield* Harness.url
  return yield* HttpApiClient.make(BuilderApi, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.bearerToken(Harness.ADMIN_TOKEN))
    )
  })
}).pipe(Effect.provide(FetchHttpClient.layer))

const registration = {
  id: "typed",
  name: "Typed",
  builderBps: 5,
  maxBuilderBps: 10,
  payoutAddress: FakeChain.address(0x71),
  payoutMode: "ledger" as const
}

layer(Harness.layer(), live)("the typed client", (it) => {
  it.effect("registers, patches, books and opens a payout", () =>
    Effect.gen(function* () {
      const { console, machine } = yield* operator
      const { apiKey, builder } = yield* console.registerBuilder({ payload: registration })
      assert.match(apiKey, /^swp_/)
      assert.strictEqual(builder.payoutAddress, registration.payoutAddress)
      const patched = yield* console.patchBuilder({ params: { id: "typed" }, payload: { builderBps: 10 } })
      assert.strictEqual(patched.builderBps, 10)
      const refused = yield* Effect.flip(console.patchBuilder({ params: { id: "typed" }, payload: { builderBps: 11 } }))
      assert.strictEqual(refused._tag, "InvalidRequest")
      const accrual = { builderId: "typed", sweepId: "typed_0", token: TOKEN, amount: 2n ** 255n, chainId: CHAIN_ID }
      assert.deepStrictEqual(yield* machine.accrue({ payload: accrual }), { ok: true })
      const conflict = yield* Effect.flip(machine.accrue({ payload: { ...accrual, amount: 1n } }))
      assert.strictEqual(conflict._tag, "Conflict")
      const batch = yield* console.openPayout({ payload: { chainId: CHAIN_ID, token: TOKEN } })
      assert.strictEqual(batch.total, 2n ** 255n)
      assert.include(yield* console.payoutCsv({ params: { id: batch.id } }), "typed")
      assert.strictEqual((yield* console.payoutSafe({ params: { id: batch.id } }))["version"], "1.0")
      const closed = yield* console.failPayout({ params: { id: batch.id }, payload: { reason: "a test" } })
      assert.strictEqual(closed.status, "failed")
      // Its transactions would pay amounts that are in the next batch.
      const refusal = yield* Effect.flip(console.payoutSafe({ params: { id: batch.id } }))
      assert.strictEqual(refusal._tag, "PayoutClosed")
      assert.include(yield* console.payoutCsv({ params: { id: batch.id } }), "typed")
      const gone = yield* Effect.flip(console.builder({ params: { id: "nobody" } }))
      assert.strictEqual(gone._tag, "NotFound")
      const { builders } = yield* console.builders({ query: { search: "typed", limit: 5 } })
      assert.deepStrictEqual(
        builders.map(({ id }) => id),
        ["typed"]
      )
      assert.strictEqual((yield* console.treasury()).positions[0]?.owed, 2n ** 255n)
    })
  )

  it.effect("nothing can change what was booked, not even a query", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const attempts = [
        sql`UPDATE builder.ledger_entries SET earned = 0`,
        sql`DELETE FROM builder.ledger_entries`,
        sql`TRUNCATE builder.ledger_entries CASCADE`,
        sql`UPDATE builder.payout_lines SET amount = 1`,
        sql`UPDATE builder.revenue SET amount = 1`,
        sql`DELETE FROM builder.audit_log`
      ]
      for (const attempt of attempts) {
        const refused = yield* Effect.flip(attempt)
        assert.include(Bun.inspect(refused), "append-only")
      }
    })
  )
})
