/** Figures of a plan, from reviewed orders. Pure. */
import type { Address, BatchReview, LeftOutToken, ReviewedLeg, SweepableToken, SweepQuotes } from "../../sdk/index.ts"
import type { TotalValue } from "../../sdk/model/Batch.ts"
import { isQuoted } from "../../sdk/index.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { lostBps, minus, partUsd, total, valueUsd } from "../lib/usd.ts"
import type { Place } from "./catalog.ts"

/**
 * Totals for the user. Values in US dollars are decimal strings. Those of the output are null without its price. Those of what is sent are
 * undefined if one of the tokens has no price.
 */
export interface Figures {
  /** In the smallest unit of the token to receive. */
  readonly least: bigint
  readonly expected: bigint
  readonly leastUsd: string | null
  readonly expectedUsd: string | null
  readonly sentUsd: string | undefined
  /** Fees of the reviewed orders. The service tells which part of its fee pays for gas. */
  readonly serviceFeeUsd: string | undefined
  readonly networkFeeUsd: string | undefined
  readonly builderFeeUsd: string | undefined
  /** Part of the value after fees that exchanges and bridges take, in basis points. Undefined without prices. */
  readonly priceImpactBps: number | undefined
  /** Longest expected time of a leg. */
  readonly seconds: number
}

/** Tokens and target to quote. */
export interface Wanted {
  readonly tokens: ReadonlyArray<{ readonly token: SweepableToken; readonly amount: bigint }>
  readonly to: Place
  readonly destination: Address
}

type Amounts = Pick<Wanted, "tokens">

const sum = (legs: ReadonlyArray<ReviewedLeg>, amountOf: (leg: ReviewedLeg) => bigint): bigint =>
  legs.reduce((total, leg) => total + amountOf(leg), 0n)

/** Least amount of a plan. 0 if nothing of it can be swept. */
export const leastOf = (review: BatchReview | undefined): bigint =>
  sum(review?.legs ?? [], ({ receive }) => receive.minAmount)

/** Limit by which one token of a renewed plan may bring less, in basis points. The sum must not be lower. */
const LEG_TOLERANCE_BPS = 100n

/**
 * `different`: has another token, warning, delegation or other term, or moves the amount from one token to another. `lower`: brings less,
 * and has no other term.
 */
export type Change = "lower" | "different"

const isNear = (agreed: bigint, renewed: bigint): boolean => renewed * 10_000n >= agreed * (10_000n - LEG_TOLERANCE_BPS)

interface Least {
  readonly token: Address
  readonly minAmount: bigint
}

/** True if the renewed outcome is in the agreed token. An outcome that is gone needs no agreement. */
const isSameOutcome = (agreed: Least | undefined, renewed: Least | undefined): boolean =>
  renewed === undefined || (agreed !== undefined && sameAddress(agreed.token, renewed.token))

const isNearOutcome = (agreed: Least | undefined, renewed: Least | undefined): boolean =>
  agreed === undefined || renewed === undefined || isNear(agreed.minAmount, renewed.minAmount)

/** True if the fee goes to the agreed builder, or to none any more. */
const isSameBuilder = ({ fees: agreed }: ReviewedLeg, { fees: renewed }: ReviewedLeg): boolean =>
  renewed.builderAddress === undefined ||
  (agreed.builderAddress !== undefined && sameAddress(agreed.builderAddress, renewed.builderAddress))

/** True if the token arrives where it was agreed. */
const isSameTarget = ({ receive: agreed }: ReviewedLeg, { receive: renewed }: ReviewedLeg): boolean =>
  agreed.chainId === renewed.chainId &&
  sameAddress(agreed.token, renewed.token) &&
  sameAddress(agreed.destination, renewed.destination)

/** True if the guarantee is the agreed one. Every guarantee is at least as good as the word of the service. */
const isAsGuaranteed = ({ receive: agreed }: ReviewedLeg, { receive: renewed }: ReviewedLeg): boolean =>
  agreed.guaranteedBy === "service" || agreed.guaranteedBy === renewed.guaranteedBy

