/** Reads the highest head of a chain's endpoints. */
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import * as Choice from "./Choice.ts"
import type { Health } from "./Health.ts"
import type { Endpoint, RpcFailure } from "./JsonRpc.ts"

/**
 * Asks all endpoints outside a cooldown, since their heads differ, and returns the highest head that is credible. After the first such
 * answer it waits for the others no longer than the hedging delay, and after any other answer three times as long, but at most a second.
 * Then the highest one counts. Records the height of each.
 */
export type HighestHead = (
  method: string,
  params: ReadonlyArray<unknown>,
  height: (answer: unknown) => Option.Option<bigint>
) => Effect.Effect<unknown, RpcFailure>

interface Head extends Choice.Given<unknown> {
  readonly height: bigint
}

/** Runs `first`, and `then` as well once `first` has ended or the time has passed, unless a credible head has arrived. */
const askWithin = Effect.fnUntraced(function* (
  first: Effect.Effect<void>,
  time: Duration.Input,
  arrived: Deferred.Deferred<void>,
  then: Effect.Effect<void>
) {
  const asking = yield* Effect.forkChild(first)
  yield* Effect.raceFirst(Fiber.join(asking), Effect.sleep(time))
  if (!(yield* Deferred.isDone(arrived))) yield* then
  yield* Fiber.join(asking)
})

/** Limits of the wait for a credible head, after the first answer. */
const PATIENCE = { hedges: 3, millis: 1_000 }

/** `request` asks one endpoint after another. */
export const make = (
  health: Health,
  request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>,
  hedgeAfter: Duration.Input
): HighestHead => {
  const patienceMillis = Math.min(
    PATIENCE.hedges * Duration.toMillis(Duration.fromInputUnsafe(hedgeAfter)),
    PATIENCE.millis
  )

  return Effect.fnUntraced(function* (method, params, height) {
    const choice = yield* Choice.Current
    const available = yield* health.available
    if (health.endpoints.length < 2 || available.length === 0 || choice?.only !== undefined) {
      return yield* request(method, params)
    }
    const arrived = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const heads: Array<Head> = []
    const isCredible = ({ by, height: number }: Head) => health.isCredible(by, number)
    const ask = (endpoints: ReadonlyArray<Endpoint>) =>
      Effect.forEach(
        endpoints,
        (endpoint) =>
          Effect.gen(function* () {
            const answer = yield* endpoint.request(method, params)
            const number = Option.getOrUndefined(height(answer))
            if (number === undefined) return
            yield* health.recordHeight(endpoint, number)
            const head = { answer, by: endpoint, height: number }
            heads.push(head)
            if (yield* isCredible(head)) yield* Deferred.succeed(arrived, undefined)
            yield* Deferred.succeed(answered, undefined)
          }).pipe(Effect.ignore),
        { concurrency: "unbounded", discard: true }
      )
    const coolingDown = health.endpoints.filter((endpoint) => !available.includes(endpoint))
    // Beside an only one that has no credible head in time, those in a cooldown are asked as well.
    const survey =
      available.length > 1 ? ask(available) : askWithin(ask(available), hedgeAfter, arrived, ask(coolingDown))
    const waited = Effect.raceFirst(
      Effect.andThen(Deferred.await(arrived), Effect.sleep(hedgeAfter)),
      Effect.andThen(Deferred.await(answered), Effect.sleep(patienceMillis))
    )
    yield* Effect.raceFirst(survey, waited)
    const credible = yield* Effect.filter(heads, isCredible)
    // If no head is credible, the highest one counts.
    const best = (credible.length > 0 ? credible : heads).reduce<Head | undefined>(
      (top, head) => (top === undefined || head.height > top.height ? head : top),
      undefined
    )
    return best === undefined ? yield* request(method, params) : yield* Choice.used(Effect.succeed(best))
  })
}
