/** Reads the highest head of a chain's endpoints. */
import { Deferred, type Duration, Effect, Option } from "effect"
import * as Choice from "./Choice.ts"
import type { Health } from "./Health.ts"
import type { RpcFailure } from "./JsonRpc.ts"

/**
 * Asks all endpoints outside a cooldown, since their heads differ, and returns the highest head that is credible. After the first such
 * answer it waits for the others no longer than the hedging delay. Records the height of each.
 */
export type HighestHead = (
  method: string,
  params: ReadonlyArray<unknown>,
  height: (answer: unknown) => Option.Option<bigint>
) => Effect.Effect<unknown, RpcFailure>

interface Head extends Choice.Given<unknown> {
  readonly height: bigint
}

/** `request` asks one endpoint after another. */
export const make = (
  health: Health,
  request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>,
  hedgeAfter: Duration.Input
): HighestHead =>
  Effect.fnUntraced(function* (method, params, height) {
    const choice = yield* Choice.Current
    const available = yield* health.available
    if (available.length < 2 || choice?.only !== undefined) return yield* request(method, params)
    const arrived = yield* Deferred.make<void>()
    const heads: Array<Head> = []
    const isCredible = ({ by, height: number }: Head) => health.isCredible(by, number)
    const survey = Effect.forEach(
      available,
      (endpoint) =>
        Effect.gen(function* () {
          const answer = yield* endpoint.request(method, params)
          const number = Option.getOrUndefined(height(answer))
          if (number === undefined) return
          yield* health.recordHeight(endpoint, number)
          const head = { answer, by: endpoint, height: number }
          heads.push(head)
          if (yield* isCredible(head)) yield* Deferred.succeed(arrived, undefined)
        }).pipe(Effect.ignore),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.raceFirst(survey, Effect.andThen(Deferred.await(arrived), Effect.sleep(hedgeAfter)))
    const credible = yield* Effect.filter(heads, isCredible)
    // Those of which no head is credible are all that answer.
    const best = (credible.length > 0 ? credible : heads).reduce<Head | undefined>(
      (top, head) => (top === undefined || head.height > top.height ? head : top),
      undefined
    )
    return best === undefined ? yield* request(method, params) : yield* Choice.used(Effect.succeed(best))
  })
