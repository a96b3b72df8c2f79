/** Keeps which venues do not answer as they should: for the log, and for the failure of a quote without a route. */
import { Cause, Clock, Effect, Option } from "effect"
import * as LatestMap from "../../domain/LatestMap.ts"
import { NoRoute, RoutingUnavailable, type SwapPair, type SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type * as SideBySide from "../../runtime/SideBySide.ts"

const PROVIDER = "venues"

/**
 * Time for which a venue that answered before is expected back, in milliseconds. After it, the venue counts as dead: it would otherwise make
 * clients ask again for every token that has no route.
 */
export const PASSING_MILLIS = 600_000

/** Pairs whose failures are remembered. */
const REMEMBERED = 10_000

export type Outcome = SideBySide.Answers<SwapRoute, NoRoute | RoutingUnavailable>

export const logged = (event: string, venue: string, pair: SwapPair, detail: string) =>
  Effect.annotateLogs(Effect.logWarning(event), { venue, chainId: pair.chainId, token: pair.tokenIn, detail })

interface Trouble {
  readonly event: string
  readonly detail: string
}

/** Trouble of a venue that does not answer as it should. That a venue has no route is ordinary. */
const troubleOf = (error: NoRoute | RoutingUnavailable): Trouble | undefined =>
  error._tag === "NoRoute" ? undefined : { event: "venue.unavailable", detail: error.detail }

/** State of a venue on a chain. */
interface Known {
  /** True if it has answered since the start of the process. */
  readonly hasAnswered: boolean
  /** The last event since it does not answer. Undefined while it answers. */
  readonly event?: string
  /** UNIX milliseconds since when it does not answer. */
  readonly since: number
}

const keyOf = ({ chainId }: SwapPair, venue: string) => `${chainId} ${venue}`

/**
 * Makes `note(pair, outcome)`, which logs a venue once when it does not answer, and once when it does again. Defects are logged each time.
 * Makes also `failureOf(pair, outcome)`, which fails for a noted outcome without a route.
 */
export const make = () => {
  /** By chain and venue. */
  const known = new Map<string, Known>()

  /** Remembers the answer of a venue at this time, in UNIX milliseconds. Returns what is logged about it. */
  const noteOne = (pair: SwapPair, venue: string, trouble: Trouble | undefined, now: number): Effect.Effect<void> => {
    const key = keyOf(pair, venue)
    const before = known.get(key)
    if (trouble === undefined) {
      known.set(key, { hasAnswered: true, since: now })
      return before?.event === undefined
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("venue.recovered"), { venue, chainId: pair.chainId })
    }
    const since = before?.event === undefined ? now : before.since
    known.set(key, { hasAnswered: before?.hasAnswered ?? false, event: trouble.event, since })
    return before?.event === trouble.event ? Effect.void : logged(trouble.event, venue, pair, trouble.detail)
  }

  const note = Effect.fnUntraced(function* (pair: SwapPair, { answers, failures, silent }: Outcome) {
    const now = yield* Clock.currentTimeMillis
    for (const { name } of answers) yield* noteOne(pair, name, undefined, now)
    for (const name of silent) {
      yield* noteOne(pair, name, { event: "venue.unanswered", detail: "no answer in time" }, now)
    }
    for (const { cause, name } of failures) {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      yield* error === undefined
        ? logged("venue.failed", name, pair, Cause.pretty(cause))
        : noteOne(pair, name, troubleOf(error), now)
    }
  })

  /** Failures of pairs for want of a venue that is expected back, in UNIX milliseconds. */
  const failing = LatestMap.make<string, { readonly since: number; readonly last: number }>(REMEMBERED)

  /** True if the pair has failed for so long that the venue, which answers for others meanwhile, will not answer for it. */
  const isHopeless = ({ chainId, tokenIn, tokenOut }: SwapPair, now: number): boolean => {
    const key = `${chainId} ${tokenIn} ${tokenOut}`
    const before = failing.get(key)
    const since = before === undefined || now - before.last >= PASSING_MILLIS ? now : before.since
    failing.set(key, { since, last: now })
    return now - since >= PASSING_MILLIS
  }

  /** True if a venue does not answer now, and is expected back. */
  const isExpected = (pair: SwapPair, venue: string, now: number): boolean => {
    const state = known.get(keyOf(pair, venue))
    return state?.event !== undefined && state.hasAnswered && now - state.since < PASSING_MILLIS
  }

  /**
   * Another attempt may succeed if no venue answered at all, or if one that is expected back did not. `poolless`: venues that were not asked,
   * since they have no pool of the pair, which is an answer.
   */
  const failureOf = Effect.fnUntraced(function* (
    pair: SwapPair,
    { failures, silent }: Outcome,
    poolless: ReadonlyArray<string> = []
  ) {
    const now = yield* Clock.currentTimeMillis
    if (failures.length + silent.length + poolless.length === 0) {
      return yield* new NoRoute({ detail: "no venue is configured on the chain, or its guard lists none" })
    }
    const errors = failures.flatMap(({ cause }) => Option.toArray(Cause.findErrorOption(cause)))
    const missing = silent.length === 0 ? [] : [`no answer in time from ${silent.join(", ")}`]
    const closed = poolless.map((name) => `no pool from ${pair.tokenIn} to ${pair.tokenOut} on ${name}`)
    const detail = [...errors.map(({ message }) => message), ...closed, ...missing].join("; ")
    const isAnswered = closed.length > 0 || errors.some(({ _tag }) => _tag === "NoRoute")
    const isPassing = [...failures.map(({ name }) => name), ...silent].some((name) => isExpected(pair, name, now))
    if (isAnswered && (!isPassing || isHopeless(pair, now))) return yield* new NoRoute({ detail })
    return yield* new RoutingUnavailable({ provider: PROVIDER, detail })
  })

  return { note, failureOf }
}
