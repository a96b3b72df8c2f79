/**
 * {@link Subscriptions} of an HTTP service of the operator, `GET {url}?userId=…`, which answers `{"active": true}`. The claim of the
 * request does not count. A user whom the service does not know (404) or refuses has no subscription, and nobody has one while it does
 * not answer.
 */
import { Cache, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Subscriptions } from "../../ports/orchestrator/Subscriptions.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"

export interface Options {
  readonly url: string
  /** Sent as a bearer token. */
  readonly token?: Redacted.Redacted | undefined
  /** Time for which an answer counts. */
  readonly cacheLifetime: Duration.Input
  /** Time limit of a request. Default: 1 second. */
  readonly deadline?: Duration.Input
}

const readActive = Answer.json(Schema.Struct({ active: Schema.Boolean }))

/** Users whose answers are kept. */
const CAPACITY = 50_000

/** Time for which a failure counts, so that a slow service does not delay each quote. */
const FAILURE_LIFETIME = Duration.seconds(2)

export const layer = (options: Options) =>
  Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const provider = yield* Provider.make({
        name: "subscriptions",
        baseUrl: options.url,
        headers: options.token === undefined ? {} : { Authorization: `Bearer ${Redacted.value(options.token)}` },
        deadline: options.deadline ?? Duration.seconds(1),
        maxBytes: 65_536,
        // The service may refuse a user by 402 or 403.
        keyRefused: new Set([401])
      })

      const ask = (userId: string) =>
        provider.ask(HttpClientRequest.get("").pipe(HttpClientRequest.setUrlParams({ userId })), (answer) => {
          if (answer.status === 404) return Effect.succeed(false)
          // A refusal of a user does not count against the service, or anybody could close it for all users.
          if (answer.status >= 400) {
            const detail = `HTTP ${answer.status}`
            return Effect.as(Effect.annotateLogs(Effect.logWarning("subscriptions.refused"), { detail }), false)
          }
          return answer.status === 200
            ? Effect.map(readActive(answer), ({ active }) => active)
            : Effect.fail(Answer.unexpected(answer))
        })

      const answers = yield* Cache.makeWith(
        (userId: string) =>
          Effect.map(ask(userId), (isActive) => ({ isActive, isKnown: true })).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.annotateLogs(Effect.logWarning("subscriptions.unknown"), { detail: error.message }), {
                isActive: false,
                isKnown: false
              })
            )
          ),
        {
          capacity: CAPACITY,
          timeToLive: (exit) =>
            exit._tag === "Success" && exit.value.isKnown ? options.cacheLifetime : FAILURE_LIFETIME
        }
      )

      return { isActive: ({ userId }) => Effect.map(Cache.get(answers, userId), ({ isActive }) => isActive) }
    })
  )
