/** A cursor that no page returned is refused, because it would silently select another page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, field, text } = Harness

const NUMBERS = ["x", "", "0", "-1", "1.5", "1e3", "0x1", "1234567890123456789", "1%00", "1;DROP"]
const BUILDERS = ["", "no%20id", "../", "x".repeat(129)]
const BATCHES = ["x", "1", "6f1e5f6c-8f0e-4d3c-9a5b", "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"]

layer(Harness.layer(), { excludeTestServices: true })("a malformed cursor", (it) => {
  it.effect("is refused by every list of the console", () =>
    Effect.gen(function* () {
      const { id } = yield* Harness.signUp("Lists")
      const lists: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["/admin/builders", BUILDERS],
        ["/admin/payouts", BATCHES],
        ["/admin/audit", NUMBERS],
        [`/admin/builders/${id}/entries`, NUMBERS]
      ]
      for (const [list, cursors] of lists) {
        assert.strictEqual((yield* asAdmin(`GET ${list}`)).status, 200)
        for (const cursor of cursors) {
          const answer = yield* asAdmin(`GET ${list}?cursor=${cursor}`)
          assert.strictEqual(answer.status, 422, `${list} with ${cursor}`)
          assert.deepStrictEqual(field(answer, "error"), {
            message: "invalid request",
            issues: [{ path: ["cursor"], message: "expected the nextCursor of an earlier page" }]
          })
        }
      }
    })
  )

  it.effect("is refused by every list of a builder", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Lists of a builder")
      const as = asBuilder(cookie)
      const created = yield* as("POST /me/webhooks", { body: { url: "https://example.com/hook" } })
      assert.strictEqual(created.status, 201)
      const deliveries = `/me/webhooks/${text(created, "webhook", "id")}/deliveries`
      for (const list of ["/me/activity", "/me/sweeps", deliveries]) {
        assert.strictEqual((yield* as(`GET ${list}`)).status, 200)
        for (const cursor of NUMBERS) {
          const answer = yield* as(`GET ${list}?cursor=${cursor}`)
          assert.strictEqual(answer.status, 422, `${list} with ${cursor}`)
          assert.strictEqual(text(answer, "error"), "cursor: expected the nextCursor of an earlier page")
        }
      }
    })
  )
})
