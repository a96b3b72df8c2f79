/** Health of a chain's endpoints: which of them failed a moment ago, which have an old head, and which are busy. */
import { Clock, Deferred, Effect, Exit } from "effect"
import { TOLERATED_BLOCKS, toleratedBlocks } from "../../../domain/HeadLag.ts"
import type { Priority } from "../../../ports/shared/Priority.ts"
import { type Endpoint, EndpointFailed, type RpcFailure } from "./JsonRpc.ts"
import type { PacedEndpoint } from "./Paced.ts"
import * as SameHistory from "./SameHistory.ts"
import * as Standing from "./Standing.ts"

const NOBODY: ReadonlySet<Endpoint> = new Set()

export interface Health {
  /** The endpoints as configured. Each records its failures and successes here. */
  readonly endpoints: ReadonlyArray<PacedEndpoint>
  /** Starts the cooldown of an endpoint. */
  readonly cooldown: (endpoint: Endpoint) => Effect.Effect<void>
  /**
   * Records the height of the endpoint's head. One far above all known heads may be that of another chain, or made up, so the endpoint's
   * chain and blocks are then checked first. Calls that come during a check wait for it, and make another one only if their head is far above the checked one.
   * Fails without a record if the check fails, and with one if only one other endpoint has another block, since that one may lie.
   */
  readonly recordHeight: (endpoint: Endpoint, height: bigint) => Effect.Effect<void, RpcFailure>
  /** Height of the endpoint's head, if it was recorded in the last 75 seconds. */
  readonly heightOf: (endpoint: Endpoint) => Effect.Effect<bigint | undefined>
  /** True if the others let the height count as a head; see `limitOf` in Standing.ts. */
  readonly isCredible: (endpoint: Endpoint, height: bigint) => Effect.Effect<boolean>
  /**
   * True if the endpoint's head is so far below the block that it contradicts the block, and the endpoint follows the chain. `undecided`
   * if it has not been observed for long enough to tell.
   */
  readonly denies: (endpoint: Endpoint, block: bigint) => Effect.Effect<boolean | "undecided">
  /** True when the endpoint's head is below the highest credible head. */
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
  /**
   * Names of the endpoints that served another chain when they last answered, or other blocks in the last minute. Both of two that have
   * different blocks, unless one of them is known to be wrong.
   */
  readonly elsewhere: Effect.Effect<ReadonlyArray<string>>
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
  isFar: (endpoint: Endpoint, height: bigint, now: number) => boolean,
  isSameHistory: (endpoint: Endpoint, height: bigint) => Effect.Effect<void, RpcFailure>,
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
        const made = Effect.onExit(
          restore(
            recheck.pipe(Effect.andThen(isSameHistory(endpoint, height)), Effect.andThen(record(endpoint, height)))
          ),
          (exit) => {
            checks.delete(endpoint)
            // After an interruption nothing is known, so that another caller makes a check.
            return Deferred.done(ended, Exit.hasInterrupts(exit) ? Exit.void : exit)
          }
        )
        return Effect.as(made, true)
      })
    )

  return Effect.fnUntraced(function* (endpoint, height) {
    const recheck = endpoints.find((each) => each === endpoint)?.recheck
    if (recheck === undefined) return yield* record(endpoint, height)
    while (isFar(endpoint, height, yield* Clock.currentTimeMillis)) {
      if (yield* checked(endpoint, height, recheck)) return
    }
    yield* record(endpoint, height)
  })
}

