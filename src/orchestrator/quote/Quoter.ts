/**
 * Prices a sweep: screens its parties, classifies the token, attributes the builder, routes, takes the fees, simulates the
 * whole order on the pending state, and stores it before it is offered.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Address from "../../domain/Address.ts"
import { type Attribution, effectiveBps, type PayoutMode } from "../../domain/Builder.ts"
import { accountCode, type Authorization } from "../../domain/Delegation.ts"
import * as Fees from "../../domain/Fees.ts"
import * as OrderNonce from "../../domain/OrderNonce.ts"
import type { Quote, QuoteRequest } from "../../domain/Quote.ts"
import { ASSUMED_SWEEP_GAS, quotedGas } from "../../domain/RelayGas.ts"
import { digest, type SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { riskier, type Tier } from "../../domain/Tier.ts"
import { NATIVE } from "../../domain/Token.ts"
import { BuilderAttribution } from "../../ports/orchestrator/BuilderAttribution.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { Screening, type ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type SimulatedSweep, SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import { type TokenProfile, TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { asQuoteFailed, QuoteFailed } from "./QuoteFailed.ts"
import * as QuoteRouting from "./Routing.ts"
import * as QuoteSource from "./Source.ts"

/** Everything that an independent client signs, so that it needs no node of its own. */
export interface SigningPayload {
  /** EIP-712 typed data of the order. */
  readonly typedData: ReturnType<typeof typedData>
  /** The EIP-7702 authorization to sign: the account's next transaction nonce, for the chain's delegate. */
  readonly authorization: Pick<Authorization, "address" | "chainId" | "nonce">
}

export interface Offer {
  readonly quote: Quote
  readonly order: SweepOrder
  readonly signing: SigningPayload
}

/** What a simulation costs may differ from the assumption by this much, in percent of it, before the order is priced again. */
const COST_TOLERANCE_PERCENT = 10n

interface Attributed {
  readonly attribution: Attribution
  readonly payoutMode: PayoutMode
  readonly address: Address.Address
}

export class Quoter extends Context.Service<
  Quoter,
  {
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, ScreeningBlocked | QuoteFailed>
  }
