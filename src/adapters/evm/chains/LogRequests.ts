/** Requests of one read of logs, which the endpoints share. */
import { Data, Deferred, Effect } from "effect"
import type { Endpoint } from "../rpc/JsonRpc.ts"

/**
 * Time for which an endpoint without a request waits for one that is under way, in milliseconds. Then it borrows one, so that a silent
 * endpoint does not keep the last request for its whole timeout.
 */
const BORROW_MILLIS = 1_000

/**
 * An endpoint had no request left. It is a failure, because a success would win the round while another endpoint still waits for the answer
 * to the last request.
 */
export class NoRequestLeft extends Data.TaggedError("NoRequestLeft") {}

export interface Requests {
  /** Requests that are left. Negative while some are borrowed. One that does not count is given back here, and so repays. */
  left: number
  /** Requests that are taken. Each is completed when it has ended and been counted. */
  readonly underWay: Set<Deferred.Deferred<void>>
  /** Endpoints that have borrowed a request in this round. */
  readonly borrowers: Set<Endpoint>
  /** Endpoints that found no request left in the newest round. */
  readonly short: Set<Endpoint>
}

export const make = (left: number): Requests => ({
  left,
  underWay: new Set(),
  borrowers: new Set(),
  short: new Set()
})

/** A request that an endpoint has taken. It counts from when it is sent, unless it fails otherwise than for its width. */
export interface Taken {
  counts: boolean
}

/** Waits until a request is left, or until none is under way that could be given back. */
const givenBack = (requests: Requests): Effect.Effect<void> =>
  Effect.suspend(() =>
    requests.left > 0 || requests.underWay.size === 0
      ? Effect.void
      : Effect.andThen(Effect.raceAllFirst([...requests.underWay].map(Deferred.await)), givenBack(requests))
  )

/**
 * Runs `use` with a request: one that is left, or once in a round one that the endpoint borrows while others have no answer. The request is
 * given back if it does not count in the end. Fails with `NoRequestLeft` if there is none.
 */
export const withRequest = <A, E>(requests: Requests, endpoint: Endpoint, use: (taken: Taken) => Effect.Effect<A, E>) =>
  // An interruption between two steps would leave the request under way, and others waiting for it.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { borrowers, underWay } = requests
      if (requests.left <= 0 && !borrowers.has(endpoint)) {
        yield* restore(Effect.timeoutOption(givenBack(requests), BORROW_MILLIS))
      }
      // No effect runs from here until the request is taken, so that two endpoints never find the same one.
      if (requests.left <= 0) {
        if (borrowers.has(endpoint) || underWay.size === 0) {
          requests.short.add(endpoint)
          return yield* new NoRequestLeft()
        }
        borrowers.add(endpoint)
      }
      const ended = Deferred.makeUnsafe<void>()
      const taken: Taken = { counts: false }
      requests.left -= 1
      underWay.add(ended)
      return yield* Effect.ensuring(
        restore(use(taken)),
        Effect.suspend(() => {
          if (!taken.counts) requests.left += 1
          underWay.delete(ended)
          return Deferred.succeed(ended, undefined)
        })
      )
    })
  )