/** Makes the order of the endpoints of `standings` by their failures and heads. */
const makeOrder = (
  endpoints: ReadonlyArray<PacedEndpoint>,
  standings: ReadonlyMap<Endpoint, Standing.Standing>,
  blockTimeMillis: number
) => {
  const jitter = toleratedBlocks(blockTimeMillis)

  const othersOf = (endpoint: Endpoint, except = NOBODY): ReadonlyArray<Standing.Standing> =>
    [...standings].flatMap(([other, standing]) => (other === endpoint || except.has(other) ? [] : [standing]))

  const heightOf = (endpoint: Endpoint, now: number): bigint | undefined => {
    const standing = standings.get(endpoint)
    return standing === undefined ? undefined : Standing.knownHeight(standing, now)
  }

  const limitOf = (endpoint: Endpoint, now: number, slack: bigint, except = NOBODY): bigint | undefined =>
    Standing.limitOf(othersOf(endpoint, except), now, { blockTimeMillis, slack })

  /** The highest credible head of those endpoints that are neither in a cooldown nor left out. */
  const highest = (now: number, except: ReadonlySet<Endpoint>): bigint => {
    let top = 0n
    for (const [endpoint, standing] of standings) {
      const height =
        except.has(endpoint) || Standing.isCoolingDown(standing, now) ? undefined : Standing.knownHeight(standing, now)
      if (height === undefined || height <= top) continue
      const limit = limitOf(endpoint, now, 0n, except)
      const credible = limit !== undefined && limit < height ? limit : height
      if (credible > top) top = credible
    }
    return top
  }

  const isCoolingDown = (endpoint: Endpoint, now: number): boolean => {
    const standing = standings.get(endpoint)
    return standing !== undefined && Standing.isCoolingDown(standing, now)
  }

  const isBelow = (endpoint: Endpoint, now: number, top: bigint): boolean => {
    const height = heightOf(endpoint, now)
    return height !== undefined && height < top
  }

  const ordered: Health["ordered"] = (priority, now, method) => {
    if (endpoints.length === 1) return endpoints
    const top = highest(now, NOBODY) - TOLERATED_BLOCKS
    const trouble = (endpoint: Endpoint): number =>
      isCoolingDown(endpoint, now) ? 2 : isBelow(endpoint, now, top) ? 1 : 0
    return endpoints
      .map((endpoint) => ({ endpoint, trouble: trouble(endpoint), wait: endpoint.waitMillis(priority, now, method) }))
      .toSorted((a, b) => a.trouble - b.trouble || a.wait - b.wait)
      .map(({ endpoint }) => endpoint)
  }

  const newest: Health["newest"] = (priority, now, except) => {
    const list = ordered(priority, now).filter((endpoint) => !except.has(endpoint))
    if (endpoints.length === 1) return list
    const top = highest(now, except)
    return list.filter((endpoint) => !isBelow(endpoint, now, top))
  }

  return {
    heightOf,
    isBehind: (endpoint: Endpoint, now: number) => isBelow(endpoint, now, highest(now, NOBODY)),
    isCoolingDown,
    isCredible: (endpoint: Endpoint, height: bigint, now: number) =>
      height <= (limitOf(endpoint, now, jitter) ?? height),
    denies: (endpoint: Endpoint, block: bigint, now: number) => {
      const standing = standings.get(endpoint)
      if (standing === undefined || block <= standing.height + jitter) return false
      return Standing.isFollowing(standing, now) || (Standing.mayDeny(standing, now, blockTimeMillis) && "undecided")
    },
    ordered,
    othersOf,
    newest
  }
}

interface CheckDeps {
  readonly endpoints: ReadonlyArray<PacedEndpoint>
  readonly order: Pick<ReturnType<typeof makeOrder>, "heightOf" | "isCoolingDown">
  readonly record: (endpoint: Endpoint, height: bigint) => Effect.Effect<void>
  readonly standings: ReadonlyMap<Endpoint, Standing.Standing>
  readonly blockTimeMillis: number
}

