/** The outcome of a sweep, in figures and as a text to keep. Pure. */
import { exact, readable } from "../lib/amounts.ts"
import { sameAddress } from "../../sdk/model/Address.ts"
import { transaction } from "../lib/explorer.ts"
import { atSecond } from "../lib/time.ts"
import { dollars, total } from "../lib/usd.ts"
import { type Catalog, keyOf, moved, type Place, unitOf, UNLISTED_UNIT } from "./catalog.ts"
import { explainFailure, type RefundFacts } from "./explain.ts"
import type { Rest } from "./selection.ts"
import { awaitsRefund, isEnded, isUnknown, type Submission } from "./submissions.ts"

/** Intents of one signature. */
export type SignedSweep = readonly [Submission, ...ReadonlyArray<Submission>]

export interface Outcome {
  readonly all: number
  readonly delivered: number
  readonly failed: ReadonlyArray<Submission>
  /** Those that the service forgot. They may have been delivered. */
  readonly unknown: ReadonlyArray<Submission>
  readonly isEnded: boolean
  /** Sum that arrived, in the smallest unit of the token to receive. Without what arrived in its place. */
  readonly arrived: bigint
  /** False while the amount of a delivery is not known, which then counts with its minimum. */
  readonly isExact: boolean
  /** Time from the signature to the end in milliseconds, if a page of this browser was open all that time. */
  readonly tookMillis: number | undefined
  /** All fees in US dollars. Undefined if one of them has no price. */
  readonly feeUsd: string | undefined
}

export const outcomeOf = (sweep: SignedSweep): Outcome => {
  const delivered = sweep.filter(({ status }) => status === "delivered")
  const unknown = sweep.filter(isUnknown)
  const wanted = delivered.filter(({ instead }) => instead === undefined)
  const hasEnded = sweep.every(isEnded)
  const ends = sweep.flatMap((each) =>
    each.endedAtMs === undefined || each.isTimed !== true || isUnknown(each) ? [] : [each.endedAtMs]
  )
  const fees = delivered.flatMap(({ feeUsd }) => (feeUsd === undefined ? [] : [feeUsd]))
  return {
    all: sweep.length,
    delivered: delivered.length,
    failed: sweep.filter((each) => each.status === "failed" && !isUnknown(each)),
    unknown,
    isEnded: hasEnded,
    arrived: wanted.reduce((sum, { amountOut, receive }) => sum + BigInt(amountOut ?? receive.amount), 0n),
    isExact: wanted.every(({ amountOut }) => amountOut !== undefined),
    tookMillis: hasEnded && ends.length === sweep.length ? Math.max(...ends) - sweep[0].submittedAtMs : undefined,
    feeUsd: fees.length === delivered.length ? total(fees) : undefined
  }
}

/** The token that the bridge refunds if nobody fills the deposit. Native currency crosses wrapped. */
const refundOf = (catalog: Catalog, { crossing, refundedToken, send: { chainId, token } }: Submission): Place => {
  const chain = catalog.chain(chainId)
  return {
    chainId,
    address: refundedToken ?? crossing?.token ?? (chain === undefined ? token : moved(chain, token))
  }
}

/** Symbol of the token that the bridge refunds. Undefined if it is the sent one. */
export const refundSymbol = (catalog: Catalog, submission: Submission): string | undefined => {
  const refund = refundOf(catalog, submission)
  return sameAddress(refund.address, submission.send.token) ? undefined : unitOf(catalog, refund).symbol
}

/** Facts of the bridge's refund, for its message. */
export const refundFacts = (catalog: Catalog, submission: Submission): RefundFacts => ({
  symbol: refundSymbol(catalog, submission),
  isPaid: !awaitsRefund(submission)
})

const isRefunded = ({ failureReason }: Submission): boolean => failureReason === "bridge_refunded"

/** The token that a failed intent leaves in the account: the bridged one after a refund, otherwise the sent one. */
export const leftAfter = (catalog: Catalog, submission: Submission): Place => {
  const { chainId, token } = submission.send
  return isRefunded(submission) ? refundOf(catalog, submission) : { chainId, address: token }
}

/** Amount of that token that a failed intent leaves. Undefined if it is not known. */
const leftAmount = (submission: Submission): bigint | undefined => {
  const { bridged, crossing, refunded, send } = submission
  if (!isRefunded(submission)) return BigInt(send.amount)
  // A swap before the bridge may bring more than its minimum, and the account may hold more of that token. Never offer more than was swept.
  const left = refunded ?? bridged ?? (crossing === undefined ? send.amount : undefined)
  return left === undefined ? undefined : BigInt(left)
}

