/** PostgreSQL transactions. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { UnitOfWork } from "../../../ports/builder/UnitOfWork.ts"
import { guarded } from "../shared/Database.ts"

export const layer = Layer.effect(
  UnitOfWork,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UnitOfWork.of({ atomically: (effect) => guarded("UnitOfWork.atomically")(sql.withTransaction(effect)) })
  )
)
