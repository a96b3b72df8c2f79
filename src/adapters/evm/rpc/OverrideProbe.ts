/** Asks each endpoint by one small `eth_call` with overrides if it takes them, and keeps the results for a while. */
import { Clock, Duration, Effect, Exit } from "effect"
import type { Endpoint, RpcError, RpcFailure } from "./JsonRpc.ts"

/** Results in a row that an endpoint takes no overrides, after which the result is kept. One alone may be that of a passing fault. */
const REFUSALS = 2

/** Other errors of an endpoint that took overrides count as passing ones for this many milliseconds. Then they count as refusals. */
const PASSING_MILLIS = 60_000

/** "Method not found" and "Invalid params" of JSON-RPC 2.0. Other errors may be passing ones. */
const LASTING: ReadonlySet<number> = new Set([-32_601, -32_602])

/** Lifetimes of the results. An endpoint without support is tried again sooner, since its refusal may have been a passing one. */
const SUPPORTED_FOR = Duration.hours(1)
const UNSUPPORTED_FOR = Duration.minutes(5)

/** Makes the check of one endpoint; see {@link make}. */
const checkOf = (endpoint: Endpoint, params: ReadonlyArray<unknown>, expected: string) => {
  let wasTaken = false
  let refusals = 0
  /** UNIX milliseconds of the first error since the last answer. */
  let failingSince: number | undefined
  const refused = Effect.fnUntraced(function* (error: RpcError) {
    const now = yield* Clock.currentTimeMillis
    // After the clock was set back, nobody knows how long the errors have lasted.
    if (failingSince === undefined || failingSince > now) failingSince = now
    if (now - failingSince >= PASSING_MILLIS) wasTaken = false
    return wasTaken && !LASTING.has(error.code) ? yield* error : false
  })
  const check = endpoint.request("eth_call", params).pipe(
    Effect.map((answer) => {
      failingSince = undefined
      return String(answer).toLowerCase() === expected
    }),
    Effect.catchTag("RpcError", refused),
    Effect.tap((isTaken) =>
      Effect.sync(() => {
        wasTaken ||= isTaken
        refusals = isTaken ? 0 : refusals + 1
      })
    )
  )
  // A negative lifetime keeps nothing. One of zero would keep the result while a clock that was set back catches up.
  return Effect.cachedWithTTL(check, (exit: Exit.Exit<boolean, RpcFailure>) => {
    if (Exit.isFailure(exit) || (!exit.value && refusals < REFUSALS)) return Duration.negativeInfinity
    return exit.value ? SUPPORTED_FOR : UNSUPPORTED_FOR
  })
}

/**
 * Makes a check for each endpoint: true if it answers `params` with `expected`, in lower case, false if it answers otherwise or
 * refuses. Fails if it does not answer, and if it took overrides before and has returned errors that may be passing ones for less than a
 * minute. A true is kept for an hour, and a false for five minutes, except the first one in a row.
 */
export const make = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<Endpoint>,
  params: ReadonlyArray<unknown>,
  expected: string
) {
  const checks = new Map<Endpoint, Effect.Effect<boolean, RpcFailure>>()
  for (const endpoint of endpoints) checks.set(endpoint, yield* checkOf(endpoint, params, expected))
  return checks
})
