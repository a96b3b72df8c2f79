/**
 * A pool whose endpoints follow the operator's choice. Requests under way end where they were sent. An endpoint that stays keeps what
 * its budget has learned.
 */
import { Effect, Semaphore } from "effect"
import type { RpcEndpoint } from "../../../domain/RpcEndpoint.ts"
import type { PacedEndpoint } from "./Paced.ts"
import * as Pool from "./Pool.ts"

type Entries = ReadonlyArray<RpcEndpoint>

export interface Options extends Pool.Options {
  /** Endpoints of the chains file, preferred first. */
  readonly configured: Entries
  /** The operator's choice in their place; undefined if there is none. The same array as long as nothing changed. */
  readonly chosen: Effect.Effect<Entries | undefined>
  readonly endpointOf: (entry: RpcEndpoint) => Effect.Effect<PacedEndpoint>
}

const keyOf = ({ computeUnitsPerSecond, requestsPerSecond, url }: RpcEndpoint): string =>
  JSON.stringify([url, requestsPerSecond, computeUnitsPerSecond])

export const make = Effect.fnUntraced(function* ({ chosen, configured, endpointOf, ...options }: Options) {
  const turn = Semaphore.makeUnsafe(1)
  let known: ReadonlyMap<string, PacedEndpoint> = new Map()

  const build = Effect.fnUntraced(function* (entries: Entries) {
    const endpoints = yield* Effect.forEach(entries, (entry) => {
      const key = keyOf(entry)
      const kept = known.get(key)
      return Effect.map(
        kept === undefined ? endpointOf(entry) : Effect.succeed(kept),
        (endpoint) => [key, endpoint] as const
      )
    })
    known = new Map(endpoints)
    const pool = yield* Pool.make(
      endpoints.map(([, endpoint]) => endpoint),
      options
    )
    return { entries, pool }
  })

  let built = yield* build(configured)

  const follow = Effect.fnUntraced(function* (entries: Entries) {
    if (built.entries !== entries) built = yield* build(entries)
    return built.pool
  }, turn.withPermit)

  const current = Effect.flatMap(chosen, (entries = configured) =>
    entries === built.entries ? Effect.succeed(built.pool) : follow(entries)
  )

  return {
    request: (method, params, request) => Effect.flatMap(current, (pool) => pool.request(method, params, request)),
    first: (ask, first) => Effect.flatMap(current, (pool) => pool.first(ask, first)),
    attested: (read, comparison) => Effect.flatMap(current, (pool) => pool.attested(read, comparison)),
    everywhere: (ask) => Effect.flatMap(current, (pool) => pool.everywhere(ask)),
    head: (method, params, height) => Effect.flatMap(current, (pool) => pool.head(method, params, height)),
    heightFor: (endpoint, block) => Effect.flatMap(current, (pool) => pool.heightFor(endpoint, block)),
    takesOverrides: Effect.flatMap(current, (pool) => pool.takesOverrides),
    isAnswering: Effect.flatMap(current, (pool) => pool.isAnswering),
    elsewhere: Effect.flatMap(current, (pool) => pool.elsewhere)
  } satisfies Pool.JsonRpcPool
})