/** True if the agreement to a leg covers the terms of its renewal. Amounts to receive are no terms. */
const coversTerms = (agreed: ReviewedLeg, renewed: ReviewedLeg): boolean =>
  agreed.send.amount === renewed.send.amount &&
  isSameTarget(agreed, renewed) &&
  sameAddress(agreed.delegate, renewed.delegate) &&
  isSameBuilder(agreed, renewed) &&
  isAsGuaranteed(agreed, renewed) &&
  isSameOutcome(agreed.receive.insteadIfSwapFails, renewed.receive.insteadIfSwapFails) &&
  isSameOutcome(agreed.receive.via, renewed.receive.via) &&
  renewed.warnings.every((warning) => agreed.warnings.includes(warning))

/** True if no amount of a leg is far less: each leg settles alone, so the sum does not protect it. */
const coversAmounts = ({ receive: agreed }: ReviewedLeg, { receive: renewed }: ReviewedLeg): boolean =>
  isNear(agreed.minAmount, renewed.minAmount) &&
  isNearOutcome(agreed.insteadIfSwapFails, renewed.insteadIfSwapFails) &&
  isNearOutcome(agreed.via, renewed.via)

/** True if a renewed authorization is one of those that were shown. */
const isAuthorized = (agreed: BatchReview, renewed: BatchReview["authorizations"][number]): boolean =>
  agreed.authorizations.some(
    ({ address, chainId, nonce }) =>
      chainId === renewed.chainId && nonce === renewed.nonce && sameAddress(address, renewed.address)
  )

/** The change for which a renewed plan is shown again before it is signed. Undefined if the user agreed to all of it. */
export const changeOf = (agreed: BatchReview, renewed: BatchReview | undefined): Change | undefined => {
  if (renewed === undefined) return "lower"
  const covers = (leg: ReviewedLeg, coversPart: typeof coversTerms) => {
    const before = agreed.legs.find(
      ({ send }) => send.chainId === leg.send.chainId && sameAddress(send.token, leg.send.token)
    )
    return before !== undefined && coversPart(before, leg)
  }
  // Terms come first: once the amount is back, a lower plan needs no agreement any more.
  const hasSameTerms =
    renewed.legs.every((leg) => covers(leg, coversTerms)) &&
    renewed.authorizations.every((each) => isAuthorized(agreed, each))
  if (!hasSameTerms) return "different"
  if (leastOf(renewed) < leastOf(agreed)) return "lower"
  return renewed.legs.length === agreed.legs.length && renewed.legs.every((leg) => covers(leg, coversAmounts))
    ? undefined
    : "different"
}

/** Reasons for which a token has no quote now, and may have one soon. `unavailable` may be a budget that is spent at the moment. */
const PASSING: ReadonlySet<string> = new Set(["busy", "chain_unavailable", "screening_unavailable", "unavailable"])

/** True if nothing of a plan can be swept now, and another request may change that. */
export const isPassing = ({
  leftOut,
  review
}: {
  readonly review: BatchReview | undefined
  readonly leftOut: ReadonlyArray<LeftOutToken>
}): boolean => review === undefined && leftOut.some(({ reason }) => PASSING.has(reason))

/** Time that a signature and its submission take at least. */
const MARGIN_MILLIS = 5_000

/** True if the quotes cannot be submitted in time any more. */
export const isPast = (review: BatchReview | undefined): boolean =>
  review !== undefined && review.expiresAt.getTime() - Date.now() < MARGIN_MILLIS

/** The token of a leg among those that were asked for. */
export const tokenOf = ({ tokens }: Amounts, { send }: ReviewedLeg): SweepableToken | undefined =>
  tokens.find(({ token }) => token.chainId === send.chainId && sameAddress(token.address, send.token))?.token

