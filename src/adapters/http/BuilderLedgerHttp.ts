/**
 * {@link BuilderLedger} over the builder backend's `POST /accruals`, `POST /revenue` and `POST /sweep-events`, with its bearer
 * token for machines.
 *
 * An entry counts as booked only if the body is `{ "ok": true }`: another server that returns 200 at the configured url must
 * not lose entries. 409 (booked with other content) and 422 (invalid) are permanent refusals. Every other failure is retried,
 * even a wrong token, because the operator can correct it. For an event, 404 is a permanent refusal too: an older backend does
 * not have the route.
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
  /** Token of the backend for machines. */
  readonly token: Redacted.Redacted
  readonly timeout?: Duration.Input
}

const encodeAccrual = Schema.encodeSync(Accrual)
const encodeRevenue = Schema.encodeSync(Revenue)
const encodeEvent = Schema.encodeSync(SweepEvent)

const readBooked = Exchange.json(Schema.Struct({ ok: Schema.Literal(true) }))
const readRevenues = Exchange.json(Schema.Struct({ ok: Schema.Literal(true), booked: Schema.Array(Schema.String) }))
/** Validation failures have a structured detail, other errors a code. */
const readError = Exchange.json(Schema.Struct({ error: Schema.Unknown }))

/** Maximum length of an error text of the backend that is kept for the operator. */
const MAX_DETAIL = 300

const post = (message: LedgerMessage) =>
  message._tag === "Accrual"
    ? HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/accruals"), encodeAccrual(message.accrual))
    : HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/revenue"), encodeRevenue(message.revenue))

/** Statuses that refuse an entry permanently. */
const ENTRY_REFUSED = [409, 422]
/** The same for routes that an older backend does not have. */
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
