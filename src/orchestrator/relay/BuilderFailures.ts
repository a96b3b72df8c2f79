/** Alerts about builders whose sweeps fail too often on chain. Failures count on all chains together. */
import { Clock, Effect } from "effect"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Interval from "../shared/Interval.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

const KIND = "builder_failing"

/** Interval of reviews, and so the longest time that an alert stands after its cause is gone, in milliseconds. */
const REVIEW_MILLIS = 10_000

/**
 * Makes `note(failures)`, which raises the alert of each builder with too many failures in the window, and `review(client)`, which
 * clears those of builders with fewer. A review needs no sweep of the builder, which the operator may have suspended, and any relayer
 * makes it, whatever its chain.
 */
export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const intents = yield* Intents
  const { failureBudget } = (yield* OrchestratorSettings).relayer
  const isDue = Interval.make<typeof KIND>(REVIEW_MILLIS)

  const note = Effect.fnUntraced(function* (failing: ReadonlyMap<string, number>) {
    for (const [builderId, failures] of failing) {
      if (failures < failureBudget.builder) continue
      yield* alerts.raise({
        key: `${KIND}:${builderId}`,
        severity: "warning",
        kind: KIND,
        message: `Many sweeps of builder ${builderId} failed on chain in the last hour. Sweeps of other owners go on. If the builder's API key is abused, ask the builder to rotate it.`,
        details: { builderId, failures }
      })
    }
  })

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    if (!(yield* isDue(KIND))) return
    const standing = (yield* alerts.list).flatMap(({ details, key, kind }) =>
      kind === KIND ? [{ key, builderId: String(details["builderId"]) }] : []
    )
    if (standing.length === 0) return
    const { builders } = yield* intents.burned({
      chainId: chain.id,
      owners: [],
      builders: standing.map(({ builderId }) => builderId),
      sinceMs: (yield* Clock.currentTimeMillis) - failureBudget.windowMillis
    })
    for (const { builderId, key } of standing) {
      if ((builders.get(builderId) ?? 0) < failureBudget.builder) yield* alerts.clear(key)
    }
  })

  return { note, review }
})
