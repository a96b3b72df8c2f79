/** Intents that the owner signed, as this browser stores them, and their changes. Those of one signature name their sweep. Pure. */
import type { Address, Hex, Intent, IntentStatus, ReviewedLeg } from "../../sdk/index.ts"
import { legUsd, tokenOf, type Wanted } from "./plan.ts"

/** One side of a sweep. Amounts are decimal strings in the smallest unit, for JSON. */
export interface Side {
  readonly chainId: number
  readonly token: Address
  readonly amount: string
}

export interface Submission {
  /** Id of the intent. */
  readonly id: string
  /** The sweep whose signature covers it. Absent if the service did not confirm it, and for a sweep of a single order. */
  readonly sweepId?: string
  /** True until it is known that the service has it. */
  readonly isUnsent?: boolean
  readonly submittedAtMs: number
  /** Time at which sending it ended without an answer. */
  readonly unansweredAtMs?: number
  /** Time from which the service refuses it. Absent from submissions that earlier versions stored. */
  readonly expiresAtMs?: number
  /** Time at which this browser saw its end. */
  readonly endedAtMs?: number
  /** True if this page was open from its signature to its end, so that the time between them is known. */
  readonly isTimed?: boolean
  /** Symbol and decimals of the token. The catalog need not have it. */
  readonly send: Side & { readonly symbol?: string; readonly decimals?: number }
  /** `amount` is the minimum that arrives. */
  readonly receive: Side & { readonly destination: Address }
  /** All fees in US dollars, as a decimal string. Absent without a price. */
  readonly feeUsd?: string
  /** The bridged token, if it is not the sent one. It is refunded if the deposit is not filled. */
  readonly crossing?: Omit<Side, "amount">
  /** Least amount that crosses a bridge. Absent from submissions that earlier versions stored. */
  readonly bridged?: string
  /** Amount that the bridge refunded, once it is known. */
  readonly refunded?: string
  /** Token of that refund. Absent from submissions that earlier versions stored. */
  readonly refundedToken?: Address
  /** Transaction of that refund. Absent from submissions that earlier versions stored. */
  readonly refundTxHash?: Hex
  /** The last known status. */
  readonly status: IntentStatus
  readonly txHash?: Hex
  readonly deliveryTxHash?: Hex
  readonly failureReason?: string
  /** Amount that arrived, if it is known. */
  readonly amountOut?: string
  /** Token that arrived in place of the wanted one, since the swap on arrival failed. */
  readonly instead?: Omit<Side, "chainId">
}

/** Failure of a sweep that was signed and never reached the service. */
export const NOT_SUBMITTED = "not_submitted"

/** End of a sweep that the service had, and no longer knows. It may have been delivered, or not. */
export const UNKNOWN_TO_SERVICE = "unknown_to_service"

/** Longest life of a quote: the review refuses one that expires later. */
export const LONGEST_QUOTE_MILLIS = 3_600_000

/** Time after which a request that was under way when a page was closed has arrived, or never will. */
const LOST_MILLIS = 60_000

