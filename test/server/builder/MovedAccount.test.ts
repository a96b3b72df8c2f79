/** The debts to a builder move to a new account by the statement and the routes of docs/how-to/pay-builders.md. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Harness from "./Harness.ts"
import { makeChain } from "./consoleScene.ts"
import { register } from "./machineRoutes.ts"

const { asAdmin, CHAIN_ID, field, text, OTHER_TOKEN, TOKEN } = Harness

const GUIDE = new URL("../../../docs/how-to/pay-builders.md", import.meta.url)

/** The guide's statement for a builder. */
const statementFor = (id: string) =>
  Effect.map(
    Effect.promise(() => readFile(GUIDE, "utf8")),
    (guide) =>
      (/```text\n( +SELECT e\.sweep_id[\s\S]*?)```/.exec(guide)?.[1] ?? assert.fail("no statement")).replace(
        "'ID'",
        `'${id}'`
      )
  )

interface Owed {
  readonly sweep_id: string
  readonly chain_id: string
  readonly token: string
  readonly amount: string
}

const owedIn = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = yield* sql.unsafe<Owed>(yield* statementFor(id))
    return rows.map((row) => ({ ...row, chain_id: String(row.chain_id), amount: String(row.amount) }))
  })

const balances = (id: string) =>
  Effect.map(asAdmin(`GET /builders/${id}/accruals`), (answer) => field(answer, "balances") as Array<unknown>)

layer(Harness.layer({ node: makeChain().node }), { excludeTestServices: true })(
  "an account that cannot be paid",
  (it) => {
    it.effect("gives everything that it is owed to another one", () =>
      Effect.gen(function* () {
        const ledger = { payoutMode: "ledger" }
        const [old, fresh] = [yield* register(ledger), yield* register(ledger)]
        const accrue = Effect.fnUntraced(function* (sweepId: string, changes: Readonly<Record<string, unknown>> = {}) {
          const body = { builderId: old.id, sweepId, token: TOKEN, amount: "5", chainId: CHAIN_ID, ...changes }
          const answer = yield* asAdmin("POST /accruals", { body })
          assert.strictEqual(answer.status, 201, answer.text)
        })
        const reverse = (sweepId: string) =>
          asAdmin("POST /admin/accruals/reverse", { body: { sweepId, reason: "moved to another account" } })
        const id = (number: number) => `0x${"5a".repeat(32)}_${number}`

        yield* accrue(id(1))
        const batch = yield* asAdmin("POST /admin/payouts", {
          body: { chainId: CHAIN_ID, token: TOKEN, minAmount: "0" }
        })
        assert.strictEqual(batch.status, 201, batch.text)
        yield* accrue(id(2), { token: OTHER_TOKEN, amount: "123456789012345678901234567890" })
        yield* accrue(id(3), { chainId: CHAIN_ID + 1 })
        yield* accrue(id(4), { paidTxHash: `0x${"5b".repeat(32)}` })
        yield* accrue(id(5))
        assert.strictEqual((yield* reverse(id(5))).status, 200)
        yield* accrue(id(6), { builderId: fresh.id })
        yield* accrue(id(7), { chainId: undefined })
        const owedNow = Effect.map(owedIn(old.id), (rows) => rows.map(({ sweep_id }) => sweep_id).toSorted())
        assert.deepStrictEqual(yield* owedNow, [id(2), id(3)])
        const failed = yield* asAdmin(`POST /admin/payouts/${text(batch, "id")}/fail`, { body: { reason: "moved" } })
        assert.strictEqual(failed.status, 200, failed.text)
        assert.deepStrictEqual(yield* owedNow, [id(1), id(2), id(3)])
        yield* asAdmin("POST /admin/accruals/assign", { body: { chainId: CHAIN_ID, token: TOKEN } })
        assert.deepStrictEqual(yield* owedNow, [id(1), id(2), id(3), id(7)])

        for (const { amount, chain_id, sweep_id, token } of yield* owedIn(old.id)) {
          assert.strictEqual((yield* reverse(sweep_id)).status, 200)
          const moved = { builderId: fresh.id, token, amount, chainId: Number(chain_id), payoutMode: "ledger" }
          yield* accrue(`${sweep_id}-corrected`, moved)
        }
        assert.deepStrictEqual(yield* balances(old.id), [])
        assert.deepStrictEqual(yield* owedNow, [])
        assert.sameDeepMembers(yield* balances(fresh.id), [
          { token: TOKEN, amount: "15", chainId: CHAIN_ID },
          { token: OTHER_TOKEN, amount: "123456789012345678901234567890", chainId: CHAIN_ID },
          { token: TOKEN, amount: "5", chainId: CHAIN_ID + 1 }
        ])
      })
    )
  }
)
