/** Compares the signs of life of the orchestrator's processes with the work of the deployment. */
import { Effect, Option } from "effect"
import * as SqlHeartbeats from "../../../adapters/sql/orchestrator/Heartbeats.ts"
import { orchestrator } from "../../../config/Orchestrator.ts"
import * as Judgement from "../../../domain/doctor/Roles.ts"
import { postsOf, WHOLE } from "../../../domain/Role.ts"
import { Heartbeats } from "../../../ports/orchestrator/Heartbeats.ts"
import { sentence } from "../../Problems.ts"
import type { Check } from "../Check.ts"

/** Milliseconds since the last heartbeat of each post. Fails without a schema. */
export const ages = Effect.flatMap(Heartbeats, (heartbeats) => heartbeats.ages).pipe(
  Effect.provide(SqlHeartbeats.layer)
)

export const roles: Check = {
  name: "roles",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* ({ served, withDatabase }) {
    // Without a database or its schema, no process has run yet. The check of the database tells of it.
    const known = yield* Effect.option(withDatabase(ages))
    if (Option.isNone(known)) return []
    const seconds = yield* Effect.mapError(orchestrator.roleLifetimeSeconds.config, (error) => ({
      message: sentence(error)
    }))
    const ids = (yield* served).map(({ client }) => client.chain.id)
    return Judgement.judge({ posts: postsOf(WHOLE, ids), ages: known.value, lifetimeMillis: seconds * 1_000 })
  })
}
