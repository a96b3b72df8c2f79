/**
 * Compares the database of DATABASE_LISTEN_URL with that of DATABASE_URL at the start of a service. A stale direct URL would migrate a
 * database that is not in use, and wait for notices of it.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { difference } from "../../../domain/doctor/DatabaseIdentity.ts"
import { guarded, HasDirectUrl, unlimited } from "./Database.ts"
import * as Identity from "./Identity.ts"

/** The two URLs lead to different databases. The message says what to do. */
export class OtherDatabase extends Schema.TaggedError<OtherDatabase>()("OtherDatabase", { detail: Schema.String }) {
  override get message(): string {
    return `DATABASE_LISTEN_URL leads to another database than DATABASE_URL: ${this.detail}. Set it to the database of DATABASE_URL, without the proxy`
  }
}

/** Says where the direct URL leads instead. Undefined if both are the same, or if one cannot be read. */
const compared = Effect.gen(function* () {
  const used = yield* Identity.read(yield* PgClient.PgClient)
  return difference(used, yield* Identity.read(yield* unlimited))
}).pipe(
  Effect.scoped,
  Effect.provide(Reactivity.layer),
  guarded("compare the databases"),
  // The migrations, which come next, report a database that is away.
  Effect.orElseSucceed(() => undefined)
)

/** Fails if the URLs are proven to lead to different databases. Asks nothing without a direct URL. */
export const check = Effect.gen(function* () {
  if (!(yield* HasDirectUrl)) return
  if ((yield* compared) === undefined) return
  // A server that restarts between the two reads looks like two servers.
  const other = yield* compared
  if (other !== undefined) return yield* new OtherDatabase({ detail: other })
})