/** Makes the check of a far head, which notes what it proves. It fails unless the endpoint has the blocks of the others. */
const makeIsSameHistory = ({ blockTimeMillis, endpoints, order, record, standings }: CheckDeps) =>
  Effect.fnUntraced(function* (endpoint: Endpoint, height: bigint) {
    const own = standings.get(endpoint)
    if (own === undefined) return
    const startedAt = yield* Clock.currentTimeMillis
    const others = endpoints.flatMap((other) => {
      const isLeftOut = other === endpoint || order.isCoolingDown(other, startedAt)
      const known = isLeftOut ? undefined : order.heightOf(other, startedAt)
      return known === undefined ? [] : [{ endpoint: other, height: known }]
    })
    const [witness, ...more] = yield* SameHistory.check(endpoint, height, others)
    const now = yield* Clock.currentTimeMillis
    if (witness === undefined) return Standing.prove(own, height, now)
    const theirs = standings.get(witness)
    // The head of one that hangs may have been orphaned, and would hold up the other one for ever.
    const isStuck = theirs !== undefined && !Standing.isLive(theirs, now) && Standing.isFollowing(own, now)
    if (isStuck && more.length === 0 && (yield* SameHistory.isSameBelow(endpoint, witness, theirs.height))) {
      return Standing.prove(own, height, yield* Clock.currentTimeMillis)
    }
    if (more.length > 0 || theirs === undefined || Standing.isRefutedBy(theirs, own, height, now, blockTimeMillis)) {
      Standing.refute(own, now)
      const detail = "its blocks are not those of the other endpoints"
      return yield* new EndpointFailed({ endpoint: endpoint.name, detail, isOtherChain: true })
    }
    yield* record(endpoint, height)
    for (const each of [own, theirs]) each.differedAt = now
    return yield* new EndpointFailed({
      endpoint: endpoint.name,
      detail: `its blocks are not those of ${witness.name}, and no third endpoint shows whose are true`
    })
  })

/** @param blockTimeMillis Typical milliseconds between blocks. */
export const make = (bare: ReadonlyArray<PacedEndpoint>, blockTimeMillis: number): Health => {
  const standings = new Map<Endpoint, Standing.Standing>()

  const update = (endpoint: Endpoint, change: (standing: Standing.Standing, now: number) => void) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const standing = standings.get(endpoint)
      if (standing !== undefined) change(standing, now)
    })

  const cooldown = (endpoint: Endpoint) =>
    update(endpoint, (standing, now) => {
      standing.cooldownUntil = now + Standing.COOLDOWN_MILLIS
    })

  const endpoints = bare.map((endpoint) => {
    const self: PacedEndpoint = observed(endpoint, (failure) =>
      update(self, (standing, now) => Standing.note(standing, failure, now))
    )
    standings.set(self, Standing.initial())
    return self
  })

  const order = makeOrder(endpoints, standings, blockTimeMillis)
  const at = <A>(read: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, read)

  const record = (endpoint: Endpoint, height: bigint) =>
    update(endpoint, (standing, now) => Standing.rise(standing, height, now, blockTimeMillis))

  const isSameHistory = makeIsSameHistory({ endpoints, order, record, standings, blockTimeMillis })

  const recordHeight = makeRecordHeight(
    endpoints,
    (endpoint, height, now) => {
      const own = standings.get(endpoint)
      return own !== undefined && Standing.isFarAbove(height, own, order.othersOf(endpoint), now, blockTimeMillis)
    },
    isSameHistory,
    record
  )

  return {
    endpoints,
    cooldown,
    recordHeight,
    heightOf: (endpoint) => at((now) => order.heightOf(endpoint, now)),
    isBehind: (endpoint) => at((now) => order.isBehind(endpoint, now)),
    isCredible: (endpoint, height) => at((now) => order.isCredible(endpoint, height, now)),
    denies: (endpoint, block) => at((now) => order.denies(endpoint, block, now)),
    available: at((now) => endpoints.filter((endpoint) => !order.isCoolingDown(endpoint, now))),
    ordered: order.ordered,
    newest: order.newest,
    isAnswering: at((now) => Standing.isAnswering([...standings.values()], now)),
    elsewhere: at((now) =>
      endpoints.flatMap((endpoint) => {
        const standing = standings.get(endpoint)
        return standing !== undefined && Standing.isElsewhere(standing, now) ? [endpoint.name] : []
      })
    )
  }
}
