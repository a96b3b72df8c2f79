/** Health of a chain's endpoints: which of them failed a moment ago, which have an old head, and which are busy. */
import { Clock, Effect } from "effect"
import type { Priority } from "../../../ports/shared/Priority.ts"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"
import type { PacedEndpoint } from "./Paced.ts"

/** Cooldown of an endpoint that failed or was overtaken, in milliseconds. */
const COOLDOWN_MILLIS = 10_000

/** Nodes behind a load balancer may differ by two blocks. */
const TOLERATED_BLOCKS = 2n

/** A recorded height expires after this many milliseconds. */
const HEIGHT_LIFETIME_MILLIS = 60_000

/** A failure is forgotten after this many milliseconds, so that an endpoint that nobody asked since is asked again. */
const FAILURE_LIFETIME_MILLIS = 30_000

interface Standing {
  avoidedUntil: number
  /** Time of the last failure, if there was no answer since. */
  failedAt: number | undefined
  height: bigint
  heightAt: number
}

export interface Health {
  /** The endpoints as configured. Each records its failures and successes here. */
  readonly endpoints: ReadonlyArray<PacedEndpoint>
  /** Starts the cooldown of an endpoint. */
  readonly avoid: (endpoint: Endpoint) => Effect.Effect<void>
  readonly recordHeight: (endpoint: Endpoint, height: bigint) => Effect.Effect<void>
  /** True when the endpoint's head is below the highest known head. */
  readonly isBehind: (endpoint: Endpoint) => Effect.Effect<boolean>
  /** Endpoints outside a cooldown. */
  readonly available: Effect.Effect<ReadonlyArray<PacedEndpoint>>
  /**
   * Endpoints to ask, best first: those without trouble, then those with an old head, then those in a cooldown. Among equals, the
   * one that can be asked soonest comes first, then the preferred one.
   */
  readonly ordered: (priority: Priority, now: number) => ReadonlyArray<PacedEndpoint>
  /** Those of `ordered` that have the newest known head, or whose head is not known. */
  readonly newest: (priority: Priority, now: number) => ReadonlyArray<PacedEndpoint>
  /** False if each endpoint failed at its last request, in the last 30 seconds. */
  readonly isAnswering: Effect.Effect<boolean>
}

const isAvoided = ({ avoidedUntil }: Standing, now: number): boolean => avoidedUntil > now

const knownHeight = ({ height, heightAt }: Standing, now: number): bigint | undefined =>
  now - heightAt < HEIGHT_LIFETIME_MILLIS ? height : undefined

/** Wraps an endpoint so that each of its answers and failures reaches `record`. */
const observed = (
  endpoint: PacedEndpoint,
  record: (outcome: "answered" | "failed") => Effect.Effect<void>
): PacedEndpoint => {
  const noted = <A>(answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
    answer.pipe(
      Effect.tapError((failure) => (failure._tag === "EndpointFailed" ? record("failed") : Effect.void)),
      Effect.tap(() => record("answered"))
    )
  return {
    name: endpoint.name,
    waitMillis: endpoint.waitMillis,
    request: (method, params) => noted(endpoint.request(method, params)),
    requestAll: (lookups) => noted(endpoint.requestAll(lookups))
  }
}

export const make = (bare: ReadonlyArray<PacedEndpoint>): Health => {
  const standings = new Map<Endpoint, Standing>()

  const update = (endpoint: Endpoint, change: (standing: Standing, now: number) => void) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const standing = standings.get(endpoint)
      if (standing !== undefined) change(standing, now)
    })

  const avoid = (endpoint: Endpoint) =>
    update(endpoint, (standing, now) => {
      standing.avoidedUntil = now + COOLDOWN_MILLIS
    })

  const endpoints = bare.map((endpoint) => {
    const self: PacedEndpoint = observed(endpoint, (outcome) =>
      update(self, (standing, now) => {
        standing.avoidedUntil = outcome === "failed" ? now + COOLDOWN_MILLIS : 0
        standing.failedAt = outcome === "failed" ? now : undefined
      })
    )
    standings.set(self, { avoidedUntil: 0, failedAt: undefined, height: 0n, heightAt: 0 })
    return self
  })

  const highest = (now: number): bigint => {
    let top = 0n
    for (const standing of standings.values()) {
      const height = isAvoided(standing, now) ? undefined : knownHeight(standing, now)
      if (height !== undefined && height > top) top = height
    }
    return top
  }

  const isBehind = (endpoint: Endpoint, now: number, tolerance: bigint): boolean => {
    const standing = standings.get(endpoint)
    const height = standing === undefined ? undefined : knownHeight(standing, now)
    return height !== undefined && height + tolerance < highest(now)
  }

  const isCoolingDown = (endpoint: Endpoint, now: number): boolean => {
    const standing = standings.get(endpoint)
    return standing !== undefined && isAvoided(standing, now)
  }

  const ordered: Health["ordered"] = (priority, now) => {
    if (endpoints.length === 1) return endpoints
    const trouble = (endpoint: Endpoint): number =>
      isCoolingDown(endpoint, now) ? 2 : isBehind(endpoint, now, TOLERATED_BLOCKS) ? 1 : 0
    return endpoints
      .map((endpoint) => ({ endpoint, trouble: trouble(endpoint), wait: endpoint.waitMillis(priority, now) }))
      .toSorted((a, b) => a.trouble - b.trouble || a.wait - b.wait)
      .map(({ endpoint }) => endpoint)
  }

  return {
    endpoints,
    avoid,
    recordHeight: (endpoint, height) =>
      update(endpoint, (standing, now) => {
        standing.height = height
        standing.heightAt = now
      }),
    isBehind: (endpoint) => Effect.map(Clock.currentTimeMillis, (now) => isBehind(endpoint, now, 0n)),
    available: Effect.map(Clock.currentTimeMillis, (now) =>
      endpoints.filter((endpoint) => !isCoolingDown(endpoint, now))
    ),
    ordered,
    newest: (priority, now) => {
      const list = ordered(priority, now)
      return endpoints.length === 1 ? list : list.filter((endpoint) => !isBehind(endpoint, now, 0n))
    },
    isAnswering: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const { failedAt } of standings.values()) {
        if (failedAt === undefined || now - failedAt >= FAILURE_LIFETIME_MILLIS) return true
      }
      return standings.size === 0
    })
  }
}
