/**
 * {@link Screening} that survives a busy minute: while a source does not answer, addresses that were cleared less than
 * `clearanceLifetimeMillis` ago still pass. The sources are asked each time, so that a new listing blocks at once. Refusals for
 * want of an answer raise an alert until the sources answer again. Processes have sources of their own, such as their copies of lists,
 * so that a process without refusals does not clear the alert of another one.
 */
import { Clock, Effect, Layer } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import * as Background from "../../runtime/Background.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import { ProcessShare } from "./ProcessShare.ts"
import { RenewedAlerts } from "./RenewedAlerts.ts"

/** Clearances that are kept. Beyond them the oldest is forgotten. */
const CAPACITY = 100_000

/** Pause between two reviews of chains whose screening was unanswered. */
const REVIEW_PAUSE_MILLIS = 5_000

const alertKey = (chainId: ChainId): string => `screening_unavailable:${chainId}`

const keyOf = (chainId: ChainId, address: Address.Address): string => `${chainId}:${address}`

/** Times of clearances. */
const makeClearances = (lifetimeMillis: number) => {
  const clearedAt = LatestMap.make<string, number>(CAPACITY)
  return {
    keep: (keys: ReadonlyArray<string>, now: number) => {
      for (const key of keys) clearedAt.set(key, now)
    },
    forget: (keys: ReadonlyArray<string>) => {
      for (const key of keys) clearedAt.delete(key)
    },
    covers: (keys: ReadonlyArray<string>, now: number) =>
      keys.every((key) => ageOf(now, clearedAt.get(key) ?? Number.NEGATIVE_INFINITY) < lifetimeMillis)
  }
}

/**
 * Raises and clears the alert of each chain. A review asks again, so that one lost answer raises nothing. An alert that its process
 * no longer renews is taken over by any other one, which asks its own sources.
 */
const makeReview = Effect.fnUntraced(function* (screening: Screening["Service"], unanswered: Set<ChainId>) {
  const alerts = yield* RenewedAlerts
  const { all } = yield* Chains

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient, isLeft: boolean) {
    if (!unanswered.has(chain.id) && !isLeft) return
    // Sources keep requests for submissions. While only quotes are refused, there is nothing to alert of.
    const answer = yield* screening.clear(chain.id, [chain.feeRecipient]).pipe(Priority.at("intake"), Effect.result)
    if (answer._tag === "Failure" && answer.failure.cause === "unavailable") {
      unanswered.add(chain.id)
      return yield* alerts.raise({
        key: alertKey(chain.id),
        kind: "screening_unavailable",
        severity: "critical",
        message: `Sanctions screening on ${chain.name} is unanswered: quotes and submissions are refused unless their parties were cleared a moment ago. The log event screening.unavailable names the source. Check the nodes of the chain, its sanctionsOracle, OFAC_SNAPSHOT_URL, OFAC_SNAPSHOT and CHAINALYSIS_API_KEY.`,
        details: { chainId: chain.id }
      })
    }
    unanswered.delete(chain.id)
    yield* alerts.end(alertKey(chain.id))
  })

  return Effect.flatMap(alerts.left, (keys) =>
    Effect.forEach(all, (client) => review(client, keys.has(alertKey(client.chain.id))), {
      concurrency: "unbounded",
      discard: true
    })
  )
})

/** Wraps the {@link Screening} of its context. */
export const layer = Layer.effect(
  Screening,
  Effect.gen(function* () {
    const screening = yield* Screening
    const clearances = makeClearances((yield* OrchestratorSettings).clearanceLifetimeMillis)
    /** Chains with a refusal for want of an answer since the last review that was answered. */
    const unanswered = new Set<ChainId>()

    const clear: Screening["Service"]["clear"] = Effect.fnUntraced(function* (chainId, addresses) {
      const keys = addresses.map((address) => keyOf(chainId, address))
      const outcome = yield* Effect.result(screening.clear(chainId, addresses))
      const now = yield* Clock.currentTimeMillis
      if (outcome._tag === "Success") return clearances.keep(keys, now)
      if (outcome.failure.cause === "listed") {
        clearances.forget(keys)
        return yield* outcome.failure
      }
      unanswered.add(chainId)
      if (clearances.covers(keys, now)) return yield* Effect.logInfo("screening.clearance_kept")
      return yield* outcome.failure
    })

    // The other roles screen nobody.
    const { roles } = yield* ProcessShare
    if (roles.has("api") || roles.has("relay")) {
      yield* Background.loop(
        Background.supervisor("screening review"),
        { pauseMillis: REVIEW_PAUSE_MILLIS },
        yield* makeReview(screening, unanswered)
      )
    }
    return Screening.of({ clear })
  })
).pipe(Layer.provide(RenewedAlerts.layerOnDemand))
