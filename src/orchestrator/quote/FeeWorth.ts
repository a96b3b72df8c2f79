/**
 * Worth of a fee in a token that is not on the operator's list, or that no source of prices knows. Its price may be an attacker's, so the
 * fee counts for what it really sells for, less a haircut, and an order whose fee does not cover its gas then is not offered. Orders that are
 * quoted promise fees beside it until their deadlines, which a thin pool has to buy as well. One that has settled counts twice until then,
 * since the fee recipient holds its fee, too: that refuses a sweep rather than that it loses money.
 */
import { Effect } from "effect"
import * as Chain from "../../domain/Chain.ts"
import { BPS } from "../../domain/Amount.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { FeeValue } from "../../ports/orchestrator/FeeValue.ts"
import type { PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import { type PromisedFee, PromisedFees } from "../../ports/orchestrator/PromisedFees.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Longest time for which a refusal waits for its withdrawal. A fee that remains counts until the deadline of its order. */
const WITHDRAWAL_TIMEOUT = "500 millis"

/** The parts of an order that tell its fee. */
export type Paying = Pick<SweepOrder, "deadline" | "feeAmount" | "nonce" | "owner" | "tokenIn">

/** The worth of a fee is not known now. */
export type Unknown = ChainUnavailable | PricesUnavailable | StoreUnavailable

/** Origin of a token's price. */
export interface Origin {
  /** True if no source has a price, and the one that is used is that of the sweep's own sale. */
  readonly isOfSale: boolean
}

const promisedBy = (
  { chain }: ChainClient,
  { deadline, nonce, owner, tokenIn: token }: Paying,
  amount: bigint
): PromisedFee => ({
  chainId: chain.id,
  owner,
  nonce,
  token,
  amount,
  untilMs: Number(deadline) * 1_000,
  isBudgeted: Chain.listedTier(chain, token) === "tier3"
})

/** Worth of an order's fee. */
export interface Worth {
  /** Wei, at most what it was charged for. */
  readonly value: bigint
  /** Part of the fee that is worth what was charged, in the smallest unit. Absent if the fee does not depend on a sale. */
  readonly needed?: bigint
  /** Failure of exchanges that did not answer, so that the fee may be worth more. Absent if each answered, or need not. */
  readonly silence?: ChainUnavailable
}

/** Part of a fee that is worth what was charged, rounded up. */
const neededOf = (amount: bigint, charged: bigint, worth: bigint): bigint =>
  worth <= charged ? amount : (amount * charged + worth - 1n) / worth

/** Wei that a fee covers. One that is worth more covers no more than it was charged for. */
const coveredBy = (worth: bigint, charged: bigint): bigint => {
  return worth < charged ? worth : charged
}

/** Fails with the silence of exchanges that may pay the rest, if what is known of the fee does not cover this cost in wei. */
export const requireKnown = ({ silence, value }: Worth, cost: bigint) =>
  silence !== undefined && value < cost ? Effect.fail(silence) : Effect.void

/** Makes `pricedFor`, `valueOf`, `renew`, `requireCover` and `unlessOffered`. */
export const make = Effect.gen(function* () {
  const fees = yield* FeeValue
  const { promise, record, withdraw } = yield* PromisedFees
  const haircut = BigInt((yield* OrchestratorSettings).prices.unlistedHaircutBps)

  /** True if the fee counts by its price. */
  const isTrusted = (chain: Chain.Chain, token: SweepOrder["tokenIn"], { isOfSale }: Origin): boolean =>
    !isOfSale && Chain.listedTier(chain, token) !== "tier3"

  /** Price that fees in the token are computed with: less the haircut, so that a fee still covers the cost after it. */
  const pricedFor = (chain: Chain.Chain, token: SweepOrder["tokenIn"], usd: UsdPrice, origin: Origin): UsdPrice =>
    isTrusted(chain, token, origin) ? usd : (usd * (BPS - haircut)) / BPS

  /** Worth of the order's fee, which was charged for this many wei. Promises what is needed of it. */
  const valueOf = Effect.fnUntraced(function* (
    client: ChainClient,
    order: Paying,
    charged: bigint,
    origin: Origin
  ): Effect.fn.Return<Worth, Unknown> {
    if (isTrusted(client.chain, order.tokenIn, origin)) return { value: charged }
    const { feeAmount, owner: holder, tokenIn } = order
    let isPromised = false
    // Before the sale is valued, so that of two orders at the same time one at least counts the other.
    const beside = Effect.suspend(() => {
      isPromised = true
      return promise(promisedBy(client, order, feeAmount))
    })
    const { wei, ...uncertain } = yield* fees.realisable(client, tokenIn, feeAmount, { holder, beside, charged }).pipe(
      Effect.map((known) => ({ wei: known })),
      // The gas may cost less than what is charged for it.
      Effect.catchTag("FeeUncertain", ({ atLeast, silence }) => Effect.succeed({ wei: atLeast, silence }))
    )
    const value = coveredBy(wei, charged)
    if (!isPromised) return { value, ...uncertain }
    // The rest of a fee that is worth more keeps no other order from its share.
    const needed = neededOf(feeAmount, charged, wei)
    yield* record(promisedBy(client, order, needed))
    return { value, needed, ...uncertain }
  })

  /** Promises the fee of an order again, after another order with its nonce was valued. */
  const renew = (client: ChainClient, order: SweepOrder, { needed }: Worth) =>
    needed === undefined ? Effect.void : record(promisedBy(client, order, needed))

  /**
   * Fails if a fee that does not count by its price is worth less than the gas that it was charged for. Fails with the silence of exchanges
   * that did not answer if there is one, since they may pay the rest.
   */
  const requireCover = Effect.fnUntraced(function* (
    client: ChainClient,
    order: Pick<SweepOrder, "feeAmount" | "tokenIn">,
    { silence, value }: Worth,
    cost: bigint,
    origin: Origin
  ) {
    if (isTrusted(client.chain, order.tokenIn, origin) || value >= cost) return
    if (silence !== undefined) return yield* silence
    return yield* new QuoteFailed({
      reason: "fees_exceed_input",
      detail: `the fee of ${order.feeAmount} units of ${order.tokenIn}, which is not on the list of ${client.chain.name} or has no price, sells for ${value} wei after the haircut, and the gas costs ${cost} wei`
    })
  })

  /**
   * Withdraws what the order promises if the effect fails or is interrupted. Otherwise anybody could fill a pool with the fees of orders
   * that no owner can sign.
   */
  const unlessOffered =
    (
      { chain }: ChainClient,
      { nonce, owner, tokenIn }: Pick<SweepOrder, "nonce" | "owner" | "tokenIn">,
      origin: Origin
    ) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.onError(effect, () =>
        isTrusted(chain, tokenIn, origin)
          ? Effect.void
          : withdraw({ chainId: chain.id, owner, nonce }).pipe(Effect.timeoutOption(WITHDRAWAL_TIMEOUT), Effect.ignore)
      )

  return { pricedFor, renew, requireCover, unlessOffered, valueOf }
})