/** The amounts that failed intents leave in the account, by the key of their token. An amount that is not known is left out. */
export const restOf = (catalog: Catalog, failed: ReadonlyArray<Submission>): Rest => {
  const rest = new Map<string, bigint>()
  for (const each of failed) {
    const amount = leftAmount(each)
    if (amount === undefined) continue
    const key = keyOf(leftAfter(catalog, each))
    rest.set(key, (rest.get(key) ?? 0n) + amount)
  }
  return rest
}

/** Amount and symbol of the token that arrived in place of the wanted one. Undefined if none did. */
const insteadText = (
  catalog: Catalog,
  { instead, receive }: Submission,
  format: (amount: bigint, decimals: number) => string
): string | undefined => {
  if (instead === undefined) return undefined
  const { decimals, symbol } = unitOf(catalog, { chainId: receive.chainId, address: instead.token })
  return `${format(BigInt(instead.amount), decimals)} ${symbol}`
}

/**
 * `412.3 USDC`, or `at least 412 USDC` while a delivery's amount is not known. `412.3 USDC and 0.1 WETH` if another token arrived in place
 * of the wanted one.
 */
export const arrivedText = (catalog: Catalog, sweep: SignedSweep): string => {
  const { arrived, isExact } = outcomeOf(sweep)
  const { receive } = sweep[0]
  const { decimals, symbol } = unitOf(catalog, { chainId: receive.chainId, address: receive.token })
  const others = sweep.flatMap((each) => insteadText(catalog, each, readable) ?? [])
  const wanted = `${isExact ? "" : "at least "}${readable(arrived, decimals)} ${symbol}`
  return [...(arrived === 0n && others.length > 0 ? [] : [wanted]), ...others].join(" and ")
}

/** `42 s`, `3 min 5 s`. */
export const elapsed = (millis: number): string => {
  const seconds = Math.max(1, Math.round(millis / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export const symbolOf = (catalog: Catalog, { send }: Submission): string =>
  send.symbol ?? unitOf(catalog, { chainId: send.chainId, address: send.token }).symbol

/** Amount that is sent, with a space behind it. Empty if the token has a symbol and its decimals are not known. */
export const sentText = (
  catalog: Catalog,
  { send }: Submission,
  format: (amount: bigint, decimals: number) => string
): string => {
  const { decimals, symbol } = unitOf(catalog, { chainId: send.chainId, address: send.token })
  const known = send.decimals ?? (symbol === UNLISTED_UNIT && send.symbol !== undefined ? undefined : decimals)
  return known === undefined ? "" : `${format(BigInt(send.amount), known)} `
}

const lineOf = (catalog: Catalog, submission: Submission): ReadonlyArray<string> => {
  const { amountOut, deliveryTxHash, failureReason, receive, send, status, txHash } = submission
  const unit = unitOf(catalog, { chainId: receive.chainId, address: receive.token })
  const arrived =
    amountOut === undefined
      ? `at least ${exact(BigInt(receive.amount), unit.decimals)}`
      : exact(BigInt(amountOut), unit.decimals)
  const hashes = [
    [send.chainId, txHash],
    [send.chainId, submission.refundTxHash],
    [receive.chainId, deliveryTxHash]
  ] as const
  const links = new Set(
    hashes.flatMap(([chainId, hash]) => (hash === undefined ? [] : [transaction(catalog.chain(chainId), hash) ?? hash]))
  )
  return [
    `${sentText(catalog, submission, exact)}${symbolOf(catalog, submission)} on ${catalog.chainName(send.chainId)}: ${
      status === "delivered"
        ? `${insteadText(catalog, submission, exact) ?? `${arrived} ${unit.symbol}`} arrived`
        : status === "failed"
          ? `${isUnknown(submission) ? "not known" : "failed"}. ${explainFailure(failureReason, refundFacts(catalog, submission))}`
          : "on its way"
    }`,
    ...[...links].map((link) => `  ${link}`)
  ]
}

/** The receipt as a text: what was sent, what arrived, when, for which fees, and the transactions. */
export const receiptText = (catalog: Catalog, sweep: SignedSweep): string => {
  const [first] = sweep
  const { all, delivered, feeUsd, tookMillis } = outcomeOf(sweep)
  return [
    `Sweep of ${all === 1 ? "1 token" : `${all} tokens`} to ${first.receive.destination} on ${catalog.chainName(first.receive.chainId)}`,
    `Signed ${atSecond(first.submittedAtMs)}`,
    `${delivered} of ${all} delivered, ${arrivedText(catalog, sweep)} arrived${tookMillis === undefined ? "" : ` within ${elapsed(tookMillis)}`}`,
    ...(feeUsd === undefined ? [] : [`Fees ${dollars(feeUsd)}, taken from the tokens. Gas paid by you: $0`]),
    ...(first.sweepId === undefined ? [] : [`Sweep ${first.sweepId}`]),
    "",
    ...sweep.flatMap((each) => lineOf(catalog, each)),
    ""
  ].join("\n")
}
