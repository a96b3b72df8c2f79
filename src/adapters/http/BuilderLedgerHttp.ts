/**
 * {@link BuilderLedger} by the builder backend's `POST /accruals` and `POST /revenue`, with the machine's bearer token.
 *
 * An entry counts as booked when the backend says `{ "ok": true }`, not by the status alone, so that something else that
 * answers 200 at the configured address loses nothing. It is refused for good on 409 (booked with other content) and 422
 * (not acceptable). All else is worth another attempt, a wrong token too: the operator can put it right.
 */
import { Duration, Effect, Layer, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { Accrual, type OutboxMessage, Revenue } from "../../domain/Accrual.ts"
import { BuilderLedger, LedgerRefused, LedgerUnavailable } from "../../ports/BuilderLedger.ts"
import * as Exchange from "./Exchange.ts"

export interface Options {
  /** Base URL of the builder backend. */
  readonly builderUrl: string
  /** The backend's machine token. */
  readonly token: Redacted.Redacted
  readonly timeout?: Duration.Input
}

const encodeAccrual = Schema.encodeSync(Accrual)
const encodeRevenue = Schema.encodeSync(Revenue)

const readBooked = Exchange.json(Schema.Struct({ ok: Schema.Literal(true) }))
/** Validation failures come with a structured detail, other errors with a code. */
const readError = Exchange.json(Schema.Struct({ error: Schema.Unknown }))

/** Error texts of the backend are kept for the operator, within reason. */
const MAX_DETAIL = 300

const post = (message: OutboxMessage) =>
  message._tag === "Accrual"
    ? HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/accruals"), encodeAccrual(message.accrual))
    : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/revenue"), encodeRevenue(message.revenue))

const answer = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  switch (response.status) {
    case 200:
    case 201:
      return yield* readBooked(response)
    case 409:
    case 422: {
      const { error } = yield* Effect.orElseSucceed(readError(response), () => ({ error: "no reason given" }))
      const detail = typeof error === "string" ? error : JSON.stringify(error)
      return yield* new LedgerRefused({ status: response.status, detail: detail.slice(0, MAX_DETAIL) })
    }
    default:
      return yield* Exchange.unexpected(response)
  }
})

export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const timeout = options.timeout ?? Duration.seconds(5)

  const book = Effect.fn("BuilderLedger.book")(
    function* (message: OutboxMessage) {
      const request = post(message).pipe(
        HttpClientRequest.prependUrl(options.builderUrl),
        HttpClientRequest.bearerToken(options.token),
        HttpClientRequest.acceptJson
      )
      yield* Exchange.exchange(client, request, timeout, answer)
    },
    Effect.catchTag("ExchangeFailed", (error) => Effect.fail(new LedgerUnavailable({ detail: error.message })))
  )

  return BuilderLedger.of({ book })
})

export const layer = (options: Options) => Layer.effect(BuilderLedger, make(options))
