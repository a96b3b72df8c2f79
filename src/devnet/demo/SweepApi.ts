/** The orchestrator as an ordinary client sees it: three HTTP calls, nothing shared with the service but the spec. */
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { IntentStatus } from "../../domain/Intent.ts"
import { Quote } from "../../domain/Quote.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"
import { Hash } from "../../domain/Hex.ts"

const QuoteAnswer = Schema.Struct({
  quote: Quote,
  order: SweepOrder,
  signing: Schema.Struct({
    authorization: Schema.Struct({
      address: Schema.TemplateLiteral(["0x", Schema.String]),
      chainId: Schema.Int,
      nonce: Schema.Union([Schema.Int, Schema.String])
    })
  })
})

const IntentAnswer = Schema.Struct({
  id: Schema.String,
  status: IntentStatus,
  txHash: Schema.optionalKey(Hash),
  deliveryTxHash: Schema.optionalKey(Hash),
  failureReason: Schema.optionalKey(Schema.String)
})
export type IntentAnswer = typeof IntentAnswer.Type

/** The service did not answer as the spec says. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>()("UnexpectedAnswer", {
  request: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.request}: ${this.detail}`
  }
}

export const make = Effect.fnUntraced(function* (orchestratorUrl: string) {
  const http = yield* HttpClient.HttpClient

  const send = <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Codec<A, I>
  ): Effect.Effect<A, UnexpectedAnswer> =>
    Effect.gen(function* () {
      const response = yield* http.execute(request)
      const body = yield* response.text
      if (response.status >= 300) return yield* Effect.fail(new Error(`${response.status} ${body}`))
      return yield* Schema.decodeEffect(Schema.fromJsonString(answer))(body)
    }).pipe(
      Effect.mapError(
        (error) => new UnexpectedAnswer({ request: `${request.method} ${request.url}`, detail: error.message })
      )
    )
  const post = (path: string, body: unknown) =>
    HttpClientRequest.post(`${orchestratorUrl}${path}`).pipe(HttpClientRequest.bodyJsonUnsafe(body))

  return {
    quote: (body: unknown) => send(post("/quote", body), QuoteAnswer),
    submit: (body: unknown) => send(post("/intents", body), IntentAnswer),
    intent: (id: string) => send(HttpClientRequest.get(`${orchestratorUrl}/intents/${id}`), IntentAnswer)
  }
})
