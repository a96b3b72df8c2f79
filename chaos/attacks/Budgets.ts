/** Limits that the operator of a run sets on what attacks may cost. */
import { Effect } from "effect"
import { parseEther } from "viem"
import type { World } from "../World.ts"

/** Loss that unlisted tokens together may cause in an hour on a chain, in wei. The service's default. */
export const UNLISTED = parseEther("0.02")

/** Loss that sweeps of listed tokens may cause in an hour on a chain, in wei. */
export const LISTED = parseEther("0.02")

/** Gives the next attack whole budgets, as if a day had passed. Reservations of sweeps under way stay. */
export const renew = ({ sql }: World) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM orchestrator.exposure_sums WHERE hour > '-infinity'`
    yield* sql`UPDATE orchestrator.given_up_intents SET at = at - interval '1 day'`
    yield* sql`UPDATE orchestrator.intent_states SET burned_at = burned_at - interval '1 day' WHERE burned_at IS NOT NULL`
  })
