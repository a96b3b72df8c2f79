/** Asks each endpoint by one small `eth_call` with overrides if it takes them, and keeps the results for a while. */
import { Duration, Effect, Exit } from "effect"
import type { Endpoint, RpcError, RpcFailure } from "./JsonRpc.ts"

/** Results in a row that an endpoint takes no overrides, after which the result is kept. One alone may be that of a passing fault. */
const REFUSALS = 2

/** "Method not found" and "Invalid params" of JSON-RPC 2.0. Other errors may be passing ones. */
const LASTING: ReadonlySet<number> = new Set([-32_601, -32_602])

/** Makes the check of one endpoint; see {@link make}. */
const checkOf = (
  endpoint: Endpoint,
  params: ReadonlyArray<unknown>,
  expected: string,
  lifetime: (isTaken: boolean) => Duration.Duration
) => {
  let wasTaken = false
  let refusals = 0
  const refused = (error: RpcError) =>
    wasTaken && !LASTING.has(error.code) ? Effect.fail(error) : Effect.succeed(false)
  const check = endpoint.request("eth_call", params).pipe(
    Effect.map((answer) => String(answer).toLowerCase() === expected),
    Effect.catchTag("RpcError", refused),
    Effect.tap((isTaken) =>
      Effect.sync(() => {
        wasTaken ||= isTaken
        refusals = isTaken ? 0 : refusals + 1
      })
    )
  )
  // A negative lifetime keeps nothing. One of zero would keep the result while a clock that was set back catches up.
  return Effect.cachedWithTTL(check, (exit: Exit.Exit<boolean, RpcFailure>) =>
    Exit.isFailure(exit) || (!exit.value && refusals < REFUSALS) ? Duration.negativeInfinity : lifetime(exit.value)
  )
}

/**
 * Makes a check for each endpoint: true if it answers `params` with `expected`, in lower case, false if it answers otherwise or
 * refuses. Fails if it does not answer, and if it took overrides before and returns an error that may be a passing one. `lifetime` says how
 * long a result is kept. The first false in a row is not kept.
 */
export const make = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<Endpoint>,
  params: ReadonlyArray<unknown>,
  expected: string,
  lifetime: (isTaken: boolean) => Duration.Duration
) {
  const checks = new Map<Endpoint, Effect.Effect<boolean, RpcFailure>>()
  for (const endpoint of endpoints) checks.set(endpoint, yield* checkOf(endpoint, params, expected, lifetime))
  return checks
})
