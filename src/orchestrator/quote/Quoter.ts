/**
 * Quotes a sweep: admits the request, reads the account and the token, prices and simulates the order, and stores the intent
 * before it is offered.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { accountCode, type Authorization } from "../../domain/Delegation.ts"
import type { Quote, QuoteRequest } from "../../domain/Quote.ts"
import { quotedGas } from "../../domain/RelayGas.ts"
import { digest, type SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { riskier } from "../../domain/Tier.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Admission from "./Admission.ts"
import * as Attributing from "./Attributing.ts"
import * as OrderNonces from "./OrderNonces.ts"
import * as Pricing from "./Pricing.ts"
import { asQuoteFailed, QuoteFailed } from "./QuoteFailed.ts"

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
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, ScreeningBlocked | QuoteFailed>
  }
>()("sweep/orchestrator/Quoter") {
  static readonly layer = Layer.effect(
    Quoter,
    Effect.gen(function* () {
      const admit = yield* Admission.make
      const facts = yield* makeFacts
      const { price, usdPrices } = yield* Pricing.make
      const settings = yield* OrchestratorSettings
      const store = yield* makeStore
      const unusedNonce = yield* OrderNonces.make

      const quote = Effect.fn("Quoter.quote")(function* (request: QuoteRequest) {
        const client = yield* admit(request)
        const { accountNonce, block, ...known } = yield* facts(client, request)
        const usd = yield* usdPrices(client, request, known.profile)
        const nonce = yield* unusedNonce(client, request.owner)
        const expiresAtMs = (yield* Clock.currentTimeMillis) + settings.quoteLifetimeMillis
        const terms: Pricing.Terms = {
          client,
          request,
          ...known,
          usd,
          tier: riskier(request.tier, known.profile.tier),
          nonce,
          deadline: BigInt(Math.floor(expiresAtMs / 1000) + settings.orderGraceSeconds)
        }
        return yield* store(terms, yield* price(terms), { accountNonce, expiresAtMs, quotedAtBlock: block.number })
      }, asQuoteFailed)

      return Quoter.of({ quote })
    })
  )
}

/** Makes `facts(client, request)`: what a quote needs from the chain, the token's screening and the builder's key. */
const makeFacts = Effect.gen(function* () {
  const attribute = yield* Attributing.make
  const tokenRisk = yield* TokenRisk

  return Effect.fnUntraced(function* (client: ChainClient, request: QuoteRequest) {
    const { amountIn: amount, apiKey, owner, tokenIn: token } = request
    const { code, head, ...facts } = yield* Effect.all(
      {
        code: client.code(owner),
        accountNonce: client.transactionCount(owner, "pending"),
        profile: tokenRisk.screenInput({ chainId: client.chain.id, token, owner, amount }),
        attributed: attribute(client, apiKey),
        gasFees: client.feesPerGas,
        head: client.block("latest")
      },
      { concurrency: "unbounded" }
    )
    if (accountCode(code)._tag === "Contract") {
      return yield* new QuoteFailed({
        reason: "owner_is_a_contract",
        detail: "only an externally owned account can be delegated"
      })
    }
    if (Option.isNone(head)) {
      return yield* new QuoteFailed({
        reason: "upstream_unavailable",
        detail: `${client.chain.name} has no latest block`
      })
    }
    return { ...facts, block: head.value }
  })
})

/** Makes `store`, which stores the intent and returns its offer. */
const makeStore = Effect.gen(function* () {
  const intents = yield* Intents
  const random = yield* SecureRandom.SecureRandom
  const settings = yield* OrchestratorSettings

  return Effect.fnUntraced(function* (
    { attributed, client, request, tier }: Pricing.Terms,
    { order, route, simulated }: Pricing.Priced,
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
