/** Secrets of webhooks in their two columns: readable, or encrypted ({@link SecretBox}). */
import { Effect, Redacted } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Webhooks } from "../../../ports/builder/Webhooks.ts"
import { type SecretBoxShape, SecretUnreadable } from "../../../ports/shared/SecretBox.ts"
import { guarded } from "../shared/Database.ts"

/** Columns of an endpoint that have a secret each. */
const COLUMNS = ["secret", "previous_secret"] as const
type Column = (typeof COLUMNS)[number]

/** A secret as it is stored. One of the two is null. */
export interface Stored {
  readonly plain: string | null
  readonly sealed: string | null
}

const placeOf = (column: Column, endpointId: string) => ({
  column: `builder.webhook_endpoints.${column}`,
  row: endpointId
})

/** The secret as the settings say that it is stored. */
export const stored = (
  box: SecretBoxShape,
  column: Column,
  endpointId: string,
  secret: Redacted.Redacted
): Effect.Effect<Stored> =>
  box.current === undefined
    ? Effect.succeed({ plain: Redacted.value(secret), sealed: null })
    : Effect.map(box.seal(secret, placeOf(column, endpointId)), (sealed) => ({ plain: null, sealed }))

/** The secret of two columns. */
export const read = (
  box: SecretBoxShape,
  column: Column,
  endpointId: string,
  { plain, sealed }: Stored
): Effect.Effect<Redacted.Redacted, SecretUnreadable> => {
  if (sealed !== null) return box.open(sealed, placeOf(column, endpointId))
  return plain === null
    ? Effect.fail(new SecretUnreadable({ detail: "the endpoint has no secret" }))
    : Effect.succeed(Redacted.make(plain, { label: "webhook secret" }))
}

interface EndpointRow {
  readonly id: string
  readonly secret: string | null
  readonly secret_sealed: string | null
  readonly previous_secret: string | null
  readonly previous_secret_sealed: string | null
}

const columnsOf = (row: EndpointRow): Readonly<Record<Column, Stored>> => ({
  secret: { plain: row.secret, sealed: row.secret_sealed },
  previous_secret: { plain: row.previous_secret, sealed: row.previous_secret_sealed }
})

const isStored = ({ plain, sealed }: Stored): boolean => plain !== null || sealed !== null

/** True if the secret is stored as the settings say. */
const isRight = (box: SecretBoxShape, { plain, sealed }: Stored): boolean =>
  box.current === undefined ? sealed === null : plain === null && (sealed?.startsWith(box.current) ?? true)

/** Stores the secrets of one endpoint anew, under its lock. */
const resealOne = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, box: SecretBoxShape, id: string) {
  const rows = yield* sql<EndpointRow>`
    SELECT id, secret, secret_sealed, previous_secret, previous_secret_sealed
    FROM builder.webhook_endpoints WHERE id = ${id} AND builder_id IS NOT NULL FOR UPDATE`
  let count = 0
  for (const row of rows) {
    for (const column of COLUMNS) {
      const before = columnsOf(row)[column]
      if (!isStored(before) || isRight(box, before)) continue
      const { plain, sealed } = yield* stored(box, column, id, yield* read(box, column, id, before))
      yield* sql`UPDATE builder.webhook_endpoints SET ${sql(column)} = ${plain}, ${sql(`${column}_sealed`)} = ${sealed}
        WHERE id = ${id}`
      count += 1
    }
  }
  return count
})

/** Endpoint by endpoint, so that one that cannot be read holds no other. */
export const reseal = (sql: SqlClient.SqlClient, box: SecretBoxShape): Webhooks["Service"]["reseal"] =>
  Effect.fn("Webhooks.reseal")(function* (limit) {
    const wrong =
      box.current === undefined
        ? sql`secret_sealed IS NOT NULL OR previous_secret_sealed IS NOT NULL`
        : sql`secret IS NOT NULL OR previous_secret IS NOT NULL
            OR NOT starts_with(secret_sealed, ${box.current}) OR NOT starts_with(previous_secret_sealed, ${box.current})`
    // In any order, so that those that cannot be read do not stand before the others for ever.
    const ids = yield* sql<{ readonly id: string }>`
      SELECT id FROM builder.webhook_endpoints WHERE builder_id IS NOT NULL AND (${wrong}) ORDER BY random() LIMIT ${limit}`
    let count = 0
    let unreadable = 0
    for (const { id } of ids) {
      const resealed = sql.withTransaction(resealOne(sql, box, id))
      const done = yield* Effect.catchTag(resealed, "SecretUnreadable", ({ detail }) =>
        Effect.as(Effect.annotateLogs(Effect.logError("secrets.unreadable"), { webhookId: id, detail }), undefined)
      )
      if (done === undefined) unreadable += 1
      else count += done
    }
    return { stored: count, unreadable }
  }, guarded("Webhooks.reseal"))
