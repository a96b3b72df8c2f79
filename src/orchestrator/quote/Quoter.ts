/**
 * Quotes a sweep: admits the request, reads the account and the token, prices and simulates the order, and stores the intent
 * before it is offered.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Quote, QuoteRequest } from "../../domain/Quote.ts"
import { quotedGas } from "../../domain/RelayGas.ts"
import { digest, type SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { riskier } from "../../domain/Tier.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { Turns } from "../shared/Turns.ts"
import * as Admission from "./Admission.ts"
import * as Affording from "./Affording.ts"
import * as OrderNonces from "./OrderNonces.ts"
import * as Pricing from "./Pricing.ts"
import { asQuoteFailed, type QuoteFailed } from "./QuoteFailed.ts"
import * as Reading from "./Reading.ts"

/** Everything that a client signs, so that it needs no node of its own. */
export interface SigningPayload {
  /** EIP-712 typed data of the order. */
  readonly typedData: ReturnType<typeof typedData>
  /** EIP-7702 authorization to sign: for the chain's delegate, with the account's next transaction nonce. */
  readonly authorization: Pick<Authorization, "address" | "chainId" | "nonce">
}

export interface Offer {
  readonly quote: Quote
  readonly order: SweepOrder
  readonly signing: SigningPayload
}

export class Quoter extends Context.Service<
  Quoter,
  {
    /** Makes and stores an offer, which can be submitted until its quote expires. */
    readonly quote: (
      request: QuoteRequest,
      /** Network of the client. */
      network?: string
    ) => Effect.Effect<Offer, ScreeningBlocked | QuoteFailed>
  }
>()("sweep/orchestrator/Quoter") {
  static readonly layer = Layer.effect(
    Quoter,
    Effect.gen(function* () {
      const { admit, foresee } = yield* Admission.make
      const afford = yield* Affording.make
      const { price, usdPrices } = yield* Pricing.make
      const read = yield* Reading.make(usdPrices)
      const settings = yield* OrchestratorSettings
      const store = yield* makeStore
      const turns = yield* Turns
      const withNonce = yield* OrderNonces.make

      const quote = Effect.fn("Quoter.quote")(
        function* (request: QuoteRequest, _network?: string) {
          const expiresAtMs = (yield* Clock.currentTimeMillis) + settings.quoteLifetimeMillis
          const deadline = BigInt(Math.floor(expiresAtMs / 1000) + settings.orderGraceSeconds)
          // Beside the admission, so that a chain is not waited for once more. Nothing of it is used unless the request is admitted.
          const foreseen = yield* foresee(request)
          const early = Option.isSome(foreseen) ? yield* read(foreseen.value, request, deadline) : undefined
          const client = yield* admit(request)
          const isForeseen = early?.client.chain.id === client.chain.id
          if (early !== undefined && !isForeseen) yield* early.stop
          const reading = early !== undefined && isForeseen ? early : yield* read(client, request, deadline)
          const { accountNonce, block, routeOf, ...known } = yield* reading.all
          const terms = { client, request, ...known, tier: riskier(request.tier, known.profile.tier), deadline }
          const priced = yield* withNonce(client, request.owner, (nonce) => price({ ...terms, nonce }, routeOf))
          yield* afford(terms, priced)
          return yield* store(terms, priced, { accountNonce, expiresAtMs, quotedAtBlock: block.number })
        },
        (effect, { destChainId, owner, tokenIn, tokenOut }, network) =>
          turns.take({ owner, tokenIn, tokenOut, destChainId, network })(effect),
        asQuoteFailed,
        Priority.at("quote")
      )

      return Quoter.of({ quote })
    })
  ).pipe(Layer.provide([StandingAlerts.layer, Turns.layer]))
}

/** Makes `store`, which stores the intent and returns its offer. */
const makeStore = Effect.gen(function* () {
  const intents = yield* Intents
  const random = yield* SecureRandom.SecureRandom
  const settings = yield* OrchestratorSettings

  return Effect.fnUntraced(function* (
    { attributed, client, request, tier }: Omit<Pricing.Terms, "nonce">,
    { cover, order, route, simulated }: Pricing.Priced,
    at: { readonly accountNonce: bigint; readonly expiresAtMs: number; readonly quotedAtBlock: bigint }
  ) {
    const { chain } = client
    const builderId = attributed?.attribution.builderId
    const id = yield* random.uuidV4()
    const quote: Quote = {
      id,
      crossChain: request.destChainId !== chain.id,
      expiresAtMs: at.expiresAtMs,
      total: order.feeAmount + order.builderFee,
      ...(builderId === undefined ? {} : { builderId }),
      settlementAddress: chain.contracts.delegate,
      sourceChainId: chain.id,
      estimatedAmountOut: route.estimatedAmountOut,
      minAmountOut: route.guaranteedAmountOut,
      provider: route.provider,
      estimatedSeconds: route.estimatedSeconds
    }
    const domain = { name: settings.domainName, chainId: chain.id }
    yield* intents.create({
      quote,
      order,
      orderDigest: digest(order, domain),
      quotedAtBlock: at.quotedAtBlock,
      gas: quotedGas(simulated),
      cover,
      userId: request.userId,
      ...(attributed === undefined
        ? {}
        : { attributed: { builderId: attributed.attribution.builderId, payoutMode: attributed.payoutMode } })
    })
    yield* Effect.logInfo("quote.offered").pipe(
      Effect.annotateLogs({ intentId: id, chainId: chain.id, provider: route.provider, tier })
    )
    return {
      quote,
      order,
      signing: {
        typedData: typedData(order, domain),
        authorization: { address: chain.contracts.delegate, chainId: chain.id, nonce: at.accountNonce }
      }
    } satisfies Offer
  })
})
