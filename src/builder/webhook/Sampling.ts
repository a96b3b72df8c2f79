/** Gauges of the builder backend: webhooks that wait, alerts, and the pool of the database. */
import { Clock, Effect, Layer } from "effect"
import { WebhookBacklog } from "../../ports/builder/WebhookBacklog.ts"
import type { Alerts } from "../../ports/shared/Alerts.ts"
import * as Sampling from "../../runtime/Sampling.ts"
import { WEBHOOKS_LATE, WEBHOOKS_OLDEST, WEBHOOKS_PENDING } from "../../telemetry/metrics/Queues.ts"

const webhooks = Effect.gen(function* () {
  const { lateSinceMs, oldestMs, waiting } = yield* (yield* WebhookBacklog).read
  const now = yield* Clock.currentTimeMillis
  yield* WEBHOOKS_PENDING.record(waiting, {})
  yield* WEBHOOKS_OLDEST.record(Sampling.ageOf(oldestMs, now), {})
  yield* WEBHOOKS_LATE.record(Sampling.ageOf(lateSinceMs, now), {})
})

const poolWait = Effect.flatMap(WebhookBacklog, ({ poolWaitMillis }) => Sampling.poolWait(poolWaitMillis))

/** Everything that the loop reads. */
export const samples: ReadonlyArray<Sampling.Sample<Alerts | WebhookBacklog>> = [webhooks, Sampling.alerts, poolWait]

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(Sampling.run(samples))
