/** Relayer fees from Across's HTTP API, `GET /suggested-fees`. Answers are checked before they are used in a deposit. */
import { Clock, type Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import * as Body from "../body/Body.ts"
import { AcrossFees, type FeeRequest } from "./AcrossFees.ts"

export interface Options {
  /** Without a trailing slash. */
  readonly apiUrl: string
  /** Timeout of one request. Default: 5 seconds. */
  readonly timeout?: Duration.Input
  readonly apiKey?: Redacted.Redacted<string>
}

const PROVIDER = "across"

/** Largest body of an answer, in bytes. */
const MAX_BYTES = 1_048_576

/** Pause after a 429 without `Retry-After`. */
const DEFAULT_RETRY_AFTER_SECONDS = 5
/** Maximum pause, so that no answer can disable the bridge for long. */
const MAX_RETRY_AFTER_SECONDS = 300

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The API's versions return numbers as strings or as numbers. */
const Seconds = Schema.Union([Schema.NumberFromString, Schema.Number]).check(
  Schema.isInt(),
  Schema.isGreaterThanOrEqualTo(0)
)

const SuggestedFees = Schema.Struct({
  isAmountTooLow: Schema.Boolean,
  spokePoolAddress: Address.Address,
  destinationSpokePoolAddress: Schema.optionalKey(Address.Address),
  outputAmount: Uint256,
  timestamp: Seconds,
  fillDeadline: Seconds,
  exclusiveRelayer: Address.Address,
  /** Seconds from the deposit, or UNIX seconds. */
  exclusivityDeadline: Seconds,
  estimatedFillTimeSec: Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })),
  limits: Schema.Struct({ maxDeposit: Uint256 })
})

const Refusal = Schema.Struct({ code: Schema.String, message: Schema.String })

const decodeFees = Schema.decodeUnknownEffect(SuggestedFees)
const decodeRefusal = Schema.decodeUnknownOption(Refusal)

/** Larger values are a point in time and not a duration for the contract (`MAX_EXCLUSIVITY_PERIOD_SECONDS`). */
const FIRST_TIMESTAMP = 31_536_001

const unavailable = (detail: string) => new RoutingUnavailable({ provider: PROVIDER, detail })
const noRoute = (detail: string) => new NoRoute({ detail })

/** `Retry-After` in seconds. The API does not use the HTTP date form. */
const retryAfter = (response: HttpClientResponse.HttpClientResponse): number => {
  const seconds = Number(response.headers["retry-after"])
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS)
    : DEFAULT_RETRY_AFTER_SECONDS
}

/** Turns the API's answer into a quote. Rejects an answer for other pools than the configured ones. */
const quoteFrom = (request: FeeRequest, fees: typeof SuggestedFees.Type) => {
  const { destination, inputAmount, source } = request
  if (fees.isAmountTooLow) return Effect.fail(noRoute("the amount is too low for Across"))
  if (inputAmount > fees.limits.maxDeposit) return Effect.fail(noRoute("the amount is above the maximum of Across"))
  if (fees.spokePoolAddress !== source.spokePool) {
    return Effect.fail(unavailable(`names another SpokePool on ${source.name}: ${fees.spokePoolAddress}`))
  }
  const { destinationSpokePoolAddress } = fees
  if (destinationSpokePoolAddress !== undefined && destinationSpokePoolAddress !== destination.spokePool) {
    return Effect.fail(unavailable(`names another SpokePool on ${destination.name}: ${destinationSpokePoolAddress}`))
  }
  const isTimestamp = fees.exclusivityDeadline >= FIRST_TIMESTAMP
  const exclusivitySeconds = isTimestamp
    ? Math.max(0, fees.exclusivityDeadline - fees.timestamp)
    : fees.exclusivityDeadline
  const isExclusive = !Address.isZero(fees.exclusiveRelayer) && exclusivitySeconds > 0
  return Effect.succeed({
    outputAmount: fees.outputAmount,
    quoteTimestamp: fees.timestamp,
    fillDeadline: fees.fillDeadline,
    exclusiveRelayer: isExclusive ? fees.exclusiveRelayer : Address.zero,
    exclusivitySeconds: isExclusive ? exclusivitySeconds : 0,
    estimatedSeconds: Math.ceil(fees.estimatedFillTimeSec)
  })
}

export const layer = ({ apiKey, apiUrl, timeout = "5 seconds" }: Options) =>
  Layer.effect(
    AcrossFees,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      let blockedUntil = 0

      const ask = Effect.fnUntraced(function* (request: FeeRequest) {
        const query = HttpClientRequest.get(`${apiUrl}/suggested-fees`).pipe(
          HttpClientRequest.setUrlParams({
            inputToken: request.inputToken,
            outputToken: request.outputToken,
            originChainId: request.source.id,
            destinationChainId: request.destination.id,
            amount: request.inputAmount.toString(),
            recipient: request.recipient,
            ...(request.message === undefined ? {} : { message: request.message })
          })
        )
        const response = yield* http.execute(
          apiKey === undefined ? query : HttpClientRequest.bearerToken(query, Redacted.value(apiKey))
        )
        if (response.status === 429) return { _tag: "Blocked" as const, seconds: retryAfter(response) }
        if (response.status >= 500) return { _tag: "Failed" as const, status: response.status }
        return {
          _tag: "Body" as const,
          status: response.status,
          body: Option.getOrUndefined(parsed(yield* Body.text(response, MAX_BYTES)))
        }
      })

      const quote = Effect.fn("AcrossFeesHttp.quote")(function* (request: FeeRequest) {
        const now = yield* Clock.currentTimeMillis
        if (now < blockedUntil) return yield* unavailable("rate limited, waiting until the API accepts requests")
        const answer = yield* ask(request).pipe(
          Effect.mapError((error) => unavailable(error._tag === "BodyTooLong" ? error.message : error.reason._tag)),
          Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(unavailable("timed out")) })
        )
        if (answer._tag === "Blocked") {
          blockedUntil = now + answer.seconds * 1_000
          return yield* unavailable(`rate limited, next request in ${answer.seconds} s`)
        }
        if (answer._tag === "Failed") return yield* unavailable(`HTTP ${answer.status}`)
        if (answer.status >= 400) {
          const refusal = decodeRefusal(answer.body)
          // An error without the API's error object comes from a proxy or from a wrong configuration.
          if (Option.isNone(refusal)) return yield* unavailable(`HTTP ${answer.status}`)
          return yield* noRoute(`${refusal.value.code}: ${refusal.value.message}`)
        }
        const fees = yield* decodeFees(answer.body).pipe(Effect.mapError(() => unavailable("malformed answer")))
        return yield* quoteFrom(request, fees)
      })

      return AcrossFees.of({ quote })
    })
  )
