/** Relayers' fees by Across's HTTP API: `GET /suggested-fees`. What it says is checked before it reaches a deposit. */
import { Clock, type Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import { AcrossFees, type FeeRequest } from "./AcrossFees.ts"

export interface Options {
  /** Without a trailing slash. */
  readonly apiUrl: string
  /** Timeout of one request. Default: 5 seconds. */
  readonly timeout?: Duration.Input
  readonly apiKey?: Redacted.Redacted<string>
}

const PROVIDER = "across"

/** How long to leave the API alone after a 429 that does not say. */
const DEFAULT_RETRY_AFTER_SECONDS = 5
/** No answer can turn the bridge off for longer than this. */
const MAX_RETRY_AFTER_SECONDS = 300

/** The API has moved numbers between strings and numbers over time. */
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

/** The least that the contract takes as a point in time rather than a duration (`MAX_EXCLUSIVITY_PERIOD_SECONDS`). */
const FIRST_TIMESTAMP = 31_536_001

const unavailable = (detail: string) => new RoutingUnavailable({ provider: PROVIDER, detail })
const noRoute = (detail: string) => new NoRoute({ detail })

/** `Retry-After` in seconds; the HTTP date form is not used by the API. */
const retryAfter = (response: HttpClientResponse.HttpClientResponse): number => {
  const seconds = Number(response.headers["retry-after"])
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS)
    : DEFAULT_RETRY_AFTER_SECONDS
}

/** Turns the API's answer into a quote, refusing one that would send the deposit anywhere else. */
const quoteFrom = (request: FeeRequest, fees: typeof SuggestedFees.Type) => {
  const { destination, inputAmount, source } = request
  if (fees.isAmountTooLow) return Effect.fail(noRoute("the amount is too low for Across"))
  if (inputAmount > fees.limits.maxDeposit) return Effect.fail(noRoute("the amount is above what Across takes"))
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
            recipient: request.recipient
          })
        )
        const response = yield* http.execute(
          apiKey === undefined ? query : HttpClientRequest.bearerToken(query, Redacted.value(apiKey))
        )
        if (response.status === 429) return { _tag: "Blocked" as const, seconds: retryAfter(response) }
        if (response.status >= 500) return { _tag: "Failed" as const, status: response.status }
        return { _tag: "Body" as const, status: response.status, body: yield* response.json }
      })

      const quote = Effect.fn("AcrossFeesHttp.quote")(function* (request: FeeRequest) {
        const now = yield* Clock.currentTimeMillis
        if (now < blockedUntil) return yield* unavailable("asked too often; waiting as told")
        const answer = yield* ask(request).pipe(
          Effect.mapError((error) => unavailable(error.reason._tag)),
          Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(unavailable("no answer in time")) })
        )
        if (answer._tag === "Blocked") {
          blockedUntil = now + answer.seconds * 1_000
          return yield* unavailable(`asked too often; again in ${answer.seconds} s`)
        }
        if (answer._tag === "Failed") return yield* unavailable(`HTTP ${answer.status}`)
        if (answer.status >= 400) {
          const refusal = decodeRefusal(answer.body)
          // A refusal without the API's own error object is that of a proxy, or of a wrong configuration.
          if (Option.isNone(refusal)) return yield* unavailable(`HTTP ${answer.status}`)
          return yield* noRoute(`${refusal.value.code}: ${refusal.value.message}`)
        }
        const fees = yield* decodeFees(answer.body).pipe(Effect.mapError(() => unavailable("malformed answer")))
        return yield* quoteFrom(request, fees)
      })

      return AcrossFees.of({ quote })
    })
  )
