/** Limits that the operator of a run sets on what attacks may cost. */
import { Effect } from "effect"
import { parseEther } from "viem"
import type { World } from "../World.ts"

/** Loss that unlisted tokens together may cause in an hour on a chain, in wei. The service's default. */
export const UNLISTED = parseEther("0.02")

/** Loss that sweeps of listed tokens may cause in an hour on a chain, in wei. */
export const LISTED = parseEther("0.02")

/** The same of owners' first sweeps, in an attack that spends it. */
export const FIRST_SWEEPS = parseEther("0.004")

/** Age at which a reservation that no transaction carries belongs to an earlier attack. */
const LEFT_OVER = "5 seconds"

/** Ends the reservations of sweeps that were given up. */
const release = ({ sql }: World) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`LOCK TABLE orchestrator.exposure_sums, orchestrator.exposures IN EXCLUSIVE MODE`
      yield* sql`
        DELETE FROM orchestrator.exposures e WHERE e.reserved_at < now() - ${LEFT_OVER}::interval AND NOT EXISTS (
          SELECT FROM orchestrator.relay_transaction_intents l WHERE l.intent_id = e.intent_id AND l.active
        )`
      yield* sql`
        UPDATE orchestrator.exposure_sums s SET open = (
          SELECT coalesce(sum(e.wei), 0) FROM orchestrator.exposures e WHERE s.class = ANY(e.classes)
        ) WHERE s.hour = '-infinity'`
    })
  )

/** Gives the next attack whole budgets, as if a day had passed. Reservations of sweeps under way stay. */
export const renew = (world: World) =>
  Effect.gen(function* () {
    const { sql } = world
    yield* sql`DELETE FROM orchestrator.exposure_sums WHERE hour > '-infinity'`
    yield* release(world)
    yield* sql`UPDATE orchestrator.given_up_intents SET at = at - interval '1 day'`
    yield* sql`UPDATE orchestrator.intent_states SET burned_at = burned_at - interval '1 day' WHERE burned_at IS NOT NULL`
  })
