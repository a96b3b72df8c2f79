/**
 * {@link BuilderAttribution} with an alert while attributions fail, since quotes are offered without the builder's markup then. A probe
 * sees the failure and its end also while nobody asks for quotes. A backend that takes the token of this process for a wrong one serves a few
 * requests a minute and refuses the rest, so a good answer alone does not end the alert.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import * as FailureSeries from "../../domain/FailureSeries.ts"
import { BuilderAttribution } from "../../ports/orchestrator/BuilderAttribution.ts"
import * as Background from "../../runtime/Background.ts"
import { ProcessShare } from "./ProcessShare.ts"
import { RenewedAlerts } from "./RenewedAlerts.ts"

const KIND = "attribution_unavailable"

/** Pause between two rounds, in milliseconds. */
const PAUSE_MILLIS = 10_000

const RULES: FailureSeries.Rules = { lastingMillis: 60_000, quietMillis: 90_000 }

/** A round fails if more than one in this many attributions failed, and at least {@link FEWEST_FAILURES}, or if the probe did. */
const TOLERATED_SHARE = 10

/** Fewer failures may be due to their requests. Until there are as many, up to {@link COUNTED_ROUNDS} are counted together. */
const FEWEST_FAILURES = 3

/** Most rounds whose attributions are counted together: one minute. */
const COUNTED_ROUNDS = 6

const NONE = { rounds: 0, asked: 0, failed: 0 }

/** Belongs to no builder. */
const PROBE = Redacted.make("health probe")

/** Makes `resolve`, which counts outcomes, and `review`, one round. */
const make = Effect.gen(function* () {
  const attribution = yield* BuilderAttribution
  const alerts = yield* RenewedAlerts
  /** Attributions of the last rounds and since. */
  let counts = NONE
  let series: FailureSeries.Series | undefined

  const count = (failed: 0 | 1) =>
    Effect.sync(() => {
      counts = { ...counts, asked: counts.asked + 1, failed: counts.failed + failed }
    })

  const resolve: BuilderAttribution["Service"]["resolve"] = (apiKey) =>
    attribution.resolve(apiKey).pipe(
      Effect.tap(() => count(0)),
      Effect.tapError(() => count(1))
    )

  const review = Effect.gen(function* () {
    const problem = yield* Effect.match(attribution.resolve(PROBE), {
      onFailure: ({ detail }) => detail,
      onSuccess: () => undefined
    })
    const { asked, failed } = counts
    const rounds = counts.rounds + 1
    const areEnough = failed >= FEWEST_FAILURES
    counts = areEnough || rounds >= COUNTED_ROUNDS ? NONE : { ...counts, rounds }
    const isFailing = problem !== undefined || (areEnough && failed * TOLERATED_SHARE > asked)
    series = FailureSeries.next(series, isFailing, yield* Clock.currentTimeMillis, RULES)
    if (series === undefined) return yield* alerts.end(KIND)
    if (!series.lasts) return
    yield* alerts.raise({
      key: KIND,
      severity: "critical",
      kind: KIND,
      message:
        "Attributions of quotes fail for over a minute: the quotes are offered without the builder's markup, and the builders lose it. Check that the builder backend answers, BUILDER_URL, and that BUILDER_ADMIN_TOKEN is a token that the backend accepts. The log event quote.unattributed has the reason.",
      details: problem === undefined ? {} : { detail: problem }
    })
  })

  return { resolve, review }
})

/** Wraps the {@link BuilderAttribution} of its context. Reviews it in processes that quote. */
export const layer = Layer.effect(
  BuilderAttribution,
  Effect.gen(function* () {
    const { resolve, review } = yield* make
    if ((yield* ProcessShare).roles.has("api")) {
      yield* Background.loop(Background.supervisor("attribution review"), { pauseMillis: PAUSE_MILLIS }, review)
    }
    return BuilderAttribution.of({ resolve })
  })
).pipe(Layer.provide(RenewedAlerts.layerOnDemand))
