/**
 * Refreshes the sanctions list that the service keeps, in a loop. Each replica has a list of its own, and an alert of its own while that
 * list is older than a day, so that no replica clears the alert of another one.
 */
import { Clock, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SanctionsList from "../../domain/SanctionsList.ts"
import { SanctionsLists } from "../../ports/orchestrator/SanctionsLists.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Background from "../../runtime/Background.ts"
import { onlyIn } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const KIND = "sanctions_list_stale"

/** Pause after a refresh that failed, and between two reviews of the list's age. */
const RETRY_MILLIS = 300_000

export interface Options {
  /** Pause after a successful refresh. */
  readonly intervalMillis: number
}

/** Raises this replica's alert while its list is stale, and clears it when it is not. */
const review = Effect.fnUntraced(function* (replica: string, lastFailure: string | undefined) {
  const alerts = yield* StandingAlerts
  const { age } = yield* SanctionsLists
  const key = `${KIND}:${replica}`
  const known = yield* age
  const now = yield* Clock.currentTimeMillis
  if (Option.isNone(known) || !SanctionsList.isStale(known.value.checkedAt, now)) return yield* alerts.clear(key)
  const { checkedAt, detail: refused } = known.value
  const reasons = [lastFailure, refused].filter((reason) => reason !== undefined)
  const hours = checkedAt === undefined ? undefined : Math.floor((now - checkedAt) / 3_600_000)
  yield* alerts.raise({
    key,
    severity: checkedAt === undefined ? "critical" : "warning",
    kind: KIND,
    message: `The sanctions list ${hours === undefined ? "was never read" : `is ${hours} hours old`}. A list that is a week old, or was never read, blocks every quote and submission. Check OFAC_SNAPSHOT_URL and OFAC_SNAPSHOT.`,
    details: {
      replica,
      reviewedAtMs: now,
      ...(hours === undefined ? {} : { ageHours: hours }),
      ...(reasons.length === 0 ? {} : { detail: reasons.join("; ") })
    }
  })
})

/** Clears the alerts of replicas that no longer run. */
const clearAbandoned = Effect.gen(function* () {
  const alerts = yield* Alerts
  const now = yield* Clock.currentTimeMillis
  const standing = yield* alerts.list
  yield* Effect.forEach(
    standing.filter(({ details, kind }) => kind === KIND && SanctionsList.isAbandoned(details["reviewedAtMs"], now)),
    ({ key }) => alerts.clear(key),
    { discard: true }
  )
})

/** Runs while the layer lives, in processes that screen. The first round begins at once. */
export const layer = ({ intervalMillis }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { refresh } = yield* SanctionsLists
      const replica = yield* (yield* SecureRandom.SecureRandom).uuidV4()
      let nextAtMillis = Number.NEGATIVE_INFINITY
      let lastFailure: string | undefined

      const refreshed = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const outcome = yield* Effect.result(refresh)
        if (outcome._tag === "Failure") {
          lastFailure = outcome.failure.detail
          nextAtMillis = now
          return yield* Effect.annotateLogs(Effect.logWarning("sanctions.refresh_failed"), { detail: lastFailure })
        }
        lastFailure = undefined
        const addresses = Option.getOrUndefined(outcome.success)
        nextAtMillis = addresses === undefined ? now : now + intervalMillis
        if (addresses !== undefined) {
          yield* Effect.annotateLogs(Effect.logInfo("sanctions.refreshed"), { addresses })
        }
      })
      const round = Effect.gen(function* () {
        if ((yield* Clock.currentTimeMillis) >= nextAtMillis) yield* refreshed
        yield* review(replica, lastFailure)
        yield* clearAbandoned
      })
      yield* Background.loop(
        Background.supervisor("sanctions refresh"),
        { pauseMillis: Effect.succeed(Math.min(RETRY_MILLIS, intervalMillis)) },
        round
      )
    })
  ).pipe(Layer.provide(StandingAlerts.layer), onlyIn("api", "relay"))
