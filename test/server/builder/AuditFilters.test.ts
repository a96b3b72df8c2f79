/** Filters of the console's audit log: a builder that acts often must not hide the changes of everybody else. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, field, text } = Harness

const recordsOf = (answer: Harness.Answer): ReadonlyArray<string> => {
  const records = field(answer, "records")
  return Array.isArray(records)
    ? records.map(({ action, actor, subject }) => `${actor} ${action} ${subject}`)
    : assert.fail(answer.text)
}

layer(Harness.layer(), { excludeTestServices: true })("the audit log", (it) => {
  it.effect("shows the changes of operators, although a builder fills the pages after them", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Busy")
      const change = yield* asAdmin(`PATCH /admin/builders/${id}`, { body: { maxBuilderBps: 20 } })
      assert.strictEqual(change.status, 200, change.text)
      const patched = yield* asAdmin("GET /admin/audit?limit=1")
      const at = Number(field(patched, "records", 0, "atMs"))
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* asBuilder(cookie)("POST /me/apikey/rotate")).status, 200)
      }
      const list = (query: string) => Effect.map(asAdmin(`GET /admin/audit?${query}`), recordsOf)
      const byOperator = `admin-token builder.patch ${id}`
      const byBuilder = `builder:${id} builder.rotate_key ${id}`
      assert.deepStrictEqual(yield* list("limit=3"), [byBuilder, byBuilder, byBuilder])
      assert.deepStrictEqual(yield* list("limit=3&by=operators"), [byOperator])
      assert.deepStrictEqual(yield* list("actor=admin-token"), [byOperator])
      assert.deepStrictEqual(yield* list("action=builder.patch"), [byOperator])
      assert.deepStrictEqual(yield* list(`subject=${id}&by=operators`), [byOperator])
      assert.deepStrictEqual(yield* list(`subject=other`), [])
      assert.deepStrictEqual(yield* list(`toMs=${at}&by=operators`), [])
      assert.deepStrictEqual(yield* list(`fromMs=${at}&toMs=${at + 1}&by=operators`), [byOperator])

      const first = yield* asAdmin("GET /admin/audit?action=builder.rotate_key&limit=2")
      assert.deepStrictEqual(recordsOf(first), [byBuilder, byBuilder])
      const second = yield* asAdmin(
        `GET /admin/audit?action=builder.rotate_key&limit=2&cursor=${text(first, "nextCursor")}`
      )
      assert.deepStrictEqual(recordsOf(second), [byBuilder])
      assert.isUndefined(field(second, "nextCursor"))
    })
  )

  it.effect("refuses a filter that it cannot read", () =>
    Effect.gen(function* () {
      for (const query of ["by=everybody", "actor=", "action=", "subject=", "fromMs=yesterday", "toMs=-1"]) {
        const answer = yield* asAdmin(`GET /admin/audit?${query}`)
        assert.strictEqual(answer.status, 422, query)
        assert.deepStrictEqual(field(answer, "error", "issues", 0, "path"), [query.split("=")[0]])
      }
    })
  )
})
