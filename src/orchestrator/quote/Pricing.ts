/** Prices an order: takes the fees, routes the rest, simulates the whole order, and prices it again if it costs otherwise (Repricing.ts). */
import { Clock, Effect, Option } from "effect"
import * as Address from "../../domain/Address.ts"
import * as ChainMoney from "../../domain/ChainMoney.ts"
import { effectiveBps } from "../../domain/Builder.ts"
import * as CostMemory from "../../domain/CostMemory.ts"
import { blocksUntil, coveredValue, type FeeCover } from "../../domain/FeeCover.ts"
import * as FeePolicy from "../../domain/FeePolicy.ts"
import * as Destination from "../../domain/Destination.ts"
import * as Fees from "../../domain/Fees.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { toleranceOf } from "../../domain/RouteChoice.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import * as Usd from "../../domain/Usd.ts"
import { NATIVE } from "../../domain/Token.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { TokenProfile } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../shared/OrchestratorSettings.ts"
import * as Arriving from "./Arriving.ts"
import * as FeeWorth from "./FeeWorth.ts"
import * as FirstPass from "./FirstPass.ts"
import * as NextRoute from "./NextRoute.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import * as Repricing from "./Repricing.ts"
import type * as Routing from "./Routing.ts"
import type { Priced, Routed, Terms, UsdPrices } from "./Terms.ts"
import * as TransferFees from "./TransferFees.ts"
import * as Valuing from "./Valuing.ts"

/** Longest pause that is asked for while the base fee is above the chain's limit, in milliseconds. */
const LONGEST_PAUSE_MILLIS = 60_000

/** Makes `feesOf(terms, cost)`, the fees that cover a cost in wei. */
const feesBy = (settings: Pick<OrchestratorSettingsShape, "fees" | "feeRules">) => {
  const protocolFee = ({ attributed, client, isSubscribed, profile, request, tier, usd }: Terms) =>
    FeePolicy.protocolFee(
      settings.fees,
      settings.feeRules,
      {
        chainId: client.chain.id,
        destChainId: request.destChainId,
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        tier,
        builderId: attributed?.attribution.builderId
      },
      { amountIn: request.amountIn, isSubscribed, tokenUsd: usd.marketUsd, tokenDecimals: profile.decimals }
    )

  return (terms: Terms, cost: bigint) => {
    const { profile, request, usd } = terms
    return Fees.breakdown({
      amountIn: request.amountIn,
      protocolFee: protocolFee(terms),
      networkFee: Fees.networkFee(settings.fees, { cost, ...usd, tokenDecimals: profile.decimals }),
      builderFee: builderFeeOf(terms)
    })
  }
}

