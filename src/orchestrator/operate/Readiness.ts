/** Tells load balancers if this process can serve anything. Cheaper than the whole health check, since anybody may ask. */
import { Context, Effect, Layer, Option } from "effect"
import type { ChainReadiness, EssentialPart } from "../../domain/Readiness.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { StoreProbe } from "../../ports/shared/Store.ts"
import { recent } from "../../runtime/Recent.ts"
import { chainHealth } from "./ChainHealth.ts"
import { answered } from "./Probe.ts"

/** Time for which a result answers further requests, in milliseconds. */
const FRESH_MILLIS = 1_000

/** Age of a head that still shows that a chain answers, in milliseconds. Frequent probes must not use up a node's budget. */
const HEAD_MILLIS = 10_000

const CONCURRENTLY = { concurrency: "unbounded" } as const

export interface Report {
  /** Empty if the process can serve. */
  readonly unready: ReadonlyArray<EssentialPart>
  readonly chains: ReadonlyArray<ChainReadiness>
}

export class Readiness extends Context.Service<
  Readiness,
  {
    /** Never fails. Not ready without a database that takes writes, and if no chain can be served. */
    readonly check: Effect.Effect<Report>
  }
>()("sweep/orchestrator/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const { all } = yield* Chains
      const probe = yield* StoreProbe
      const check = Effect.gen(function* () {
        const [stored, health] = yield* Effect.all(
          [answered(probe), Effect.forEach(all, (client) => chainHealth(client, HEAD_MILLIS), CONCURRENTLY)],
          CONCURRENTLY
        )
        const chains = health.map(({ id, missingContracts, name, status }) => ({
          id,
          name,
          ready: status !== "down",
          missingContracts
        }))
        const unready: ReadonlyArray<EssentialPart> = [
          ...(Option.isSome(stored) ? [] : (["database"] as const)),
          ...(chains.some(({ ready }) => ready) ? [] : (["chains"] as const))
        ]
        return { unready, chains }
      })
      return { check: yield* recent(FRESH_MILLIS)(check) }
    })
  )
}
