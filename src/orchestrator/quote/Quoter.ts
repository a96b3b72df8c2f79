/**
 * Quotes sweeps: admits the request, reads the account and the token, prices and simulates the order, and stores the intent
 * before it is offered.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { SweepQuotesRequest } from "../../domain/SweepQuotes.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import * as RequestNetwork from "../../ports/shared/RequestNetwork.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { RequestTurns } from "../shared/RequestTurns.ts"
import * as Admission from "./Admission.ts"
import * as Counting from "./Counting.ts"
import * as Offering from "./Offering.ts"
import * as Pricing from "./Pricing.ts"
import { asQuoteFailed, type QuoteFailed } from "./QuoteFailed.ts"
import * as Reading from "./Reading.ts"
import * as RequestRefused from "./RequestRefused.ts"
import * as WalletQuotes from "./WalletQuotes.ts"

export type { Offer, SigningPayload } from "./Offering.ts"

export class Quoter extends Context.Service<
  Quoter,
  {
    /** Makes and stores an offer, which can be submitted until its quote expires. */
    readonly quote: (
      request: QuoteRequest,
      /** Network of the client. */
      network?: string
    ) => Effect.Effect<Offering.Offer, ScreeningBlocked | QuoteFailed | RequestRefused.RequestRefused>
    /** Makes and stores an offer of each token that can be quoted, to sign together. */
    readonly quoteAll: (
      request: SweepQuotesRequest,
      /** Network of the client. */
      network?: string
    ) => Effect.Effect<WalletQuotes.WalletOffer, ScreeningBlocked | RequestRefused.RequestRefused>
  }
>()("sweep/orchestrator/Quoter") {
  static readonly layer = Layer.effect(
    Quoter,
    Effect.gen(function* () {
      const { admit, check, foresee } = yield* Admission.make
      const pricing = yield* Pricing.make
      const read = yield* Reading.make(pricing.usdPrices)
      const offer = yield* Offering.make(pricing)
      const refuse = yield* RequestRefused.make
      const settings = yield* OrchestratorSettings
      const turns = yield* RequestTurns
      const quoteAll = yield* WalletQuotes.make({ check, offer, read })

      const quoteOne = Effect.fn("Quoter.quote")(
        function* (request: QuoteRequest, _network?: string) {
          const times = Offering.timesFrom(yield* Clock.currentTimeMillis, settings)
          // Beside the admission, so that a chain is not waited for once more. Nothing of it is used unless the request is admitted.
          const foreseen = yield* foresee(request)
          const early = Option.isSome(foreseen) ? yield* read(foreseen.value, request, times.deadline) : undefined
          const client = yield* admit(request)
          const isForeseen = early?.client.chain.id === client.chain.id
          if (early !== undefined && !isForeseen) yield* early.stop
          const reading = early !== undefined && isForeseen ? early : yield* read(client, request, times.deadline)
          return (yield* offer(reading, request, times)).offer
        },
        (effect, request, network) => turns.take({ owner: request.owner, swaps: [request], network })(effect),
        asQuoteFailed,
        Priority.at("quote"),
        (effect, _request, network) => RequestNetwork.of(network)(effect)
      )

      const quote = (request: QuoteRequest, network?: string) =>
        refuse({ ...request, tokens: [request.tokenOut, request.tokenIn] }).pipe(
          Effect.andThen(quoteOne(request, network)),
          Effect.tap(({ quote: { provider } }) => Counting.offered(provider)),
          Counting.measured("one")
        )

      return Quoter.of({ quote, quoteAll })
    })
  ).pipe(Layer.provide([StandingAlerts.layer, RequestTurns.layer]))
}
