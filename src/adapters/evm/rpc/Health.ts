/** Health of a chain's endpoints: which of them failed a moment ago, which have an old head, and which are busy. */
import { Clock, Deferred, Effect, Exit } from "effect"
import type { Priority } from "../../../ports/shared/Priority.ts"
import type { Endpoint, EndpointFailed, RpcFailure } from "./JsonRpc.ts"
import type { PacedEndpoint } from "./Paced.ts"

/** Cooldown of an endpoint that failed or was overtaken, in milliseconds. */
const COOLDOWN_MILLIS = 10_000

/** Nodes behind a load balancer may differ by two blocks. */
const TOLERATED_BLOCKS = 2n

/** A recorded height expires after this many milliseconds. */
const HEIGHT_LIFETIME_MILLIS = 60_000

/**
 * A head this many blocks above all known ones counts only after a new check of the endpoint's chain. The blocks that the chain may have made
 * since the highest known head was recorded are added.
 */
const FAR_BLOCKS = 100n

/** The shortest block time of the catalogue's chains. A lower limit would have honest heads of such a chain checked all the time. */
const BLOCK_TIME_MILLIS = 250

/** A failure is forgotten after this many milliseconds, so that an endpoint that nobody asked since is asked again. */
const FAILURE_LIFETIME_MILLIS = 30_000

const NOBODY: ReadonlySet<Endpoint> = new Set()

interface Standing {
  avoidedUntil: number
  /** Time of the last failure, if there was no answer since. */
  failedAt: number | undefined
  /** True if it served another chain, and has not answered since. */
  isElsewhere: boolean
  height: bigint
  heightAt: number
}

export interface Health {
  /** The endpoints as configured. Each records its failures and successes here. */
  readonly endpoints: ReadonlyArray<PacedEndpoint>
  /** Starts the cooldown of an endpoint. */
  readonly avoid: (endpoint: Endpoint) => Effect.Effect<void>
  /**
   * Records the height of the endpoint's head. One far above all known heads may be that of another chain, so the endpoint's chain is
   * then checked first. Calls that come during a check wait for it, and make another one only if their head is far above the checked one.
   * Fails without a record if the check fails.
   */
  readonly recordHeight: (endpoint: Endpoint, height: bigint) => Effect.Effect<void, RpcFailure>
  /** Height of the endpoint's head, if it was recorded in the last minute. */
  readonly heightOf: (endpoint: Endpoint) => Effect.Effect<bigint | undefined>
  /** True when the endpoint's head is below the highest known head. */
  readonly isBehind: (endpoint: Endpoint) => Effect.Effect<boolean>
  /** Endpoints outside a cooldown. */
  readonly available: Effect.Effect<ReadonlyArray<PacedEndpoint>>
  /**
   * Endpoints to ask, best first: those without trouble, then those with an old head, then those in a cooldown. Among equals, the
   * one that can be asked soonest comes first, then the preferred one. An endpoint that refuses `method` for
   * a while cannot be asked sooner.
   */
  readonly ordered: (priority: Priority, now: number, method?: string) => ReadonlyArray<PacedEndpoint>
  /**
   * Those of `ordered` that have the newest known head, or whose head is not known. The endpoints of `except` are left out, and their
   * heads do not count.
   */
  readonly newest: (priority: Priority, now: number, except: ReadonlySet<Endpoint>) => ReadonlyArray<PacedEndpoint>
  /** False if each endpoint failed at its last request, in the last 30 seconds. */
  readonly isAnswering: Effect.Effect<boolean>
  /** Names of the endpoints that served another chain when they last answered. */
  readonly elsewhere: Effect.Effect<ReadonlyArray<string>>
}

/** A longer cooldown means that the clock was set back. It is over then. */
const isAvoided = ({ avoidedUntil }: Standing, now: number): boolean =>
  avoidedUntil > now && avoidedUntil - now <= COOLDOWN_MILLIS

/** True if less than the lifetime has passed since `at`. After a clock was set back nobody knows, so it counts as passed. */
const isWithin = (lifetimeMillis: number, at: number, now: number): boolean => now >= at && now - at < lifetimeMillis

