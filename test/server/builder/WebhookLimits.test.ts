/** Limits of what one builder can make the backend send, store and remember, over HTTP on the real stores. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { MAX_CHANGES, ROTATION_RESERVE } from "../../../src/builder/shared/OwnChanges.ts"
import { DELIVERIES_LISTED, MAX_TESTS } from "../../../src/domain/Webhook.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, field, signUp, text } = Harness

const URL = "https://hooks.example.com/sweeps?token=secret"

const MEGABYTE = 1_000_000

/** A builder with a webhook. */
const subscribed = Effect.gen(function* () {
  const { cookie, id } = yield* signUp()
  const own = asBuilder(cookie)
  const created = yield* own("POST /me/webhooks", { body: { url: URL, events: ["sweep.failed"] } })
  return { own, builderId: id, webhookId: text(created, "webhook", "id") }
})

const recordsOf = (builderId: string) =>
  AuditLog.use((audit) => audit.list({ actor: `builder:${builderId}`, limit: 500 }))

const rowsOf = (answer: Harness.Answer): ReadonlyArray<unknown> => {
  const rows = field(answer, "deliveries")
  return Array.isArray(rows) ? rows : assert.fail("no deliveries")
}

layer(Harness.layer(), { excludeTestServices: true })("a builder's webhooks", (it) => {
  it.effect("list deliveries in pages of a bounded size, whatever their receiver answered", () =>
    Effect.gen(function* () {
      const { own, webhookId } = yield* subscribed
      const sql = yield* SqlClient.SqlClient
      yield* sql`WITH added AS (
          INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
          SELECT ${webhookId}, 'm' || n, 'sweep.failed', repeat('x', 1000), now(), now() FROM generate_series(1, 120) AS n
          RETURNING id
        ) INSERT INTO builder.webhook_attempts (delivery_id, at, duration_millis, status_code, response)
        SELECT id, now(), 1, 500, repeat(chr(1), 500) FROM added CROSS JOIN generate_series(1, 25)`
      const seen = new Set<string>()
      let cursor = ""
      for (const rows of [DELIVERIES_LISTED, DELIVERIES_LISTED, 120 - 2 * DELIVERIES_LISTED]) {
        const page = yield* own(`GET /me/webhooks/${webhookId}/deliveries?limit=500${cursor}`)
        assert.strictEqual(page.status, 200)
        assert.isBelow(Buffer.byteLength(page.text), 2 * MEGABYTE)
        assert.strictEqual(rowsOf(page).length, rows)
        for (const index of rowsOf(page).keys()) seen.add(text(page, "deliveries", index, "id"))
        cursor = `&cursor=${text(page, "nextCursor")}`
      }
      assert.strictEqual(cursor, "&cursor=undefined")
      assert.strictEqual(seen.size, 120)
      const first = yield* own(`GET /me/webhooks/${webhookId}/deliveries`)
      assert.strictEqual(rowsOf(first).length, DELIVERIES_LISTED)
      assert.strictEqual(rowsOf(yield* own(`GET /me/webhooks/${webhookId}/deliveries?limit=7`)).length, 7)
    })
  )

  it.effect("are changed with a record of the host, and without one if nothing changes", () =>
    Effect.gen(function* () {
      const { builderId, own, webhookId } = yield* subscribed
      const path = `/me/webhooks/${webhookId}`
      const before = yield* recordsOf(builderId)
      assert.deepInclude(before[0], { action: "webhook.create", details: { host: "hooks.example.com" } })
      for (const body of [{}, { url: URL }, { events: ["sweep.failed"], enabled: true }, { description: "" }]) {
        assert.strictEqual((yield* own(`PATCH ${path}`, { body })).status, 200)
      }
      assert.deepStrictEqual(yield* recordsOf(builderId), before)
      const url = `https://other.example.com:8443/${"x".repeat(1_900)}`
      for (const body of [{ url }, { enabled: false }, { enabled: false }, { events: [] }]) {
        assert.strictEqual((yield* own(`PATCH ${path}`, { body })).status, 200)
      }
      const added = (yield* recordsOf(builderId)).slice(0, -before.length)
      assert.deepStrictEqual(
        added.map(({ action, details }) => [action, details]),
        [
          ["webhook.patch", {}],
          ["webhook.patch", { enabled: "false" }],
          ["webhook.patch", { host: "other.example.com:8443" }]
        ]
      )
      assert.strictEqual((yield* own("PATCH /me/webhooks/none", { body: {} })).status, 404)
    })
  )

  it.effect("are changed so often in a day, and removed after that as well", () =>
    Effect.gen(function* () {
      const { builderId, own, webhookId } = yield* subscribed
      const path = `/me/webhooks/${webhookId}`
      const sql = yield* SqlClient.SqlClient
      const key = yield* own("POST /me/apikeys", { body: { name: "Server", scopes: ["read"] } })
      const { length } = yield* recordsOf(builderId)
      // The oldest of these records ends its day in a minute.
      yield* sql`INSERT INTO builder.audit_log (at, actor, action, subject, details)
        SELECT now() - interval '23 hours 59 minutes', ${`builder:${builderId}`}, 'webhook.patch', 'x', '{}'::jsonb
        FROM generate_series(1, ${MAX_CHANGES - length - 1}::integer)`
      assert.strictEqual((yield* own(`PATCH ${path}`, { body: { description: "last" } })).status, 200)
      const refused = ({ body, headers, status }: Harness.Answer) => {
        assert.deepStrictEqual([status, body], [429, { error: "rate limit exceeded" }])
        assert.match(headers.get("retry-after") ?? "", /^[1-9][0-9]*$/)
      }
      refused(yield* own(`PATCH ${path}`, { body: { description: "more" } }))
      refused(yield* own(`PATCH ${path}`, { body: { description: "more", enabled: false } }))
      refused(yield* own("POST /me/webhooks", { body: { url: URL } }))
      refused(yield* own("POST /me/apikeys", { body: { name: "Other", scopes: ["read"] } }))
      assert.strictEqual((yield* recordsOf(builderId)).length, MAX_CHANGES)

      // These protect the builder.
      assert.strictEqual((yield* own(`PATCH ${path}`, { body: { enabled: false } })).status, 200)
      refused(yield* own(`PATCH ${path}`, { body: { enabled: true } }))
      assert.strictEqual((yield* own(`POST ${path}/secret/rotate`)).status, 200)
      assert.strictEqual((yield* own("POST /me/apikey/rotate")).status, 200)
      yield* sql`INSERT INTO builder.audit_log (at, actor, action, subject, details)
        SELECT now(), ${`builder:${builderId}`}, 'webhook.rotate_secret', 'x', '{}'::jsonb
        FROM generate_series(1, ${ROTATION_RESERVE - 3}::integer)`
      refused(yield* own(`POST ${path}/secret/rotate`))
      refused(yield* own("POST /me/apikey/rotate"))
      assert.strictEqual((yield* recordsOf(builderId)).length, MAX_CHANGES + ROTATION_RESERVE)
      assert.strictEqual(text(yield* own("GET /me/webhooks"), "webhooks", 0, "description"), "last")
      assert.strictEqual((yield* own(`PATCH ${path}`, { body: { description: "last" } })).status, 200)
      assert.strictEqual((yield* asAdmin(`PATCH /admin/builders/${builderId}`, { body: { name: "New" } })).status, 200)
      assert.strictEqual((yield* own(`DELETE /me/apikeys/${text(key, "key", "id")}`)).status, 200)
      assert.strictEqual((yield* own(`DELETE ${path}`)).status, 200)
      assert.strictEqual(
        (yield* signUp().pipe(
          Effect.flatMap(({ cookie }) => asBuilder(cookie)("POST /me/webhooks", { body: { url: URL } }))
        )).status,
        201
      )
    })
  )

  it.effect("are sent so many test messages in a day", () =>
    Effect.gen(function* () {
      const { own, webhookId } = yield* subscribed
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, state, due_at, created_at, closed_at)
        SELECT ${webhookId}, 'test_' || n, 'webhook.test', '{}', 'delivered', now(), now() - interval '1 hour', now()
        FROM generate_series(1, ${MAX_TESTS}::integer) AS n`
      const refused = yield* own(`POST /me/webhooks/${webhookId}/test`)
      assert.deepStrictEqual([refused.status, refused.body], [429, { error: "rate limit exceeded" }])
      assert.isAtMost(Number(refused.headers.get("retry-after")), 23 * 3_600)
      assert.isAtLeast(Number(refused.headers.get("retry-after")), 22 * 3_600)
    })
  )
})
