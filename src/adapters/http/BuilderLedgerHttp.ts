/**
 * {@link BuilderLedger} by the builder backend's `POST /accruals`, `POST /revenue` and `POST /sweep-events`, with the machine's
 * bearer token.
 *
 * An entry counts as booked when the backend says `{ "ok": true }`, not by the status alone, so that something else that
 * answers 200 at the configured address loses nothing. It is refused for good on 409 (booked with other content) and 422
 * (not acceptable). All else is worth another attempt, a wrong token too: the operator can put it right. An event is also
 * refused on 404, by a backend that does not know the route.
 */
import { Duration, Effect, Layer, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { Accrual, type LedgerMessage, Revenue } from "../../domain/Accrual.ts"
import { SweepEvent } from "../../domain/SweepEvent.ts"
import { BuilderLedger, LedgerRefused, LedgerUnavailable } from "../../ports/orchestrator/BuilderLedger.ts"
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
const encodeEvent = Schema.encodeSync(SweepEvent)

const readBooked = Exchange.json(Schema.Struct({ ok: Schema.Literal(true) }))
const readRevenues = Exchange.json(Schema.Struct({ ok: Schema.Literal(true), booked: Schema.Array(Schema.String) }))
/** Validation failures come with a structured detail, other errors with a code. */
const readError = Exchange.json(Schema.Struct({ error: Schema.Unknown }))

/** Error texts of the backend are kept for the operator, within reason. */
const MAX_DETAIL = 300

const post = (message: LedgerMessage) =>
  message._tag === "Accrual"
    ? HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/accruals"), encodeAccrual(message.accrual))
    : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/revenue"), encodeRevenue(message.revenue))

/** The statuses that are a refusal for good. */
const ENTRY_REFUSED = [409, 422]
/** Of routes that a backend older than the orchestrator does not have. */
const ROUTE_REFUSED = [404, ...ENTRY_REFUSED]

type Read<A> = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Exchange.ExchangeFailed>

const answer = <A>(read: Read<A>, refusals: ReadonlyArray<number>) =>
  Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
    const { status } = response
    if (status === 200 || status === 201) return yield* read(response)
    if (!refusals.includes(status)) return yield* Exchange.unexpected(response)
    const { error } = yield* Effect.orElseSucceed(readError(response), () => ({ error: "no reason given" }))
    const detail = typeof error === "string" ? error : JSON.stringify(error)
    return yield* new LedgerRefused({ status, detail: detail.slice(0, MAX_DETAIL) })
  })

export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const timeout = options.timeout ?? Duration.seconds(5)

  const send = Effect.fnUntraced(
    function* <A>(unsent: HttpClientRequest.HttpClientRequest, read: Read<A>, refusals: ReadonlyArray<number>) {
      const request = unsent.pipe(
        HttpClientRequest.prependUrl(options.builderUrl),
        HttpClientRequest.bearerToken(options.token),
        HttpClientRequest.acceptJson
      )
      return yield* Exchange.exchange(client, request, timeout, answer(read, refusals))
    },
    Effect.catchTag("ExchangeFailed", (error) => Effect.fail(new LedgerUnavailable({ detail: error.message })))
  )

  return BuilderLedger.of({
    book: Effect.fn("BuilderLedger.book")((message) => Effect.asVoid(send(post(message), readBooked, ENTRY_REFUSED))),
    bookRevenues: Effect.fn("BuilderLedger.bookRevenues")(function* (revenues) {
      const body = { entries: revenues.map((revenue) => encodeRevenue(revenue)) }
      const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/revenue/batch"), body)
      return new Set((yield* send(request, readRevenues, ROUTE_REFUSED)).booked)
    }),
    tell: Effect.fn("BuilderLedger.tell")((event) => {
      const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/sweep-events"), encodeEvent(event))
      return Effect.asVoid(send(request, readBooked, ROUTE_REFUSED))
    })
  })
})

export const layer = (options: Options) => Layer.effect(BuilderLedger, make(options))
