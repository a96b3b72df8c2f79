/** Screens the parties of claimed sweeps again when their clearance is older than `clearanceLifetimeMillis`. */
import { Clock, Effect } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { isZero } from "../../domain/Address.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Makes `screen(client, claimed)`: the intents that are not clear, by id. Never fails: no answer is `unavailable`. */
export const make = Effect.gen(function* () {
  const screening = yield* Screening
  const settings = yield* OrchestratorSettings

  const clearance = (client: ChainClient, intents: ReadonlyArray<Intent>) => {
    const parties = intents.flatMap(({ order }) => [order.owner, order.destination, order.builder])
    return screening
      .clear(
        client.chain.id,
        [...new Set(parties)].filter((party) => !isZero(party))
      )
      .pipe(
        Effect.as("clear" as const),
        Effect.catchTag("ScreeningBlocked", (blocked) => Effect.succeed(blocked.cause))
      )
  }

  return Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Intent>) {
    const nowMs = yield* Clock.currentTimeMillis
    const old = claimed.filter(
      ({ submittedAtMs = 0 }) => ageOf(nowMs, submittedAtMs) > settings.clearanceLifetimeMillis
    )
    const blocked = new Map<string, "listed" | "unavailable">()
    // One request for all of them. Only if it fails is each intent screened alone, to find the one that is listed.
    if (old.length === 0 || (yield* clearance(client, old)) === "clear") return blocked
    const verdicts = yield* Effect.forEach(
      old,
      (intent) => Effect.map(clearance(client, [intent]), (verdict) => ({ id: intent.id, verdict })),
      { concurrency: "unbounded" }
    )
    for (const { id, verdict } of verdicts) if (verdict !== "clear") blocked.set(id, verdict)
    return blocked
  })
})
