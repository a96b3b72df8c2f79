/** Checks everything that the orchestrator depends on, for operators and load balancers. */
import { Context, Duration, Effect, Layer, Option } from "effect"
import type { Health } from "../../domain/Health.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Outbox } from "../../ports/orchestrator/Outbox.ts"
import { StoreProbe } from "../../ports/shared/Store.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type ProviderState, ProviderStates } from "../../ports/shared/ProviderStates.ts"
import * as ChainHealth from "./ChainHealth.ts"
import { answered, condition, worst } from "./Probe.ts"
import { type ProviderProbe, ProviderProbes } from "./ProviderProbes.ts"

const CONCURRENTLY = { concurrency: "unbounded" } as const

export class HealthCheck extends Context.Service<
  HealthCheck,
  {
    /** Never fails: a part that does not answer is reported as down. */
    readonly check: Effect.Effect<Health>
  }
>()("sweep/orchestrator/HealthCheck") {
  static readonly layer = Layer.effect(
    HealthCheck,
    Effect.gen(function* () {
      const chains = yield* Chains
      const databaseHealth = yield* makeDatabaseHealth
      const laneHealth = yield* ChainHealth.makeLaneHealth
      const probes = yield* ProviderProbes
      const relayingHealth = yield* ChainHealth.makeRelayingHealth
      const states = yield* ProviderStates

      const check = Effect.fn("HealthCheck.check")(function* () {
        const [stored, chainParts, laneParts, relayParts, probed, asked] = yield* Effect.all(
          [
            databaseHealth,
            Effect.forEach(chains.all, (client) => ChainHealth.chainHealth(client, 0), CONCURRENTLY),
            Effect.map(Effect.forEach(chains.all, laneHealth, CONCURRENTLY), (perChain) => perChain.flat()),
            Effect.forEach(chains.all, relayingHealth, CONCURRENTLY),
            Effect.forEach(probes, providerHealth, CONCURRENTLY),
            Effect.map(states.all, (all) => all.map(requestsHealth))
          ],
          CONCURRENTLY
        )
        const relaying = relayParts.map((part, index) => ({
          ...part,
          sends: part.status === "ok" && chainParts[index]?.status === "ok"
        }))
        const providers = [...probed, ...asked]
        const parts = [...chainParts, ...laneParts, ...relaying, ...providers]
        const status = worst([
          stored.database.status,
          stored.queues.outboxRejected > 0 ? "degraded" : "ok",
          ...parts.map((part) => part.status)
        ])
        return { status, ...stored, chains: chainParts, lanes: laneParts, relaying, providers }
      })

      return { check: check() }
    })
  )
}

const providerHealth = ({ name, probe }: ProviderProbe) =>
  Effect.map(answered(probe), (answer) => ({ name, status: condition(Option.isSome(answer) ? "ok" : "down") }))

const secondsOf = (millis: number): number => Math.ceil(millis / 1_000)

/** The services of one kind stand in for each other, so the loss of one degrades the service and does not stop it. */
const requestsHealth = ({
  lastFailure,
  lastSuccessAgeMillis,
  name,
  retryAfterMillis,
  state,
  ...counts
}: ProviderState) => ({
  name,
  status: condition(state === "closed" ? "ok" : "degraded"),
  requests: {
    ...counts,
    state,
    retryAfterSeconds: secondsOf(retryAfterMillis),
    lastSuccessAgeSeconds: lastSuccessAgeMillis === undefined ? null : Math.floor(lastSuccessAgeMillis / 1_000),
    lastFailure: lastFailure ?? null
  }
})

/** Makes the check of the database: its latency, and the lengths of the queues in it. */
const makeDatabaseHealth = Effect.gen(function* () {
  const intents = yield* Intents
  const outbox = yield* Outbox
  const probe = yield* StoreProbe

  const queues = Effect.gen(function* () {
    yield* probe
    const [elapsed, counts] = yield* Effect.timed(intents.counts)
    const messages = yield* outbox.counts
    return {
      latencyMs: Math.round(Duration.toMillis(elapsed)),
      queues: {
        quoted: counts.quoted,
        submitted: counts.submitted,
        settledSource: counts.settled_source,
        outboxPending: messages.pending,
        outboxRejected: messages.rejected
      }
    }
  })

  return Effect.map(answered(queues), (answer) => ({
    database: {
      status: condition(Option.isSome(answer) ? "ok" : "down"),
      latencyMs: Option.getOrNull(Option.map(answer, ({ latencyMs }) => latencyMs))
    },
    queues: Option.match(answer, {
      onNone: () => ({ quoted: 0, submitted: 0, settledSource: 0, outboxPending: 0, outboxRejected: 0 }),
      onSome: ({ queues }) => queues
    })
  }))
})