const knownHeight = ({ height, heightAt }: Standing, now: number): bigint | undefined =>
  isWithin(HEIGHT_LIFETIME_MILLIS, heightAt, now) ? height : undefined

/** The highest known head of those endpoints that are neither avoided nor left out. */
const highest = (standings: ReadonlyMap<Endpoint, Standing>, now: number, except: ReadonlySet<Endpoint>): bigint => {
  let top = 0n
  for (const [endpoint, standing] of standings) {
    const height = except.has(endpoint) || isAvoided(standing, now) ? undefined : knownHeight(standing, now)
    if (height !== undefined && height > top) top = height
  }
  return top
}

/** True for a height far above all known heads. False while none is known. */
const isFarAbove = (
  height: bigint,
  standings: ReadonlyMap<Endpoint, Standing>,
  now: number,
  blockTimeMillis: number
): boolean => {
  const known = highest(standings, now, NOBODY)
  if (known === 0n) return false
  let ageMillis = HEIGHT_LIFETIME_MILLIS
  for (const standing of standings.values()) {
    if (knownHeight(standing, now) === known) ageMillis = Math.min(ageMillis, now - standing.heightAt)
  }
  return height > known + FAR_BLOCKS + BigInt(Math.floor(ageMillis / blockTimeMillis))
}

/** False if each endpoint failed at its last request, not long ago. */
const isAnswering = (standings: ReadonlyMap<Endpoint, Standing>, now: number): boolean => {
  for (const { failedAt } of standings.values()) {
    if (failedAt === undefined || !isWithin(FAILURE_LIFETIME_MILLIS, failedAt, now)) return true
  }
  return standings.size === 0
}

/** Notes an answer, as undefined, or a failure. */
const note = (standing: Standing, failure: EndpointFailed | undefined, now: number): void => {
  standing.avoidedUntil = failure === undefined ? 0 : now + COOLDOWN_MILLIS
  standing.failedAt = failure === undefined ? undefined : now
  // A failure of another kind proves nothing about the chain.
  standing.isElsewhere = failure !== undefined && (standing.isElsewhere || failure.isOtherChain === true)
  // The height may be that of the other chain. It would count again after the cooldown.
  if (failure?.isOtherChain === true) standing.heightAt = Number.NEGATIVE_INFINITY
}

/** Wraps an endpoint so that each of its answers, as undefined, and failures reaches `record`. */
const observed = (
  endpoint: PacedEndpoint,
  record: (failure: EndpointFailed | undefined) => Effect.Effect<void>
): PacedEndpoint => {
  const noted = <A>(answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
    answer.pipe(
      Effect.tapError((failure) => (failure._tag === "EndpointFailed" ? record(failure) : Effect.void)),
      Effect.tap(() => record(undefined))
    )
  return {
    name: endpoint.name,
    waitMillis: endpoint.waitMillis,
    request: (method, params) => noted(endpoint.request(method, params)),
    requestAll: (lookups) => noted(endpoint.requestAll(lookups)),
    recheck: endpoint.recheck === undefined ? undefined : noted(endpoint.recheck)
  }
}

/** Makes `recordHeight`; see {@link Health}. `record` notes a height without a check. */
const makeRecordHeight = (
  endpoints: ReadonlyArray<PacedEndpoint>,
  isFar: (height: bigint, now: number) => boolean,
  record: (endpoint: Endpoint, height: bigint) => Effect.Effect<void>
): Health["recordHeight"] => {
  /** Checks under way. */
  const checks = new Map<Endpoint, Deferred.Deferred<void, RpcFailure>>()

  /** Waits for the check under way, or makes one. Returns true if it made one, and has recorded the height. */
  const checked = (endpoint: Endpoint, height: bigint, recheck: Effect.Effect<void, RpcFailure>) =>
    // An interruption between two steps would leave the check under way for ever, and others waiting for it.
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const underWay = checks.get(endpoint)
        if (underWay !== undefined) return restore(Effect.as(Deferred.await(underWay), false))
        const ended = Deferred.makeUnsafe<void, RpcFailure>()
        checks.set(endpoint, ended)
        // The height is recorded before others go on, since they compare theirs with it.
        const made = Effect.onExit(restore(Effect.andThen(recheck, record(endpoint, height))), (exit) => {
          checks.delete(endpoint)
          // After an interruption nothing is known, so that another caller makes a check.
          return Deferred.done(ended, Exit.hasInterrupts(exit) ? Exit.void : exit)
        })
        return Effect.as(made, true)
      })
    )

  return Effect.fnUntraced(function* (endpoint, height) {
    const recheck = endpoints.find((each) => each === endpoint)?.recheck
    if (recheck === undefined) return yield* record(endpoint, height)
    while (isFar(height, yield* Clock.currentTimeMillis)) {
      if (yield* checked(endpoint, height, recheck)) return
    }
    yield* record(endpoint, height)
  })
}

