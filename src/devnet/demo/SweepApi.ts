/** The HTTP calls to the orchestrator that sweeps of one token and of a wallet need. */
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Uint256 } from "../../domain/Amount.ts"
import { IntentStatus } from "../../domain/Intent.ts"
import { Quote } from "../../domain/Quote.ts"
import { SweepOrder } from "../../domain/SweepOrder.ts"
import { Hash } from "../../domain/Hex.ts"
import * as Exchange from "./Exchange.ts"

const Total = Schema.Struct({ amount: Uint256 })

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

const Offered = Schema.Struct({ quote: Quote, order: SweepOrder })

const Declined = Schema.Struct({ chainId: Schema.Int, token: Schema.String, reason: Schema.String })

const QuotesAnswer = Schema.Struct({
  expiresAtMs: Schema.Int,
  quotes: Schema.Array(Schema.Union([Offered, Declined])),
  totals: Schema.Struct({
    minAmountOut: Total,
    fees: Schema.Struct({ protocol: Total, network: Total, builder: Total })
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

const SweepAnswer = Schema.Struct({ id: Schema.String, intents: Schema.Array(IntentAnswer) })

export const make = Effect.fnUntraced(function* (orchestratorUrl: string) {
  const send = yield* Exchange.make
  const post = (path: string, body: unknown) =>
    HttpClientRequest.post(`${orchestratorUrl}${path}`).pipe(HttpClientRequest.bodyJsonUnsafe(body))

  const get = (path: string) => HttpClientRequest.get(`${orchestratorUrl}${path}`)

  return {
    quote: (body: unknown) => send(post("/quote", body), QuoteAnswer),
    submit: (body: unknown) => send(post("/intents", body), IntentAnswer),
    intent: (id: string) => send(get(`/intents/${id}`), IntentAnswer),
    quotes: (body: unknown) => send(post("/quotes", body), QuotesAnswer),
    submitSweep: (body: unknown) => send(post("/sweeps", body), SweepAnswer),
    sweep: (id: string) => send(get(`/sweeps/${id}`), SweepAnswer)
  }
})
