/** Makes the offer of a request that is admitted and read: prices and simulates the order, and stores the intent. */
import { Effect, Fiber } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Authorization } from "../../domain/Delegation.ts"
import type { OrderFees } from "../../domain/Fees.ts"
import type { Quote, QuoteRequest } from "../../domain/Quote.ts"
import { detailsOf, type QuoteDetails } from "../../domain/QuoteDetails.ts"
import { quotedGas } from "../../domain/RelayGas.ts"
import { type SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { riskier } from "../../domain/Tier.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Signatures } from "../../ports/orchestrator/Signatures.ts"
import * as SweepTrace from "../../telemetry/SweepTrace.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Affording from "./Affording.ts"
import * as Estimating from "./Estimating.ts"
import * as OrderNonces from "./OrderNonces.ts"
import * as PayableBuilder from "./PayableBuilder.ts"
import type * as Pricing from "./Pricing.ts"
import type { Priced, Terms } from "./Terms.ts"
import type * as Reading from "./Reading.ts"
import * as TransferFees from "./TransferFees.ts"

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

/** An offer with its fees, and the terms that it was made by. */
export interface Offered {
  readonly offer: Offer
  readonly fees: OrderFees
  readonly terms: Omit<Terms, "nonce">
}

/** Times of an offer. */
export interface Times {
  /** UNIX milliseconds. */
  readonly expiresAtMs: number
  /** UNIX seconds. */
  readonly deadline: bigint
}

/** Times of an offer that is made now. */
export const timesFrom = (
  now: number,
  { orderGraceSeconds, quoteLifetimeMillis }: OrchestratorSettings["Service"]
): Times => {
  const expiresAtMs = now + quoteLifetimeMillis
  return { expiresAtMs, deadline: BigInt(Math.floor(expiresAtMs / 1000) + orderGraceSeconds) }
}

/** Makes `offer(reading, request, times, nonce)`. `nonce`: of the order, issued before. Default: the owner's next one. */
export const make = Effect.fnUntraced(function* ({
  price,
  unlessOffered
}: Pick<Effect.Success<typeof Pricing.make>, "price" | "unlessOffered">) {
  const beginAffording = yield* Affording.make
  const secondsOf = yield* Estimating.make
  const store = yield* makeStore
  const issueNonces = yield* OrderNonces.makeIssue
  const withNonce = yield* OrderNonces.make

  return Effect.fnUntraced(function* (reading: Reading.Begun, request: QuoteRequest, times: Times, nonce?: bigint) {
    const { client } = reading
    const { owner, tokenIn } = request
    // Beside the rest of the reading, so that the store is not waited for once more.
    const issuing = yield* Effect.forkChild(
      nonce === undefined
        ? Effect.map(Effect.andThen(reading.allowed, issueNonces(client, owner, 1)), ([next]) => next)
        : Effect.succeed(nonce)
    )
    const { accountNonce, block, routeOf, ...known } = yield* reading.all
    const asked = {
      client,
      request,
      ...known,
      usd: TransferFees.received(known.usd, known.profile.transferFeeBps),
      tier: riskier(request.tier, known.profile.tier),
      deadline: times.deadline
    }
    const issued = yield* Fiber.join(issuing)
    const afford = yield* beginAffording(asked)
    const { priced, terms } = yield* PayableBuilder.priced(asked, (each) =>
      withNonce(client, owner, issued, (nonce) =>
        unlessOffered(client, { nonce, owner, tokenIn }, each.usd)(price({ ...each, nonce }, routeOf))
      )
    )
    const offered = Effect.gen(function* () {
      yield* afford(priced)
      const { expiresAtMs } = times
      const tokenOut = yield* reading.output
      const details = detailsOf({ ...quotedOf(terms, priced), tokenOut })
      const estimatedSeconds = yield* secondsOf({
        source: client.chain,
        order: priced.order,
        least: priced.route.guaranteedAmountOut,
        tokenIn: { usd: terms.usd.marketUsd, decimals: terms.profile.decimals },
        tokenOut,
        bridgeSeconds: priced.route.bridgeSeconds
      })
      const offer = yield* store(terms, priced, {
        accountNonce,
        details,
        estimatedSeconds,
        expiresAtMs,
        quotedAtBlock: block.number
      })
      return { offer, fees: feesOf(priced), terms } satisfies Offered
    })
    return yield* unlessOffered(client, priced.order, terms.usd)(offered)
  })
})

const feesOf = ({ fees: { builderFee, networkFee, protocolFee } }: Priced): OrderFees => ({
  protocol: protocolFee,
  network: networkFee,
  builder: builderFee
})

/** The quote as its details are computed, without the price of the output. */
const quotedOf = ({ profile: { decimals }, tier, usd }: Offered["terms"], priced: Priced) => ({
  tier,
  fees: feesOf(priced),
  swapAmount: priced.fees.swapAmount,
  minAmountOut: priced.route.guaranteedAmountOut,
  estimatedAmountOut: priced.route.estimatedAmountOut,
  tokenIn: { usd: usd.marketUsd, feeUsd: usd.tokenUsd, decimals }
})

/** Makes `store`, which stores the intent and returns its offer. */
const makeStore = Effect.gen(function* () {
  const intents = yield* Intents
  const random = yield* SecureRandom.SecureRandom
  const settings = yield* OrchestratorSettings
  const signatures = yield* Signatures

  return Effect.fnUntraced(function* (
    { attributed, client, request, tier }: Omit<Terms, "nonce">,
    { cover, order, route, simulated, transferFeeBps }: Priced,
    at: {
      readonly accountNonce: bigint
      readonly details: QuoteDetails
      readonly estimatedSeconds: number
      readonly expiresAtMs: number
      readonly quotedAtBlock: bigint
    }
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
      // A minimum that equals the estimate has no tolerance.
      ...(route.guaranteedAmountOut === route.estimatedAmountOut ? {} : { slippageBps: route.slippageBps }),
      ...(transferFeeBps === 0 ? {} : { transferFeeBps }),
      provider: route.provider,
      estimatedSeconds: at.estimatedSeconds,
      ...route.arrival,
      ...at.details
    }
    const domain = { name: settings.domainName, chainId: chain.id }
    const trace = yield* SweepTrace.current
    yield* intents.create({
      quote,
      order,
      orderDigest: yield* signatures.orderDigest(order, domain),
      quotedAtBlock: at.quotedAtBlock,
      gas: quotedGas(simulated),
      ...(simulated.dataGas === 0n ? {} : { dataGas: simulated.dataGas }),
      ...(simulated.runsOthersCode === true ? { runsOthersCode: true } : {}),
      cover,
      userId: request.userId,
      ...(trace === undefined ? {} : { trace }),
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
