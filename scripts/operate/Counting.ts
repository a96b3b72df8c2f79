/** Counts of requests, which replicas share in Redis and keep alone while it is away. */
import { Effect, Schedule } from "effect"
import type { Scene } from "./Drill.ts"
import { must } from "./Report.ts"
import type { Redis } from "./Redis.ts"
import type { Service } from "./Replica.ts"

/** Requests of one client to each replica. Two replicas together exceed the backend's limit of 100 for API keys, and one does not. */
const EACH = 60

const CONCURRENCY = 6

/** Requests that are counted by the client's address, and cost little. */
const REQUESTS: Readonly<Record<Service, { readonly method: string; readonly path: string }>> = {
  orchestrator: { method: "GET", path: "/intents/00000000-0000-4000-8000-000000000000" },
  "builder-backend": { method: "POST", path: "/attribute" }
}

/** A replica waits 50 ms for Redis, which a busy machine may exceed. Then the next client is counted. */
const untilShared = { schedule: Schedule.spaced("2 seconds"), times: 15 }

interface Counted {
  /** Requests that the limits of the replicas counted, at most. */
  readonly counted: number
  readonly refused: number
  readonly failed: number
}

/** Time without Redis that is worth an alert, in seconds. */
const AWAY_SECONDS = 30

let clients = 0

/** Sends requests of a new client to all replicas of a service by turns, and reads the replicas' headers about its limit. */
const counts = ({ replicas }: Scene, service: Service) =>
  Effect.gen(function* () {
    const urls = replicas.urls(service)
    const { method, path } = REQUESTS[service]
    const client = `203.0.113.${++clients % 256}`
    const ask = (url: string) =>
      Effect.promise(async () => {
        const { headers, status } = await fetch(`${url}${path}`, { method, headers: { "x-forwarded-for": client } })
        const quota = Number(/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1])
        const left = Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])
        return { status, counted: quota - left }
      })
    const all = Array.from({ length: EACH }, () => urls).flat()
    const answers = yield* Effect.forEach(all, ask, { concurrency: CONCURRENCY })
    return {
      counted: Math.max(...answers.map(({ counted }) => counted)),
      refused: answers.filter(({ status }) => status === 429).length,
      failed: answers.filter(({ status }) => status >= 500).length
    } satisfies Counted
  })

const said = (seen: Readonly<Record<Service, Counted>>): string => JSON.stringify(seen)

const both = (scene: Scene) =>
  Effect.all({ orchestrator: counts(scene, "orchestrator"), "builder-backend": counts(scene, "builder-backend") })

/** Both services count the requests of both replicas together. */
const together = (scene: Scene) =>
  both(scene).pipe(
    Effect.tap((seen) =>
      must(
        seen.orchestrator.counted === 2 * EACH && seen["builder-backend"].refused === 2 * EACH - 100,
        `the replicas do not count together: ${said(seen)}`
      )
    ),
    Effect.retry(untilShared)
  )

/** Each replica counts alone, so that none is refused, and no request fails. */
const alone = (scene: Scene) =>
  Effect.gen(function* () {
    const seen = yield* both(scene)
    const isAlone = seen.orchestrator.counted === EACH && seen["builder-backend"].refused === 0
    const failed = seen.orchestrator.failed + seen["builder-backend"].failed
    yield* must(isAlone && failed === 0, `without Redis: ${said(seen)}`)
  })

/** Kills Redis and starts it again. Says how the counts were in between. */
export const survived = (scene: Scene, redis: Redis) =>
  Effect.gen(function* () {
    yield* together(scene)
    // The first request of a replica that finds Redis gone lets its replica count alone.
    const killed = Effect.andThen(redis.kill, both(scene))
    yield* scene.alarms.provoked(
      "redis_away",
      Effect.andThen(killed, alone(scene)),
      Effect.andThen(redis.startAgain, together(scene)),
      AWAY_SECONDS
    )
    yield* scene.traffic.more(3)
    return `${2 * EACH} requests of a client counted together, ${EACH} by each replica alone, and together again`
  })