/** The submissions of each sweep together, in order. A submission without a known sweep stands alone. */
export const bySweep = (
  list: ReadonlyArray<Submission>
): ReadonlyArray<readonly [Submission, ...Array<Submission>]> => {
  const groups = new Map<string, [Submission, ...Array<Submission>]>()
  for (const each of list) {
    // Until its sweep is known, the time of the signature holds a sweep together.
    const key = each.sweepId ?? (each.isUnsent === true ? `unsent ${each.submittedAtMs}` : each.id)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return [...groups.values()]
}

export const isEnded = ({ status }: { readonly status: IntentStatus }): boolean =>
  status === "delivered" || status === "failed"

/** True while it is not known that the service has it. */
export const isUnconfirmed = ({ status, sweepId }: Submission): boolean => status === "quoted" && sweepId === undefined

/**
 * Time from which a submission that the service does not have, or has as `quoted`, never reached it and never can: its quote has expired, and
 * no request is under way.
 */
export const lostAtMs = ({ expiresAtMs, submittedAtMs, unansweredAtMs }: Submission): number => {
  const latest = submittedAtMs + LONGEST_QUOTE_MILLIS
  const sentAtMs = unansweredAtMs ?? submittedAtMs
  return Math.max(Math.min(expiresAtMs ?? latest, latest), sentAtMs) + LOST_MILLIS
}

/** True if the service forgot it, so that its outcome is not known. */
export const isUnknown = ({ failureReason }: Pick<Submission, "failureReason">): boolean =>
  failureReason === UNKNOWN_TO_SERVICE

/** The stored facts of an intent's state. */
const factsOf = ({ amountOut, arrivedInstead, deliveryTxHash, failureReason, refund, status, txHash }: Intent) => ({
  status,
  ...(txHash === undefined ? {} : { txHash }),
  ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
  ...(failureReason === undefined ? {} : { failureReason }),
  ...(refund === undefined
    ? {}
    : { refunded: refund.amount.toString(), refundedToken: refund.token, refundTxHash: refund.txHash }),
  ...(amountOut === undefined ? {} : { amountOut: amountOut.toString() }),
  ...(arrivedInstead === undefined
    ? {}
    : { instead: { token: arrivedInstead.token, amount: arrivedInstead.amount.toString() } })
})

/** True if the bridge owes a refund that is not found yet. It takes hours. */
export const awaitsRefund = ({ failureReason, refunded }: Submission): boolean =>
  failureReason === "bridge_refunded" && refunded === undefined

/** The stored refund. Undefined if one of its facts is missing. */
const refundIn = ({ refunded, refundedToken, refundTxHash }: Partial<Submission>): Pick<Intent, "refund"> =>
  refunded === undefined || refundedToken === undefined || refundTxHash === undefined
    ? {}
    : { refund: { token: refundedToken, amount: BigInt(refunded), txHash: refundTxHash } }

/** The last known state of an intent. */
export const lastSeen = ({ amountOut, id, instead, receive, send, ...facts }: Submission): Intent => ({
  id,
  status: facts.status,
  crossChain: send.chainId !== receive.chainId,
  ...(facts.txHash === undefined ? {} : { txHash: facts.txHash }),
  ...(facts.deliveryTxHash === undefined ? {} : { deliveryTxHash: facts.deliveryTxHash }),
  ...(facts.failureReason === undefined ? {} : { failureReason: facts.failureReason }),
  ...(amountOut === undefined ? {} : { amountOut: BigInt(amountOut) }),
  ...refundIn(facts),
  ...(instead === undefined ? {} : { arrivedInstead: { token: instead.token, amount: BigInt(instead.amount) } })
})

/** The stored form of a reviewed order. */
export const submissionOf = (leg: ReviewedLeg, wanted: Wanted, submittedAtMs: number): Submission => {
  const { fees, quoteId, receive, send } = leg
  const feeUsd = legUsd(wanted, leg, fees.total)
  const token = tokenOf(wanted, leg)
  return {
    id: quoteId,
    isUnsent: true,
    submittedAtMs,
    expiresAtMs: leg.expiresAt.getTime(),
    send: {
      chainId: send.chainId,
      token: send.token,
      amount: send.amount.toString(),
      ...(token === undefined ? {} : { symbol: token.symbol, decimals: token.decimals })
    },
    receive: {
      chainId: receive.chainId,
      token: receive.token,
      amount: receive.minAmount.toString(),
      destination: receive.destination
    },
    ...(feeUsd === null ? {} : { feeUsd }),
    ...(receive.via === undefined ? {} : { crossing: { chainId: receive.via.chainId, token: receive.via.token } }),
    ...(send.chainId === receive.chainId
      ? {}
      : { bridged: (receive.via?.minAmount ?? send.amount - fees.total).toString() }),
    // Until the first answer of the service.
    status: "quoted"
  }
}

export type Submitted = ReadonlyArray<Submission>

/** The list after the service accepted these intents as a sweep. */
export const acceptedIn = (list: Submitted, ids: ReadonlyArray<string>, sweepId: string): Submitted =>
  list.map(({ isUnsent, ...each }) =>
    ids.includes(each.id)
      ? { ...each, sweepId, status: each.status === "quoted" ? "submitted" : each.status }
      : { ...each, ...(isUnsent === undefined ? {} : { isUnsent }) }
  )

/** The list after sending these intents ended without an answer. */
export const unansweredIn = (list: Submitted, ids: ReadonlyArray<string>, nowMs: number): Submitted =>
  list.map((each) => (ids.includes(each.id) ? { ...each, unansweredAtMs: nowMs } : each))

/**
 * The list with the states of these intents. `quoted` tells nothing new: the service has the quote, and maybe not the signature.
 *
 * @param openedAtMs - UNIX milliseconds at which the page was opened
 */
export const updatedIn = (
  list: Submitted,
  intents: ReadonlyArray<Intent>,
  nowMs: number,
  openedAtMs: number
): Submitted => {
  const seen = new Map(intents.map((intent) => [intent.id, intent]))
  return list.map((each) => {
    const intent = seen.get(each.id)
    if (intent === undefined || intent.status === "quoted") return each
    // Another tab may have seen the end before the service forgot it.
    if (isUnknown(intent) && isEnded(each)) return each
    const { isUnsent, ...sent } = each
    const isLost = isUnsent === true && intent.failureReason === NOT_SUBMITTED
    const hasJustEnded = isEnded(intent) && !isEnded(each)
    const end = hasJustEnded ? { endedAtMs: nowMs, isTimed: each.submittedAtMs >= openedAtMs } : {}
    return { ...(isLost ? each : sent), ...factsOf(intent), ...end }
  })
}
