/** The three HTTP calls to the orchestrator that a sweep needs. */
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { IntentStatus } from "../../domain/Intent.ts"
import { Quote } from "../../domain/Quote.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"
import { Hash } from "../../domain/Hex.ts"
import * as Exchange from "./Exchange.ts"

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

export const make = Effect.fnUntraced(function* (orchestratorUrl: string) {
  const send = yield* Exchange.make
  const post = (path: string, body: unknown) =>
    HttpClientRequest.post(`${orchestratorUrl}${path}`).pipe(HttpClientRequest.bodyJsonUnsafe(body))

  return {
    quote: (body: unknown) => send(post("/quote", body), QuoteAnswer),
    submit: (body: unknown) => send(post("/intents", body), IntentAnswer),
    intent: (id: string) => send(HttpClientRequest.get(`${orchestratorUrl}/intents/${id}`), IntentAnswer)
  }
})