/** Makes `feesOf(terms, cost)`, `routedAt(terms, ways, cost)` and `priceBy(terms, routed, asked)`. */
const makePriceBy = Effect.fnUntraced(function* (valueOf: Effect.Success<typeof FeeWorth.make>["valueOf"]) {
  const settings = yield* OrchestratorSettings
  const rehearse = yield* Arriving.make

  const feesOf = feesBy(settings)

  /** Builds and simulates the order of a route. */
  const attempt = Effect.fnUntraced(function* (
    { attributed, client, deadline, gasFees, nonce, profile, request }: Terms,
    { fees, worth: valued }: Pick<Routed, "fees" | "worth">,
    offered: Routing.Route
  ) {
    const orderOf = (route: Routing.Route): SweepOrder => ({
      owner: request.owner,
      tokenIn: request.tokenIn,
      amountIn: request.amountIn,
      feeAmount: fees.feeAmount,
      builder: attributed?.address ?? Address.zero,
      builderFee: fees.builderFee,
      tokenOut: request.tokenOut,
      minAmountOut: request.destChainId === client.chain.id ? route.guaranteedAmountOut : 0n,
      destination: request.destination,
      swapTarget: route.target,
      swapCalldata: route.calldata,
      deadline,
      nonce,
      destChainId: BigInt(request.destChainId)
    })
    const [rehearsed, worth] = yield* Effect.all(
      [rehearse(client, offered, orderOf, profile.transferFeeBps !== undefined), valued],
      { concurrency: "unbounded" }
    )
    const { dataGas, gas } = rehearsed.simulated
    const cover: FeeCover = { gas: gas + dataGas, gasPrice: gasPriceOf({ gasFees }), value: worth.value }
    return { ...rehearsed, route: withItsTolerance(rehearsed.route), fees, cover, worth } satisfies Omit<
      Priced,
      "failed"
    >
  })

  /** Takes fees that cover the cost, and routes the rest while the worth of the fee is found out. */
  const routedAt = Effect.fnUntraced(function* (
    terms: Terms,
    { begin, routeOf }: { readonly begin: Valuing.Begin; readonly routeOf: Routing.RouteOf },
    cost: bigint
  ) {
    const { client, deadline, nonce, request, usd } = terms
    const fees = yield* Effect.fromResult(feesOf(terms, cost))
    const { owner, tokenIn } = request
    const paying = { owner, tokenIn, nonce, deadline, feeAmount: fees.feeAmount }
    const worth = yield* begin(valueOf(client, paying, coveredValue(cost, settings.fees.networkMarginBps), usd))
    return { cost, fees, worth, routes: yield* routeOf(fees.swapAmount) } satisfies Routed
  })

  /** Builds and simulates the order by the best route that delivers. */
  const priceBy = Effect.fnUntraced(function* (terms: Terms, routed: Routed, asked: Repricing.Asked) {
    const { fees, routes } = routed
    const { client, profile, request, usd } = terms
    const sellable = profile.transferFeeBps === undefined ? routes : yield* TransferFees.sellable(routes)
    const usable = Repricing.ordered(sellable, asked)
    const paidUsd = Usd.valueOf(fees.swapAmount, usd.marketUsd, profile.decimals)
    const swap = {
      chainId: client.chain.id,
      tokenIn: request.tokenIn,
      showsOutput: request.destChainId === client.chain.id,
      worth: NextRoute.gasWorth({ gasPrice: gasPriceOf(terms), nativeUsd: usd.nativeUsd, paidUsd }, usable),
      until: asked.until
    }
    return yield* NextRoute.firstDelivering(swap, usable, (route) => attempt(terms, routed, route))
  })

  return { feesOf, priceBy, routedAt }
})

/** Makes `usdPrices(client, request, token, priceOfSale)`, `price(terms, routeOf)` and `unlessOffered` of `FeeWorth`. */
export const make = Effect.gen(function* () {
  const prices = yield* Prices
  const { pricedFor, renew, requireCover, unlessOffered, valueOf } = yield* FeeWorth.make
  const { feesOf, priceBy, routedAt } = yield* makePriceBy(valueOf)
  const firstPass = FirstPass.make()

  /** `priceOfSale`: what the sweep's own sale pays for the token, if it can be told. It counts where no source has a price. */
  const usdPrices = Effect.fn("Quoter.usdPrices")(function* <E>(
    { chain }: ChainClient,
    { tokenIn }: QuoteRequest,
    { decimals, symbol }: Pick<TokenProfile, "decimals" | "symbol">,
    priceOfSale: Effect.Effect<Option.Option<Fees.UsdPrice>, E>
  ) {
    const known = yield* prices.detailed(chain.id, [
      { address: NATIVE, decimals: 18 },
      { address: tokenIn, decimals }
    ])
    const [nativeUsd = 0n, byMarket = 0n] = [NATIVE, tokenIn].map((token) => {
      const price = known.get(token)
      return price?.isForDisplay === true ? 0n : price?.usd
    })
    const isOfSale = nativeUsd > 0n && !known.has(tokenIn)
    const marketUsd = isOfSale ? Option.getOrElse(yield* priceOfSale, () => 0n) : byMarket
    const tokenUsd = pricedFor(chain, tokenIn, marketUsd, { isOfSale })
    if (nativeUsd < Fees.LEAST_PRICE || tokenUsd < Fees.LEAST_PRICE) {
      return yield* new QuoteFailed({
        reason: "no_price",
        detail: `${symbol} or the native currency has no price, or less than ${Fees.LEAST_PRICE} units of 10^-18 US dollars`
      })
    }
    return { nativeUsd, tokenUsd, marketUsd, isOfSale } satisfies UsdPrices
  })

  const price = Effect.fnUntraced(function* (terms: Terms, routeOf: Routing.RouteOf) {
    yield* refuseAboveLimit(terms)
    yield* refuseCountedFee(terms)
    const ways = { begin: yield* Valuing.make, routeOf }
    const gasPrice = gasPriceOf(terms)
    const until = (yield* Clock.currentTimeMillis) + NextRoute.LIMIT_MILLIS
    const passOf = (priced: Priced, charged: bigint): Repricing.Pass<Priced> => {
      const { dataFee, dataGas, gas } = priced.simulated
      return { priced, charged, cost: CostMemory.weiOf({ gas: gas + dataGas, dataFee }, gasPrice) }
    }
    const first = yield* firstPass(terms, {
      feesOf: (cost) => feesOf(terms, cost),
      gasPrice,
      route: (cost) => routedAt(terms, ways, cost),
      roughly: (cost) =>
        Effect.flatMap(Effect.fromResult(feesOf(terms, cost)), ({ swapAmount }) => routeOf(swapAmount, true)),
      price: (routed) => priceBy(terms, routed, { until }),
      until
    })
    const sold = TransferFees.afterSale(terms, first.priced)
    const { cost, isLast, priced } = yield* Repricing.fitting(passOf(first.priced, first.charged), {
      isAllowed: ({ fees }) => isWithinMaximum(terms.request, fees),
      isUsable: sold === terms,
      until,
      price: (charged, preference) =>
        routedAt(sold, ways, charged).pipe(
          Effect.flatMap((routed) => priceBy(sold, routed, { until, ...preference })),
          Effect.map((again) => passOf(again, charged)),
          // So that a silence that begins now leaves the passes before to offer.
          Effect.tap((pass) => FeeWorth.requireKnown(pass.priced.worth, pass.cost))
        )
    })
    // Begun like a valuation, so that none which still runs promises another fee after it.
    if (!isLast) yield* Effect.flatten(ways.begin(renew(terms.client, priced.order, priced.worth)))
    yield* requireCover(terms.client, priced.order, priced.worth, cost, terms.usd)
    yield* refuseAboveMaximum(terms.request, priced.fees)
    return priced
  }, Effect.scoped)

  return { usdPrices, price, unlessOffered }
})

