/**
 * Knows which endpoints take state overrides in `eth_call`, which no standard requires. One small call tells: an account is given
 * code that returns its own balance, and a balance. An endpoint that ignores or refuses either gives another answer.
 */
import { Effect } from "effect"
import { type Endpoint, EndpointFailed, type RpcFailure } from "./JsonRpc.ts"
import * as OverrideProbe from "./OverrideProbe.ts"

/** Any address without code and balance. */
const ACCOUNT = "0x73746174652d6f766572726964652d70726f6265"

/** SELFBALANCE, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const RETURN_OWN_BALANCE = "0x4760005260206000f3"

const BALANCE = "0x2a"
const EXPECTED = `0x${"2a".padStart(64, "0")}`

const PARAMS = [{ to: ACCOUNT, data: "0x" }, "latest", { [ACCOUNT]: { code: RETURN_OWN_BALANCE, balance: BALANCE } }]

export interface StateOverrides {
  /** Fails unless the endpoint takes state overrides. Asks it at most once in an hour. */
  readonly require: (endpoint: Endpoint) => Effect.Effect<void, RpcFailure>
  /** False if no endpoint takes them. Fails if none does and one did not answer. */
  readonly isSupported: Effect.Effect<boolean, RpcFailure>
}

export const make = Effect.fnUntraced(function* (endpoints: ReadonlyArray<Endpoint>) {
  const checks = yield* OverrideProbe.make(endpoints, PARAMS, EXPECTED)

  const require: StateOverrides["require"] = (endpoint) =>
    Effect.flatMap(checks.get(endpoint) ?? Effect.succeed(true), (isSupported) =>
      isSupported
        ? Effect.void
        : Effect.fail(new EndpointFailed({ endpoint: endpoint.name, detail: "takes no state overrides in eth_call" }))
    )

  const isSupported = Effect.gen(function* () {
    const results = yield* Effect.forEach(checks.values(), (check) => Effect.result(check), {
      concurrency: "unbounded"
    })
    if (results.some((result) => result._tag === "Success" && result.success)) return true
    for (const result of results) if (result._tag === "Failure") return yield* Effect.fail(result.failure)
    return false
  })

  return { require, isSupported } satisfies StateOverrides
})
