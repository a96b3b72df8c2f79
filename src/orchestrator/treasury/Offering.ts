/**
 * The treasury as a client of the service: it requests a quote, reviews it with the client's own code, signs what it derived itself, and
 * submits.
 */
import { Clock, Effect, Schema } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { typedData } from "../../domain/SweepOrder.ts"
import { type StoredSale, UnsellableReason } from "../../domain/Treasury.ts"
import { leastOutput } from "../../domain/TreasuryPlan.ts"
import { DOMAIN_TYPE } from "../../sdk/model/TypedData.ts"
import { reviewOrder } from "../../sdk/review/Review.ts"
import { readVenueCall } from "../../sdk/review/venues/KnownVenues.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { Signer } from "../../ports/orchestrator/TreasuryKey.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Intake } from "../intake/Intake.ts"
import type { QuoteFailed } from "../quote/QuoteFailed.ts"
import { Quoter } from "../quote/Quoter.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Holdings from "./Holdings.ts"

/** The sale cannot be made, for this reason. */
export class SaleRefused extends Schema.TaggedError<SaleRefused>()("SaleRefused", {
  reason: UnsellableReason,
  detail: Schema.String
}) {
  override get message(): string {
    return `sale refused (${this.reason}): ${this.detail}`
  }
}

/** The sale cannot be made at present. */
export class SaleDelayed extends Schema.TaggedError<SaleDelayed>()("SaleDelayed", { detail: Schema.String }) {
  override get message(): string {
    return `sale delayed: ${this.detail}`
  }
}

/** Reasons of a failed quote that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  "budget_spent",
  "chain_paused",
  "paused",
  "chain_unavailable",
  "upstream_unavailable",
  "store_unavailable",
  "too_busy"
])

/** Reasons of a failed quote that are reasons of a sale. */
const REASONS: Readonly<Partial<Record<string, UnsellableReason>>> = {
  no_price: "no_price",
  no_route: "no_route",
  token_declined: "token_declined",
  fees_exceed_input: "fees_exceed_input"
}

const refusedBy = ({ detail, reason }: QuoteFailed): SaleRefused | SaleDelayed =>
  PASSING.has(reason)
    ? new SaleDelayed({ detail: `${reason}: ${detail}` })
    : new SaleRefused({ reason: REASONS[reason] ?? "sale_failed", detail: `${reason}: ${detail}` })

/** Upper limit of the fee of a sale, in basis points of the amount. It returns to the fee recipient, but is not sold. */
const MAX_FEE_BPS = 5_000

const ALL_BPS = 10_000

const requestOf = (sale: StoredSale, chain: Chain): QuoteRequest => ({
  owner: sale.seller,
  tokenIn: sale.token,
  amountIn: sale.amount,
  tokenOut: sale.asset,
  destination: sale.seller,
  destChainId: sale.chainId,
  tier: "tier1",
  route: `${chain.name}->${chain.name}`,
  subscriptionActive: false,
  userId: `treasury:${sale.id}`
})

type Offered = Pick<Intent, "order" | "quote">