/** The route with the tolerance of its minimum. A service fixes the minimum of its call, and the rehearsal may lower the estimate. */
const withItsTolerance = (route: Routing.Route): Routing.Route =>
  route.expecting === undefined
    ? { ...route, slippageBps: toleranceOf(route.estimatedAmountOut, route.guaranteedAmountOut) }
    : route

const builderFeeOf = ({ attributed, request }: Pick<Terms, "attributed" | "request">): bigint =>
  Fees.builderFee(request.amountIn, attributed === undefined ? 0 : effectiveBps(attributed.attribution))

/** Price in wei per gas that the network fee is computed with: that of the next block. */
const gasPriceOf = ({ gasFees }: Pick<Terms, "gasFees">): bigint => gasFees.baseFeePerGas + gasFees.maxPriorityFeePerGas

/** Nothing is sent while the base fee is above the chain's limit, so a quote could not be kept. */
const refuseAboveLimit = ({ client: { chain }, gasFees }: Terms) =>
  ChainMoney.isWithinLimit(gasFees)
    ? Effect.void
    : Effect.fail(
        new QuoteFailed({
          reason: "fee_limit",
          detail: `the base fee of ${chain.name}, ${gasFees.baseFeePerGas} wei, is above its maxFeePerGasWei, ${gasFees.maxFeePerGas} wei`,
          retryAfterMillis: Math.min(
            LONGEST_PAUSE_MILLIS,
            blocksUntil(gasFees.baseFeePerGas, gasFees.maxFeePerGas) * chain.blockTimeMillis
          )
        })
      )

/** The minimum of such an order proves less than the quote says. */
const refuseCountedFee = (terms: Terms) => {
  const { attributed, client, request } = terms
  const builder = attributed !== undefined && builderFeeOf(terms) > 0n ? [attributed.address] : []
  return Destination.countsFees(client.chain, request, [client.chain.feeRecipient, ...builder])
    ? Effect.fail(
        new QuoteFailed({
          reason: "counted_fee",
          detail: `${request.destination} receives a fee of the order in the output token, so that the fee would count as output`
        })
      )
    : Effect.void
}

/** The client sets the maximum in its request. */
const isWithinMaximum = ({ maxNetworkFee }: QuoteRequest, { networkFee }: Fees.FeeBreakdown): boolean =>
  maxNetworkFee === undefined || networkFee <= maxNetworkFee

const refuseAboveMaximum = (request: QuoteRequest, fees: Fees.FeeBreakdown) =>
  isWithinMaximum(request, fees)
    ? Effect.void
    : Effect.fail(
        new QuoteFailed({
          reason: "network_fee_above_maximum",
          detail: `the network fee is ${fees.networkFee}, and the request allows ${request.maxNetworkFee}`
        })
      )
