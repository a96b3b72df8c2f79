/** Figures of a plan, from reviewed orders. Pure. */
import type { Address, BatchReview, ReviewedLeg, SweepableToken, SweepQuotes } from "../../sdk/index.ts"
import { isQuoted } from "../../sdk/index.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { lostBps, minus, total, valueUsd } from "../lib/usd.ts"
import type { Place } from "./catalog.ts"

/** Totals for the user. Values in US dollars are decimal strings, or null without a price. */
export interface Figures {
  /** In the smallest unit of the token to receive. */
  readonly least: bigint
  readonly expected: bigint
  readonly leastUsd: string | null
  readonly expectedUsd: string | null
  readonly sentUsd: string
  /** Fees of the reviewed orders. The service tells which part of its fee pays for gas. */
  readonly serviceFeeUsd: string
  readonly networkFeeUsd: string
  readonly builderFeeUsd: string
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

const smaller = (a: string, b: string): string => (minus(a, b) === "0" ? a : b)

export const figuresOf = ({ legs }: BatchReview, quotes: SweepQuotes, wanted: Amounts): Figures => {
  const usd = (part: (leg: ReviewedLeg) => bigint) => total(legs.map((leg) => legUsd(wanted, leg, part(leg))))
  const { totals } = quotes
  const protocolUsd = usd(({ fees }) => fees.protocol)
  const networkFeeUsd = smaller(totals.fees.network.usd ?? "0", protocolUsd)
  const sentUsd = usd(({ send }) => send.amount)
  const routedUsd = usd(({ fees, send }) => send.amount - fees.total)
  const isPriced = legs.every((leg) => legUsd(wanted, leg, 0n) !== null)
  const expectedUsd = totals.estimatedAmountOut.usd
  return {
    least: sum(legs, ({ receive }) => receive.minAmount),
    expected: sum(legs, ({ receive }) => receive.estimatedAmount),
    leastUsd: totals.minAmountOut.usd,
    expectedUsd,
    sentUsd,
    serviceFeeUsd: minus(protocolUsd, networkFeeUsd),
    networkFeeUsd,
    builderFeeUsd: usd(({ fees }) => fees.builder),
    priceImpactBps: expectedUsd === null || !isPriced ? undefined : lostBps(routedUsd, expectedUsd),
    seconds: Math.max(0, ...quotes.quotes.map((each) => (isQuoted(each) ? each.quote.estimatedSeconds : 0)))
  }
}

/** One request of the wallet. */
export interface Prompt {
  readonly kind: "sweep" | "delegation"
  readonly chainIds: ReadonlyArray<number>
}

/** Requests of the wallet, in order: the sweep, and a delegation for each chain where the account has none. */
export const promptsOf = ({ authorizations, legs }: BatchReview): ReadonlyArray<Prompt> => [
  { kind: "sweep", chainIds: [...new Set(legs.map(({ chainId }) => chainId))] },
  ...authorizations.map(({ chainId }): Prompt => ({ kind: "delegation", chainIds: [chainId] }))
]

const MINUTE = 60

/** `about 40 seconds`, `about 3 minutes`. */
export const duration = (seconds: number): string => {
  if (seconds < MINUTE) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`
  const minutes = Math.ceil(seconds / MINUTE)
  return minutes === 1 ? "about 1 minute" : `about ${minutes} minutes`
}
