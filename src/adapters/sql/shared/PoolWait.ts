/** Time until the pool has a connection to give, measured by taking one and giving it back. */
import type { PgClient } from "@effect/sql-pg"
import { Duration, Effect } from "effect"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { guarded } from "./Database.ts"

/** In milliseconds. */
export const measure = (sql: PgClient.PgClient): Effect.Effect<number, StoreUnavailable> =>
  Effect.timed(Effect.scoped(Effect.asVoid(sql.reserve))).pipe(
    Effect.map(([elapsed]) => Duration.toMillis(elapsed)),
    guarded("poolWait")
  )
