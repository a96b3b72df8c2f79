/**
 * {@link Subscriptions} of an HTTP service of the operator, `GET {url}?userId=…`, which answers `{"active": true}`. The claim of the
 * request does not count. A user whom the service does not know (404) or refuses has no subscription. While the service does not answer,
 * subscribers of the last minutes keep theirs, and nobody else has one.
 */
import { Cache, Clock, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as LatestMap from "../../domain/LatestMap.ts"
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

/**
 * Longest pause that the service can ask for, and longest time for which its circuit is open. Anybody can name new users until it answers
 * 429, and all others would pay the full fee meanwhile.
 */
const LONGEST_PAUSE = Duration.seconds(5)

/**
 * Time without a success after which failures open the circuit, so that quotes do not wait for a lost service. Users whom anybody invents
 * must not close the service for all others.
 */
const TOLERATED = Duration.seconds(30)

/** Time for which a subscriber keeps the subscription after the answer has expired while the service does not answer. */
const KEPT = Duration.minutes(10)

/** Remembers who had a subscription lately. Others are not remembered, so that invented users take the place of no subscriber. */
const makeSubscribers = (cacheLifetime: Duration.Input) => {
  const keptMillis = Duration.toMillis(Duration.fromInputUnsafe(cacheLifetime)) + Duration.toMillis(KEPT)
  const seenAt = LatestMap.make<string, number>(CAPACITY)
  return {
    note: (userId: string, isActive: boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (isActive) seenAt.set(userId, now)
        else seenAt.delete(userId)
      }),
    has: (userId: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => now - (seenAt.get(userId) ?? Number.NEGATIVE_INFINITY) < keptMillis)
  }
}

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
        longestPause: LONGEST_PAUSE,
        toleratedFor: TOLERATED,
        longestOpen: LONGEST_PAUSE,
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

      const subscribers = makeSubscribers(options.cacheLifetime)

      const answers = yield* Cache.makeWith(
        (userId: string) =>
          ask(userId).pipe(
            Effect.tap((isActive) => subscribers.note(userId, isActive)),
            Effect.map((isActive) => ({ isActive, isKnown: true })),
            Effect.catch((error) =>
              Effect.logWarning("subscriptions.unknown").pipe(
                Effect.annotateLogs({ detail: error.message }),
                Effect.andThen(subscribers.has(userId)),
                Effect.map((isActive) => ({ isActive, isKnown: false }))
              )
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