/** Makes `reviewed(client, sale, offered, nonce)`, which fails if the order is not the sale. */
const makeReviewed = Effect.gen(function* () {
  const { prices } = yield* Holdings.make
  const settings = yield* OrchestratorSettings

  /** Least output of the order by the present prices. */
  const least = Effect.fnUntraced(function* (client: ChainClient, sale: StoredSale, { order }: Offered) {
    const known = yield* Effect.mapError(
      prices(client, [sale.token, sale.asset]),
      ({ message }) => new SaleDelayed({ detail: message })
    )
    const [token, asset] = [known.get(sale.token), known.get(sale.asset)]
    if (token === undefined || asset === undefined) {
      return yield* new SaleRefused({ reason: "no_price", detail: "the token or the asset has no price" })
    }
    return leastOutput(
      order.amountIn - order.feeAmount - order.builderFee,
      token,
      asset,
      settings.treasury.toleranceBps
    )
  })

  /** Data to sign: derived from the order, which is compared with the sale first. */
  return Effect.fnUntraced(function* (client: ChainClient, sale: StoredSale, offered: Offered, nonce: bigint) {
    const { chain } = client
    const { order, quote } = offered
    const minAmountOut = yield* least(client, sale, offered)
    if (quote.minAmountOut < minAmountOut) {
      return yield* new SaleRefused({
        reason: "price_impact",
        detail: `the sale delivers at least ${quote.minAmountOut}, and ${minAmountOut} are wanted at the present prices`
      })
    }
    const nowMs = yield* Clock.currentTimeMillis
    const derived = typedData(order, { name: settings.domainName, chainId: chain.id })
    const authorization = { address: chain.contracts.delegate, chainId: chain.id, nonce }
    yield* Effect.try({
      try: () =>
        reviewOrder(
          {
            quote,
            order,
            signing: {
              typedData: { ...derived, types: { EIP712Domain: DOMAIN_TYPE, ...derived.types } },
              authorization: { ...authorization, nonce: Number(nonce) }
            }
          },
          { ...requestOf(sale, chain), sourceChainId: chain.id, minAmountOut },
          {
            domainName: settings.domainName,
            delegates: { [chain.id]: chain.contracts.delegate },
            maxFeeBps: MAX_FEE_BPS,
            // `minAmountOut` has the limit of the sale, and the service's own choice of a router needs no confirmation.
            maxSlippageBps: ALL_BPS,
            unconfirmed: "warn",
            routers: { [chain.id]: { [order.swapTarget]: readVenueCall } },
            allowUnreadableSwapCall: true,
            maxLifetimeSeconds: settings.quoteLifetimeMillis / 1000 + settings.orderGraceSeconds,
            nowMs
          }
        ),
      catch: (cause) =>
        new SaleRefused({ reason: "sale_failed", detail: cause instanceof Error ? cause.message : "not reviewed" })
    })
    return { typedData: derived, authorization }
  })
})

/** Makes `offer(sale)`, which returns a reviewed offer, and `submit(sale, intent)`, which reviews, signs and submits one. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const intake = yield* Intake
  const quoter = yield* Quoter
  const reviewed = yield* makeReviewed

  const clientOf = (sale: StoredSale) =>
    Effect.mapError(chains.get(sale.chainId), ({ message }) => new SaleDelayed({ detail: message }))

  const nonceOf = (client: ChainClient, sale: StoredSale) =>
    Effect.mapError(
      client.transactionCount(sale.seller, "pending"),
      ({ message }) => new SaleDelayed({ detail: message })
    )

  const offer = Effect.fn("Treasury.offer")(function* (sale: StoredSale) {
    const client = yield* clientOf(sale)
    const offered = yield* quoter.quote(requestOf(sale, client.chain)).pipe(
      Effect.catchTags({
        QuoteFailed: (failed) => Effect.fail(refusedBy(failed)),
        RequestRefused: ({ message }) => Effect.fail(new SaleRefused({ reason: "sale_failed", detail: message })),
        ScreeningBlocked: ({ cause }) =>
          Effect.fail(
            cause === "listed"
              ? new SaleRefused({ reason: "screening_blocked", detail: "screening lists the fee recipient" })
              : new SaleDelayed({ detail: "screening does not answer" })
          )
      })
    )
    yield* reviewed(client, sale, offered, yield* nonceOf(client, sale))
    return offered
  })

  const submit = Effect.fn("Treasury.submit")(function* (sale: StoredSale, intent: Intent, signer: Signer) {
    const client = yield* clientOf(sale)
    const toSign = yield* reviewed(client, sale, intent, yield* nonceOf(client, sale))
    const [signature, authorization] = yield* Effect.all([
      signer.signOrder(toSign.typedData),
      signer.signAuthorization(toSign.authorization)
    ])
    yield* intake.submit({ quoteId: intent.id, signature, authorization })
  })

  return { offer, submit }
})