>()("sweep/orchestrator/Quoter") {
  static readonly layer = Layer.effect(
    Quoter,
    Effect.gen(function* () {
      const attributions = yield* BuilderAttribution
      const chains = yield* Chains
      const contracts = yield* SweepContracts
      const intents = yield* Intents
      const prices = yield* Prices
      const random = yield* SecureRandom.SecureRandom
      const screening = yield* Screening
      const settings = yield* OrchestratorSettings
      const simulation = yield* SweepSimulation
      const tokenRisk = yield* TokenRisk
      const routeOn = yield* QuoteRouting.make
      const sourceOf = yield* QuoteSource.make

      const fail = (reason: QuoteFailed["reason"], detail: string) => new QuoteFailed({ reason, detail })

      /** Whom the key belongs to. A quote without attribution is better than none, so trouble here is only logged. */
      const attribute = Effect.fn("Quoter.attribute")(function* (client: ChainClient, apiKey: string | undefined) {
        if (apiKey === undefined) return undefined
        const resolved = yield* attributions
          .resolve(Redacted.make(apiKey))
          .pipe(Effect.catch((error) => Effect.as(Effect.logWarning("quote left unattributed", error), Option.none())))
        if (Option.isNone(resolved)) return undefined
        const attribution = resolved.value
        const payoutMode = attribution.payoutMode ?? "onchain"
        const blocked = yield* Effect.isFailure(screening.clear(client.chain.id, [attribution.payoutAddress]))
        if (blocked) {
          yield* Effect.logWarning("quote left unattributed: the payout address does not pass screening", {
            builderId: attribution.builderId
          })
          return undefined
        }
        return {
          attribution,
          payoutMode,
          address: payoutMode === "onchain" ? attribution.payoutAddress : client.chain.builderVault
        } satisfies Attributed
      })

      const usdPrices = Effect.fn("Quoter.usdPrices")(function* (
        client: ChainClient,
        request: QuoteRequest,
        profile: TokenProfile
      ) {
        const known = yield* prices.usd(client.chain.id, [
          { address: NATIVE, decimals: 18 },
          { address: request.tokenIn, decimals: profile.decimals }
        ])
        const nativeUsd = known.get(NATIVE)
        const tokenUsd = known.get(request.tokenIn)
        if (nativeUsd === undefined || tokenUsd === undefined || nativeUsd <= 0n || tokenUsd <= 0n) {
          return yield* fail("no_price", `${profile.symbol} or the native currency has no price`)
        }
        return { nativeUsd, tokenUsd }
      })

      const unusedNonce = Effect.fn("Quoter.unusedNonce")(function* (client: ChainClient, owner: Address.Address) {
        let nonce = yield* intents.nextOrderNonce(client.chain.id, owner, 0n)
        // An owner may have spent nonces on chain that were never issued here.
        while (true) {
          const { mask, word } = OrderNonce.position(nonce)
          const bitmap = yield* contracts.nonceBitmap(client, owner, word)
          if ((bitmap & mask) === 0n) return nonce
          nonce = yield* intents.nextOrderNonce(client.chain.id, owner, OrderNonce.firstUnused(nonce, bitmap))
        }
      })

      const quote = Effect.fn("Quoter.quote")(function* (request: QuoteRequest) {
        const source = yield* Effect.result(sourceOf(request))
        const screeningChain = Result.isSuccess(source) ? source.success.chain.id : chains.all[0]?.chain.id
        if (screeningChain === undefined) return yield* fail("unsupported_chain", "no chain is configured")
        yield* screening.clear(screeningChain, [request.owner, request.destination])

        const client = yield* Effect.fromResult(source)
        const { chain } = client
        yield* chains.get(request.destChainId)
        if (chain.supportsSetCode === false) {
          return yield* fail("unsupported_chain", `${chain.name} does not take EIP-7702 transactions`)
        }
        if (request.destChainId === chain.id && request.tokenIn === request.tokenOut) {
          return yield* fail("same_token", "tokenIn and tokenOut are the same token on the same chain")
        }

        const [code, accountNonce, profile, attributed, gasFees, block] = yield* Effect.all(
          [
            client.code(request.owner),
            client.transactionCount(request.owner, "pending"),
            tokenRisk.screenInput({
              chainId: chain.id,
              token: request.tokenIn,
              owner: request.owner,
              amount: request.amountIn
            }),
            attribute(client, request.apiKey),
            client.feesPerGas,
            client.block("latest")
          ],
          { concurrency: "unbounded" }
        )
        if (accountCode(code)._tag === "Contract") {
          return yield* fail("owner_is_a_contract", "only an externally owned account can be delegated")
        }
        if (Option.isNone(block)) return yield* fail("upstream_unavailable", `${chain.name} has no latest block`)
        const price = yield* usdPrices(client, request, profile)
        const nonce = yield* unusedNonce(client, request.owner)

        const nowMs = yield* Clock.currentTimeMillis
        const expiresAtMs = nowMs + settings.quoteLifetimeMillis
        const deadline = BigInt(Math.floor(expiresAtMs / 1000) + settings.orderGraceSeconds)
        const tier: Tier = riskier(request.tier, profile.tier)
        const builderBps = attributed === undefined ? 0 : effectiveBps(attributed.attribution)

        const gasPrice = gasFees.baseFeePerGas + gasFees.maxPriorityFeePerGas
        const costOf = ({ dataFee, dataGas, gas }: Omit<SimulatedSweep, "amountOut">): bigint =>
          (gas + dataGas) * gasPrice + dataFee

        /** The order at a network fee that covers this many wei. */
        const priced = Effect.fnUntraced(function* (cost: bigint) {
          const fees = yield* Effect.fromResult(
            Fees.breakdown({
              amountIn: request.amountIn,
              protocolFee: Fees.protocolFee(settings.fees, {
                amountIn: request.amountIn,
                tier,
                subscriptionActive: request.subscriptionActive
              }),
              networkFee: Fees.networkFee(settings.fees, {
                cost,
                ...price,
                tokenDecimals: profile.decimals
              }),
              builderFee: Fees.builderFee(request.amountIn, builderBps)
            })
          )
          const route = yield* routeOn(client, request, fees.swapAmount, deadline)
          const order: SweepOrder = {
            owner: request.owner,
            tokenIn: request.tokenIn,
            amountIn: request.amountIn,
            feeAmount: fees.feeAmount,
            builder: attributed?.address ?? Address.zero,
            builderFee: fees.builderFee,
            tokenOut: request.tokenOut,
            minAmountOut: request.destChainId === chain.id ? route.guaranteedAmountOut : 0n,
            destination: request.destination,
            swapTarget: route.target,
            swapCalldata: route.calldata,
            deadline,
            nonce,
            destChainId: BigInt(request.destChainId)
          }
          const simulated = yield* simulation.run(chain.id, order)
          return { route, order, simulated }
        })

        const crossChain = request.destChainId !== chain.id
        const assumed = ASSUMED_SWEEP_GAS * gasPrice
        const first = yield* priced(assumed)
        const cost = costOf(first.simulated)
        const offered = isNear(cost, assumed) ? first : yield* priced(cost)
        const { order, route, simulated } = offered

        const id = yield* random.uuidV4()
        const quoted: Quote = {
          id,
          crossChain,
          expiresAtMs,
          total: order.feeAmount + order.builderFee,
          ...(attributed === undefined ? {} : { builderId: attributed.attribution.builderId }),
          settlementAddress: chain.contracts.delegate,
          sourceChainId: chain.id,
          estimatedAmountOut: route.estimatedAmountOut,
          minAmountOut: route.guaranteedAmountOut,
          provider: route.provider,
          estimatedSeconds: route.estimatedSeconds
        }
        const domain = { name: settings.domainName, chainId: chain.id }
        yield* intents.create({
          quote: quoted,
          order,
          orderDigest: digest(order, domain),
          quotedAtBlock: block.value.number,
          gas: quotedGas(simulated),
          userId: request.userId,
          ...(attributed === undefined
            ? {}
            : { attributed: { builderId: attributed.attribution.builderId, payoutMode: attributed.payoutMode } })
        })
        yield* Effect.logInfo("quoted", { intentId: id, chainId: chain.id, provider: route.provider, tier })
        return {
          quote: quoted,
          order,
          signing: {
            typedData: typedData(order, domain),
            authorization: { address: chain.contracts.delegate, chainId: chain.id, nonce: accountNonce }
          }
        } satisfies Offer
      }, asQuoteFailed)

      return Quoter.of({ quote })
    })
  )
}

const isNear = (cost: bigint, assumed: bigint): boolean => {
  const difference = cost > assumed ? cost - assumed : assumed - cost
  return difference * 100n <= assumed * COST_TOLERANCE_PERCENT
}
