/**
 * Shares identical reads that are in flight: the later callers get the answer of the first. Only reads of the latest or a fixed
 * block are shared. Counts of pending transactions, receipts and sends are not, since their callers act on what has just changed.
 */
import { Deferred, Effect, Exit } from "effect"
import * as Priority from "../../../ports/shared/Priority.ts"
import type { RpcFailure } from "./JsonRpc.ts"

const SHARED_METHODS: ReadonlySet<string> = new Set([
  "eth_call",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_getBalance",
  "eth_getBlockByNumber",
  "eth_getCode"
])

/** Longest request that is compared, in characters. Longer ones are reads of many things, which seldom are the same. */
const LONGEST = 4_096

/** Key under which a request is shared; undefined if it is not. */
const keyOf = (method: string, params: ReadonlyArray<unknown>): string | undefined => {
  if (!SHARED_METHODS.has(method) || params.includes("pending")) return undefined
  // A simulation has a third parameter.
  if (method === "eth_call" && params.length > 2) return undefined
  const [first] = params
  if (typeof first === "object" && first !== null && "data" in first && String(first.data).length > LONGEST) {
    return undefined
  }
  return method + JSON.stringify(params)
}

type Answer<A> = Effect.Effect<A, RpcFailure>

interface Flight<A> {
  /** Undefined: the first caller was interrupted, so that another has to ask. */
  readonly landed: Deferred.Deferred<Exit.Exit<A, RpcFailure> | undefined>
  readonly rank: number
}

export interface SharedReads<A> {
  /** Runs `ask`, or waits for the same request of another fiber that has at least this fiber's priority. */
  readonly share: (method: string, params: ReadonlyArray<unknown>, ask: Answer<A>) => Answer<A>
}

export const make = <A>(): SharedReads<A> => {
  const flights = new Map<string, Flight<A>>()

  const lead = (key: string, ownRank: number, ask: Answer<A>): Answer<A> =>
    Effect.suspend(() => {
      const flight: Flight<A> = { landed: Deferred.makeUnsafe(), rank: ownRank }
      flights.set(key, flight)
      return Effect.onExit(ask, (exit) =>
        Effect.sync(() => {
          if (flights.get(key) === flight) flights.delete(key)
          Deferred.doneUnsafe(flight.landed, Effect.succeed(Exit.hasInterrupts(exit) ? undefined : exit))
        })
      )
    })

  const join = (key: string, ownRank: number, ask: Answer<A>): Answer<A> =>
    Effect.suspend(() => {
      const flight = flights.get(key)
      if (flight === undefined || flight.rank > ownRank) return lead(key, ownRank, ask)
      return Effect.flatMap(Deferred.await(flight.landed), (exit) => exit ?? join(key, ownRank, ask))
    })

  return {
    share: (method, params, ask) => {
      const key = keyOf(method, params)
      return key === undefined
        ? ask
        : Effect.flatMap(Priority.Current, (priority) => join(key, Priority.rank(priority), ask))
    }
  }
}