/** Value of a part of one leg's amount. Null without a price. */
export const legUsd = (wanted: Amounts, leg: ReviewedLeg, part: bigint): string | null => {
  const { decimals = 0, priceUsd = null } = tokenOf(wanted, leg) ?? {}
  return priceUsd === null ? null : valueUsd(part, decimals, priceUsd)
}

/** Value of a part of every leg, summed up. Undefined if a token without a price has such a part. */
const partsUsd = (
  legs: ReadonlyArray<ReviewedLeg>,
  wanted: Amounts,
  partOf: (leg: ReviewedLeg) => bigint
): string | undefined => {
  const values = legs.map((leg) => {
    const part = partOf(leg)
    return part === 0n ? "0" : legUsd(wanted, leg, part)
  })
  return values.includes(null) ? undefined : total(values)
}

const smaller = (a: string, b: string): string => (minus(a, b) === "0" ? a : b)

/** The two parts of the protocol's fee, as the service tells them apart. Both are undefined if one of them is not known. */
const splitFee = (protocolUsd: string | undefined, networkUsd: string | null) => {
  if (protocolUsd === undefined || networkUsd === null) return { serviceFeeUsd: undefined, networkFeeUsd: undefined }
  const networkFeeUsd = smaller(networkUsd, protocolUsd)
  return { serviceFeeUsd: minus(protocolUsd, networkFeeUsd), networkFeeUsd }
}

/** Value of the kept part of a total. The service's totals have every quote, also those that the review leaves out. */
const keptUsd = ({ amount, usd }: TotalValue, kept: bigint): string | null =>
  amount === null || usd === null ? null : partUsd(usd, kept, amount)

export const figuresOf = ({ legs }: BatchReview, quotes: SweepQuotes, wanted: Amounts): Figures => {
  const usd = (partOf: (leg: ReviewedLeg) => bigint) => partsUsd(legs, wanted, partOf)
  const { totals } = quotes
  const routedUsd = usd(({ fees, send }) => send.amount - fees.total)
  const least = sum(legs, ({ receive }) => receive.minAmount)
  const expected = sum(legs, ({ receive }) => receive.estimatedAmount)
  const expectedUsd = keptUsd(totals.estimatedAmountOut, expected)
  return {
    least,
    expected,
    leastUsd: keptUsd(totals.minAmountOut, least),
    expectedUsd,
    sentUsd: usd(({ send }) => send.amount),
    ...splitFee(
      usd(({ fees }) => fees.protocol),
      totals.fees.network.usd
    ),
    builderFeeUsd: usd(({ fees }) => fees.builder),
    priceImpactBps: expectedUsd === null || routedUsd === undefined ? undefined : lostBps(routedUsd, expectedUsd),
    seconds: Math.max(0, ...quotes.quotes.map((each) => (isQuoted(each) ? each.quote.estimatedSeconds : 0)))
  }
}

/** One request of the wallet. */
export interface Prompt {
  readonly kind: "sweep" | "delegation"
  readonly chainIds: ReadonlyArray<number>
  /** True for a delegation that takes the place of another one, such as that of a smart account. The service says so. */
  readonly replaces: boolean
}

/** Requests of the wallet, in order: the sweep, and a delegation for each chain where the account does not run the delegate. */
export const promptsOf = ({ authorizations, legs }: BatchReview, { tokens }: Amounts): ReadonlyArray<Prompt> => [
  { kind: "sweep", chainIds: [...new Set(legs.map(({ chainId }) => chainId))], replaces: false },
  ...authorizations.map(({ chainId }): Prompt => ({
    kind: "delegation",
    chainIds: [chainId],
    replaces: tokens.some(({ token }) => token.chainId === chainId && token.delegation === "other")
  }))
]

const MINUTE = 60

/** `about 40 seconds`, `about 3 minutes`. */
export const duration = (seconds: number): string => {
  if (seconds < MINUTE) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`
  const minutes = Math.ceil(seconds / MINUTE)
  return minutes === 1 ? "about 1 minute" : `about ${minutes} minutes`
}
