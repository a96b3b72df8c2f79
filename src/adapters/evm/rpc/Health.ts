/** Health of a chain's endpoints: which of them failed a moment ago, and which have an old head. */
import { Clock, Effect } from "effect"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"

/** Cooldown of an endpoint that failed or was overtaken, in milliseconds. */
const COOLDOWN_MILLIS = 10_000

/** Nodes behind a load balancer may differ by two blocks. */
const TOLERATED_BLOCKS = 2n

/** A recorded height expires after this many milliseconds. */
const HEIGHT_LIFETIME_MILLIS = 60_000

interface Standing {
  avoidedUntil: number
  height: bigint
  heightAt: number
}

export interface Health {
  /** The endpoints as configured. Each records its failures and successes here. */
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Starts the cooldown of an endpoint. */
  readonly avoid: (endpoint: Endpoint) => Effect.Effect<void>
  readonly recordHeight: (endpoint: Endpoint, height: bigint) => Effect.Effect<void>
  /** True when the endpoint's head is below the highest known head. */
  readonly isBehind: (endpoint: Endpoint) => Effect.Effect<boolean>
  /** Endpoints outside a cooldown. */
  readonly available: Effect.Effect<ReadonlyArray<Endpoint>>
  /** Endpoints in configured order: first those without trouble, then those with an old head, then those in a cooldown. */
  readonly ordered: Effect.Effect<ReadonlyArray<Endpoint>>
}

const isAvoided = ({ avoidedUntil }: Standing, now: number): boolean => avoidedUntil > now

const knownHeight = ({ height, heightAt }: Standing, now: number): bigint | undefined =>
  now - heightAt < HEIGHT_LIFETIME_MILLIS ? height : undefined

/** Wraps an endpoint so that each of its answers and failures reaches `record`. */
const observed = (endpoint: Endpoint, record: (outcome: "answered" | "failed") => Effect.Effect<void>): Endpoint => {
  const noted = <A>(answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
    answer.pipe(
      Effect.tapError((failure) => (failure._tag === "EndpointFailed" ? record("failed") : Effect.void)),
      Effect.tap(() => record("answered"))
    )
  return {
    name: endpoint.name,
    request: (method, params) => noted(endpoint.request(method, params)),
    requestAll: (lookups) => noted(endpoint.requestAll(lookups))
  }
}

export const make = (bare: ReadonlyArray<Endpoint>): Health => {
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
    const self = observed(endpoint, (outcome) =>
      outcome === "failed"
        ? avoid(self)
        : update(self, (standing) => {
            standing.avoidedUntil = 0
          })
    )
    standings.set(self, { avoidedUntil: 0, height: 0n, heightAt: 0 })
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
    ordered: Effect.map(Clock.currentTimeMillis, (now) => {
      const rank = (endpoint: Endpoint): number =>
        isCoolingDown(endpoint, now) ? 2 : isBehind(endpoint, now, TOLERATED_BLOCKS) ? 1 : 0
      return endpoints.toSorted((a, b) => rank(a) - rank(b))
    })
  }
}
