/** Refreshes the sanctions list that the service keeps, in a loop. An alert stands while the newest list is older than a day. */
import { Clock, Effect, Layer, Option } from "effect"
import * as SanctionsList from "../../domain/SanctionsList.ts"
import { SanctionsLists } from "../../ports/orchestrator/SanctionsLists.ts"
import * as Background from "../../runtime/Background.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const KIND = "sanctions_list_stale"

/** Pause after a refresh that failed, and between two looks at the age of a file. */
const RETRY_MILLIS = 300_000

export interface Options {
  /** Pause after a successful refresh. */
  readonly intervalMillis: number
}

/** Raises the alert while the list is stale, and clears it when it is not. */
const review = (lastFailure: string | undefined) =>
  Effect.gen(function* () {
    const alerts = yield* StandingAlerts
    const { age } = yield* SanctionsLists
    const known = yield* age
    const now = yield* Clock.currentTimeMillis
    if (Option.isNone(known) || !SanctionsList.isStale(known.value.checkedAt, now)) return yield* alerts.clear(KIND)
    const { checkedAt } = known.value
    const hours = checkedAt === undefined ? undefined : Math.floor((now - checkedAt) / 3_600_000)
    yield* alerts.raise({
      key: KIND,
      severity: checkedAt === undefined ? "critical" : "warning",
      kind: KIND,
      message: `The sanctions list ${hours === undefined ? "was never read" : `is ${hours} hours old`}. A list that is a week old, or was never read, blocks every quote and submission. Check OFAC_SNAPSHOT_URL and OFAC_SNAPSHOT.`,
      details: {
        ...(hours === undefined ? {} : { ageHours: hours }),
        ...(lastFailure === undefined ? {} : { detail: lastFailure })
      }
    })
  })

/** Runs while the layer lives. The first round begins at once. */
export const layer = ({ intervalMillis }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { refresh } = yield* SanctionsLists
      let pauseMillis = RETRY_MILLIS
      const round = Effect.gen(function* () {
        const refreshed = yield* Effect.result(refresh)
        if (refreshed._tag === "Failure") {
          const { detail } = refreshed.failure
          pauseMillis = RETRY_MILLIS
          yield* Effect.annotateLogs(Effect.logWarning("sanctions.refresh_failed"), { detail })
          return yield* review(detail)
        }
        const addresses = Option.getOrUndefined(refreshed.success)
        pauseMillis = addresses === undefined ? RETRY_MILLIS : intervalMillis
        if (addresses !== undefined) {
          yield* Effect.annotateLogs(Effect.logInfo("sanctions.refreshed"), { addresses })
        }
        yield* review(undefined)
      })
      yield* Background.loop(
        Background.supervisor("sanctions refresh"),
        { pauseMillis: Effect.sync(() => pauseMillis) },
        round
      )
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
