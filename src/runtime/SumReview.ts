/** Compares kept sums with their rows in a slow loop. An alert stands while they differ. */
import { Effect, Layer, Option } from "effect"
import { Alerts } from "../ports/shared/Alerts.ts"
import { KeptSums } from "../ports/shared/KeptSums.ts"
import * as Background from "./Background.ts"
import { within } from "./Within.ts"

/** Pause between two comparisons. They read whole tables. */
const PAUSE_MILLIS = 3_600_000

/** Time after a start until the first comparison, so that processes that start again and again do not compare. */
const DELAY = "1 minute"

/** Time after which a database that hangs is given up. */
const LIMIT = "10 minutes"

const review = Effect.gen(function* () {
  const alerts = yield* Alerts
  const { differences, names } = yield* KeptSums
  const answer = yield* within(LIMIT)(differences)
  if (Option.isNone(answer)) return yield* Effect.logWarning("sums.unanswered")
  const found = answer.value
  if (Option.isNone(found)) return
  for (const name of names) {
    const key = `kept_sums_differ:${name}`
    const difference = found.value.find(({ sums }) => sums === name)
    if (difference === undefined) {
      yield* alerts.clear(key)
      continue
    }
    const { counted, kept, key: sum, wrong } = difference
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "kept_sums_differ",
      message: `${wrong} of the sums that are kept of the ${name} differ from their rows. The first: ${sum} is kept as ${kept}, and its rows add up to ${counted}. Correct the sum.`,
      details: { sums: name, key: sum, kept, counted, wrong }
    })
  }
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const admission = yield* Effect.cached(Effect.sleep(DELAY))
    yield* Background.loop(Background.supervisor("sum review"), { pauseMillis: PAUSE_MILLIS, admission }, review)
  })
)
