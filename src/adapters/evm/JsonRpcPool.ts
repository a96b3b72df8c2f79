/**
 * Several endpoints of one chain as one: the first that gives a usable answer wins. An endpoint that failed is asked last for
 * a while, so that a dead one costs its timeout once and not with every request.
 */
import { Clock, Effect } from "effect"
import { type Endpoint, EndpointFailed, type RpcFailure } from "./JsonRpc.ts"

export interface JsonRpcPool {
  /**
   * Asks the endpoints in turn. `isAnswer` tells which errors of a node are an answer, such as a revert: those end the
   * search, all others move it on. Fails with the last failure.
   */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
    isAnswer?: (failure: RpcFailure) => boolean
  ) => Effect.Effect<unknown, RpcFailure>
  /** The endpoints in the order in which they should be asked now. */
  readonly ordered: Effect.Effect<ReadonlyArray<Endpoint>>
}

/** How long an endpoint that failed is asked last, in milliseconds. */
const COOLDOWN_MILLIS = 10_000

export const make = (endpoints: ReadonlyArray<Endpoint>): JsonRpcPool => {
  const avoidedUntil = new Map<Endpoint, number>()

  const noting = (endpoint: Endpoint): Endpoint => {
    const noted: Endpoint = {
      name: endpoint.name,
      request: (method, params) =>
        endpoint.request(method, params).pipe(
          Effect.tapError((failure) =>
            failure._tag === "EndpointFailed"
              ? Effect.map(Clock.currentTimeMillis, (now) => avoidedUntil.set(noted, now + COOLDOWN_MILLIS))
              : Effect.void
          ),
          Effect.tap(() => Effect.sync(() => avoidedUntil.delete(noted)))
        )
    }
    return noted
  }
  const all = endpoints.map(noting)

  const ordered = Effect.map(Clock.currentTimeMillis, (now) => {
    const isAvoided = (endpoint: Endpoint) => (avoidedUntil.get(endpoint) ?? 0) > now
    return [...all.filter((endpoint) => !isAvoided(endpoint)), ...all.filter(isAvoided)]
  })

  const request = Effect.fnUntraced(function* (
    method: string,
    params: ReadonlyArray<unknown>,
    isAnswer: (failure: RpcFailure) => boolean = () => false
  ) {
    let last: RpcFailure = new EndpointFailed({ endpoint: "none", detail: "no endpoint is configured" })
    for (const endpoint of yield* ordered) {
      const outcome = yield* Effect.result(endpoint.request(method, params))
      if (outcome._tag === "Success") return outcome.success
      last = outcome.failure
      if (isAnswer(last)) break
    }
    return yield* Effect.fail(last)
  })

  return { request, ordered }
}
