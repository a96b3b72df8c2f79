/** Asks each endpoint by one small `eth_call` with overrides if it takes them, and keeps the results for a while. */
import { type Duration, Effect, type Exit } from "effect"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"

/**
 * Makes a check for each endpoint: true if it answers `params` with `expected`, in lower case, false if it answers otherwise or
 * refuses. Fails if it does not answer. `lifetime` says how long a result is kept.
 */
export const make = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<Endpoint>,
  params: ReadonlyArray<unknown>,
  expected: string,
  lifetime: (exit: Exit.Exit<boolean, RpcFailure>) => Duration.Duration
) {
  const checks = new Map<Endpoint, Effect.Effect<boolean, RpcFailure>>()
  for (const endpoint of endpoints) {
    const check = endpoint.request("eth_call", params).pipe(
      Effect.map((answer) => String(answer).toLowerCase() === expected),
      Effect.catchTag("RpcError", () => Effect.succeed(false))
    )
    checks.set(endpoint, yield* Effect.cachedWithTTL(check, lifetime))
  }
  return checks
})
