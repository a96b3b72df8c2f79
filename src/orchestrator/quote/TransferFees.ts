/** Rules of quotes for tokens that take a fee from transfers. */
import { Effect } from "effect"
import { effectiveBps, isPayableOn } from "../../domain/Builder.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { priceAfter } from "../../domain/TransferFee.ts"
import { TokenDeclined, type TokenProfile } from "../../ports/orchestrator/TokenRisk.ts"
import { type Attributed, unattributed } from "./Attributing.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import type { Priced, Terms } from "./Terms.ts"
import type * as Routing from "./Routing.ts"

interface Taxable {
  readonly profile: TokenProfile
  readonly request: Pick<QuoteRequest, "destChainId" | "tokenIn">
  readonly chainId: number
  readonly attributed: Attributed | undefined
}

/**
 * The builder of a quote of a token that takes a fee. None if the ledger would owe the markup only because the builder's contract wallet is
 * on another chain: the owner has no part in that, so it does not refuse the quote.
 */
const builderOf = Effect.fnUntraced(function* ({ attributed, chainId, request }: Taxable) {
  if (attributed === undefined) return undefined
  const { attribution } = attributed
  if (attribution.payoutMode === "ledger" || isPayableOn(attribution, chainId)) return attributed
  if (effectiveBps(attribution) === 0) return attributed
  yield* unattributed("wallet_chain", {
    builderId: attribution.builderId,
    detail: `the token ${request.tokenIn} takes a fee from transfers, and the builder's contract wallet is on another chain`
  })
  return undefined
})

/**
 * Fails if the token takes a fee, and the sweep needs that its amounts arrive whole: a bridge credits the amount that it is told, and the
 * ledger owes a builder the amount that the order names. Returns the builder that the quote is attributed to.
 */
export const requireWhole = Effect.fnUntraced(function* (taxable: Taxable) {
  const {
    chainId,
    profile: { transferFeeBps = 0 },
    request: { destChainId, tokenIn: token }
  } = taxable
  if (transferFeeBps === 0) return taxable.attributed
  const declined = (why: string) =>
    new TokenDeclined({
      token,
      reason: "transfer_taxed",
      detail: `it takes ${transferFeeBps} basis points of a transfer, and ${why}`
    })
  if (destChainId !== chainId) return yield* declined("bridges count what is sent")
  const attributed = yield* builderOf(taxable)
  if (attributed?.payoutMode === "ledger" && effectiveBps(attributed.attribution) > 0) {
    return yield* declined("the builder is paid from the ledger, which counts what is sent")
  }
  return attributed
})

/** Prices at which fees are taken by what reaches the fee recipient. `feeBps`: part of a transfer that the token takes. */
export const received = <P extends { readonly tokenUsd: UsdPrice }>(usd: P, feeBps = 0): P =>
  feeBps === 0 ? usd : { ...usd, tokenUsd: priceAfter(usd.tokenUsd, feeBps) }

/**
 * The routes that a token with a fee on transfer can be sold by, those that sell what arrives first. The routes of services stay, since
 * only a rehearsal tells what they do. Fails if there is none.
 */
export const sellable = ({ alternatives = [], ...best }: Routing.Route): Effect.Effect<Routing.Route, QuoteFailed> => {
  const usable = [best, ...alternatives].filter(
    ({ expecting, sellsWhatArrives }) => sellsWhatArrives || expecting === undefined
  )
  const [first, ...others] = usable.toSorted((a, b) => Number(b.sellsWhatArrives) - Number(a.sellsWhatArrives))
  return first === undefined
    ? Effect.fail(
        new QuoteFailed({
          reason: "no_route",
          detail: `${best.provider} does not sell tokens that take a fee on transfer`
        })
      )
    : Effect.succeed({ ...first, alternatives: others })
}

/**
 * True if the output takes what the order loses, and not the input. The native currency and the stables take nothing. Any other listed
 * token, of which a plain transfer arrives whole, is trusted beside an output that is not listed.
 */
const isOfOutput = ({ client: { chain }, profile, request: { destChainId, tokenIn, tokenOut } }: Terms): boolean => {
  const tier = Chain.listedTier(chain, tokenIn)
  if (tier !== "tier2") return tier === "tier1"
  const isWhole = profile.transferFeeBps === undefined
  return isWhole && destChainId === chain.id && Chain.listedTier(chain, tokenOut) === "tier3"
}

/** The terms with the price at which collected fees are sold: the token takes its part there too. */
export const afterSale = (terms: Terms, { transferFeeBps }: Pick<Priced, "transferFeeBps">): Terms =>
  transferFeeBps === 0 || isOfOutput(terms) ? terms : { ...terms, usd: received(terms.usd, transferFeeBps) }
