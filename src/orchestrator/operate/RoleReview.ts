/**
 * Beats for the posts of this process, and raises an alert for each post that no living process has, such as the relayer of a chain whose
 * deployment was forgotten. Every process reviews all posts.
 */
import { Clock, Effect, Layer } from "effect"
import { abandoned, nameOf, type Post, postsOf, WHOLE } from "../../domain/Role.ts"
import { Heartbeats } from "../../ports/orchestrator/Heartbeats.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Background from "../../runtime/Background.ts"
import { LoopProgress } from "../../runtime/LoopProgress.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Heartbeats within a lifetime. */
const BEATS = 6

/** Lifetimes after which a round that does not end counts as hanging. Rounds wait for nodes, whose answers have time limits. */
const HANGING = 10

const alertOf = (post: Post, chain: ChainClient["chain"] | undefined, lifetimeMillis: number) => {
  const work = chain === undefined ? `the role ${post.role}` : `the role ${post.role} for ${chain.name}`
  const flags = [`--roles ${post.role}`, ...(chain === undefined ? [] : [`--chains ${chain.id}`])].join(" ")
  return {
    key: `role_unserved:${nameOf(post)}`,
    severity: "critical" as const,
    kind: "role_unserved" as const,
    message: `No process has run ${work} for ${lifetimeMillis / 1000} seconds. Start one: ./sweep orchestrator ${flags}. If one lives and logs role.hanging, restart it.`,
    details: {
      role: post.role,
      ...(chain === undefined ? {} : { chainId: chain.id }),
      lifetimeSeconds: lifetimeMillis / 1000
    }
  }
}

/** Makes one round: the heartbeat, and the review once this process has beaten for a lifetime without a gap. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const chains = (yield* Chains).all.map(({ chain }) => chain)
  const { ages, beat } = yield* Heartbeats
  const { overdue } = yield* LoopProgress
  const { lifetimeMillis } = (yield* OrchestratorSettings).roles
  const ids = chains.map(({ id }) => id)
  const own = postsOf(yield* ProcessShare, ids)
  const all = postsOf(WHOLE, ids)
  let steadySinceMs = Number.POSITIVE_INFINITY
  let beatenAtMs = Number.NEGATIVE_INFINITY

  /** False for a post with a loop that hangs, for which this process then shows no sign of life. */
  const isWorking = Effect.fnUntraced(function* (post: Post) {
    const overdueMillis = yield* overdue(nameOf(post))
    const hangs = overdueMillis > HANGING * lifetimeMillis
    if (hangs) yield* Effect.annotateLogs(Effect.logError("role.hanging"), { role: nameOf(post), overdueMillis })
    return !hangs
  })

  return Effect.gen(function* () {
    yield* beat(yield* Effect.filter(own, isWorking))
    const now = yield* Clock.currentTimeMillis
    // After a start, and after an outage of the database, the others have had no chance to beat.
    if (now - beatenAtMs > lifetimeMillis / 2) steadySinceMs = now
    beatenAtMs = now
    if (now - steadySinceMs < lifetimeMillis) return
    const missing = new Set(abandoned(all, yield* ages, lifetimeMillis))
    for (const post of all) {
      const alert = alertOf(
        post,
        chains.find(({ id }) => id === post.chainId),
        lifetimeMillis
      )
      yield* missing.has(post) ? alerts.raise(alert) : alerts.clear(alert.key)
    }
  }).pipe(Effect.withSpan("RoleReview.round"))
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { lifetimeMillis } = (yield* OrchestratorSettings).roles
    yield* Background.loop(Background.supervisor("roles"), { pauseMillis: lifetimeMillis / BEATS }, yield* make)
  })
).pipe(Layer.provide(StandingAlerts.layer))
