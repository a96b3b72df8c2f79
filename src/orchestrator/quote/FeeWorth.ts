/**
 * Worth of a fee in a token that is not on the operator's list, or that no source of prices knows. Its price may be an attacker's, so the
 * fee counts for what it really sells for, less a haircut, and an order whose fee does not cover its gas then is not offered.
 */
import { Effect } from "effect"
import * as Chain from "../../domain/Chain.ts"
import { BPS } from "../../domain/Amount.ts"
import type { FeeCover } from "../../domain/FeeCover.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { FeeValue } from "../../ports/orchestrator/FeeValue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Origin of a token's price. */
export interface Origin {
  /** True if no source has a price, and the one that is used is that of the sweep's own sale. */
  readonly isOfSale: boolean
}

/** Makes `pricedFor`, `valueOf` and `requireCover`. */
export const make = Effect.gen(function* () {
  const fees = yield* FeeValue
  const haircut = BigInt((yield* OrchestratorSettings).prices.unlistedHaircutBps)

  /** True if the fee counts by its price. */
  const isTrusted = (chain: Chain.Chain, token: SweepOrder["tokenIn"], { isOfSale }: Origin): boolean =>
    !isOfSale && Chain.listedTier(chain, token) !== "tier3"

  /** Price that fees in the token are computed with: less the haircut, so that a fee still covers the cost after it. */
  const pricedFor = (chain: Chain.Chain, token: SweepOrder["tokenIn"], usd: UsdPrice, origin: Origin): UsdPrice =>
    isTrusted(chain, token, origin) ? usd : (usd * (BPS - haircut)) / BPS

  /** Wei that the order's fee is worth, at most what it was charged for. */
  const valueOf = Effect.fnUntraced(function* (
    client: ChainClient,
    order: SweepOrder,
    charged: bigint,
    origin: Origin
  ) {
    if (isTrusted(client.chain, order.tokenIn, origin)) return charged
    const worth = yield* fees.realisable(client, order.tokenIn, order.feeAmount, order.owner)
    return worth < charged ? worth : charged
  })

  /** Fails if a fee that does not count by its price is worth less than the gas that it was charged for. */
  const requireCover = Effect.fnUntraced(function* (
    client: ChainClient,
    order: SweepOrder,
    cover: FeeCover,
    cost: bigint,
    origin: Origin
  ) {
    if (isTrusted(client.chain, order.tokenIn, origin) || cover.value >= cost) return
    return yield* new QuoteFailed({
      reason: "fees_exceed_input",
      detail: `the fee of ${order.feeAmount} units of ${order.tokenIn}, which is not on the list of ${client.chain.name} or has no price, sells for ${cover.value} wei after the haircut, and the gas costs ${cost} wei`
    })
  })

  return { pricedFor, requireCover, valueOf }
})