/** @param blockTimeMillis Typical milliseconds between blocks. Default: 250. */
export const make = (bare: ReadonlyArray<PacedEndpoint>, blockTimeMillis = BLOCK_TIME_MILLIS): Health => {
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
    const self: PacedEndpoint = observed(endpoint, (failure) =>
      update(self, (standing, now) => note(standing, failure, now))
    )
    standings.set(self, {
      avoidedUntil: 0,
      failedAt: undefined,
      isElsewhere: false,
      height: 0n,
      heightAt: Number.NEGATIVE_INFINITY
    })
    return self
  })

  const heightOf = (endpoint: Endpoint, now: number): bigint | undefined => {
    const standing = standings.get(endpoint)
    return standing === undefined ? undefined : knownHeight(standing, now)
  }

  const isBehind = (
    endpoint: Endpoint,
    now: number,
    tolerance: bigint,
    except: ReadonlySet<Endpoint> = NOBODY
  ): boolean => {
    const height = heightOf(endpoint, now)
    return height !== undefined && height + tolerance < highest(standings, now, except)
  }

  const isCoolingDown = (endpoint: Endpoint, now: number): boolean => {
    const standing = standings.get(endpoint)
    return standing !== undefined && isAvoided(standing, now)
  }

  const ordered: Health["ordered"] = (priority, now, method) => {
    if (endpoints.length === 1) return endpoints
    const trouble = (endpoint: Endpoint): number =>
      isCoolingDown(endpoint, now) ? 2 : isBehind(endpoint, now, TOLERATED_BLOCKS) ? 1 : 0
    return endpoints
      .map((endpoint) => ({ endpoint, trouble: trouble(endpoint), wait: endpoint.waitMillis(priority, now, method) }))
      .toSorted((a, b) => a.trouble - b.trouble || a.wait - b.wait)
      .map(({ endpoint }) => endpoint)
  }

  const recordHeight = makeRecordHeight(
    endpoints,
    (height, now) => isFarAbove(height, standings, now, blockTimeMillis),
    (endpoint, height) =>
      update(endpoint, (standing, now) => {
        standing.height = height
        standing.heightAt = now
      })
  )

  return {
    endpoints,
    avoid,
    recordHeight,
    heightOf: (endpoint) => Effect.map(Clock.currentTimeMillis, (now) => heightOf(endpoint, now)),
    isBehind: (endpoint) => Effect.map(Clock.currentTimeMillis, (now) => isBehind(endpoint, now, 0n)),
    available: Effect.map(Clock.currentTimeMillis, (now) =>
      endpoints.filter((endpoint) => !isCoolingDown(endpoint, now))
    ),
    ordered,
    newest: (priority, now, except) => {
      const list = ordered(priority, now).filter((endpoint) => !except.has(endpoint))
      return endpoints.length === 1 ? list : list.filter((endpoint) => !isBehind(endpoint, now, 0n, except))
    },
    isAnswering: Effect.map(Clock.currentTimeMillis, (now) => isAnswering(standings, now)),
    elsewhere: Effect.sync(() =>
      endpoints.filter((endpoint) => standings.get(endpoint)?.isElsewhere === true).map(({ name }) => name)
    )
  }
}
