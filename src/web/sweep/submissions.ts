/**
 * Intents that the owner signed, by service and owner, newest first. Those of one signature name their sweep. They are stored before they
 * are submitted, so that a page that is closed at any moment finds them again. Another browser finds them in the service's history.
 */
import { useCallback, useMemo, useSyncExternalStore } from "react"
import type { Address, Hex, Intent, IntentStatus, ReviewedLeg } from "../../sdk/index.ts"
import { local } from "../lib/storage.ts"
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
  readonly send: Side & { readonly symbol?: string }
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

/** Maximum number of ended submissions that are kept. Pending ones are always kept. */
const MOST = 100

const keyOf = (service: string, owner: Address): string => `sweep-submissions ${service} ${owner.toLowerCase()}`

const listeners = new Set<() => void>()

const isSubmission = (value: unknown): value is Submission =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "submittedAtMs" in value &&
  Number.isFinite(value.submittedAtMs) &&
  "send" in value &&
  typeof value.send === "object" &&
  "receive" in value &&
  typeof value.receive === "object"

const parsed = (text: string | null): ReadonlyArray<Submission> => {
  try {
    const value: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(value) ? value.filter(isSubmission) : []
  } catch {
    return []
  }
}

/** The last stored text and its decoded list, so that React gets the same list while nothing changes. */
const cache = new Map<string, { readonly text: string | null; readonly list: ReadonlyArray<Submission> }>()

const read = (key: string): ReadonlyArray<Submission> => {
  const text = local.get(key)
  const known = cache.get(key)
  if (known !== undefined && known.text === text) return known.list
  const list = parsed(text)
  cache.set(key, { text, list })
  return list
}

const write = (key: string, list: ReadonlyArray<Submission>): void => {
  local.set(key, JSON.stringify(list.filter((each, index) => index < MOST || !isEnded(each))))
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  // Changes by other tabs.
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

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

/** Ids of the submissions that this page is sending. */
const sending = new Set<string>()

/** True while this page sends it. */
export const isBeingSent = ({ id, isUnsent, unansweredAtMs }: Submission): boolean =>
  isUnsent === true && unansweredAtMs === undefined && sending.has(id)

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
  ...(refund === undefined ? {} : { refunded: refund.amount.toString(), refundedToken: refund.token }),
  ...(amountOut === undefined ? {} : { amountOut: amountOut.toString() }),
  ...(arrivedInstead === undefined
    ? {}
    : { instead: { token: arrivedInstead.token, amount: arrivedInstead.amount.toString() } })
})

/** The last known state of an intent. */
export const lastSeen = ({ amountOut, id, instead, receive, send, ...facts }: Submission): Intent => ({
  id,
  status: facts.status,
  crossChain: send.chainId !== receive.chainId,
  ...(facts.txHash === undefined ? {} : { txHash: facts.txHash }),
  ...(facts.deliveryTxHash === undefined ? {} : { deliveryTxHash: facts.deliveryTxHash }),
  ...(facts.failureReason === undefined ? {} : { failureReason: facts.failureReason }),
  ...(amountOut === undefined ? {} : { amountOut: BigInt(amountOut) }),
  ...(instead === undefined ? {} : { arrivedInstead: { token: instead.token, amount: BigInt(instead.amount) } })
})

/** The stored form of a reviewed order. */
export const submissionOf = (leg: ReviewedLeg, wanted: Wanted, submittedAtMs: number): Submission => {
  const { fees, quoteId, receive, send } = leg
  const feeUsd = legUsd(wanted, leg, fees.total)
  const symbol = tokenOf(wanted, leg)?.symbol
  return {
    id: quoteId,
    isUnsent: true,
    submittedAtMs,
    expiresAtMs: leg.expiresAt.getTime(),
    send: {
      chainId: send.chainId,
      token: send.token,
      amount: send.amount.toString(),
      ...(symbol === undefined ? {} : { symbol })
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

type Submitted = ReadonlyArray<Submission>

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

/** The list with the states of these intents. `quoted` tells nothing new: the service has the quote, and maybe not the signature. */
export const updatedIn = (list: Submitted, intents: ReadonlyArray<Intent>, nowMs: number): Submitted => {
  const seen = new Map(intents.map((intent) => [intent.id, intent]))
  return list.map((each) => {
    const intent = seen.get(each.id)
    if (intent === undefined || intent.status === "quoted") return each
    // Another tab may have seen the end before the service forgot it.
    if (isUnknown(intent) && isEnded(each)) return each
    const { isUnsent, ...sent } = each
    const isLost = isUnsent === true && intent.failureReason === NOT_SUBMITTED
    const hasJustEnded = isEnded(intent) && !isEnded(each)
    return { ...(isLost ? each : sent), ...factsOf(intent), ...(hasJustEnded ? { endedAtMs: nowMs } : {}) }
  })
}

export const useSubmissions = (service: string, owner: Address) => {
  const key = keyOf(service, owner)
  const list = useSyncExternalStore(subscribe, () => read(key))
  const change = useCallback(
    (next: (list: ReadonlyArray<Submission>) => ReadonlyArray<Submission>) => write(key, next(read(key))),
    [key]
  )
  return useMemo(
    () => ({
      list,
      /** Stores submissions that this page is about to send. */
      add: (signed: Submitted) => {
        for (const { id } of signed) sending.add(id)
        change((before) => [...signed, ...before])
      },
      /** Removes submissions that the service refused. */
      drop: (ids: ReadonlyArray<string>) => {
        for (const id of ids) sending.delete(id)
        change((before) => before.filter(({ id }) => !ids.includes(id)))
      },
      /** The service has them. */
      accepted: (ids: ReadonlyArray<string>, sweepId: string) => {
        for (const id of ids) sending.delete(id)
        change((before) => acceptedIn(before, ids, sweepId))
      },
      /** The service may have them. The id of the sweep is unknown, so each intent is followed by its own. */
      unanswered: (ids: ReadonlyArray<string>) => {
        for (const id of ids) sending.delete(id)
        change((before) => unansweredIn(before, ids, Date.now()))
      },
      update: (intents: ReadonlyArray<Intent>) => change((before) => updatedIn(before, intents, Date.now())),
      /** Forgets the sweeps whose intents have all ended. */
      forgetEnded: () => change((before) => bySweep(before).flatMap((sweep) => (sweep.every(isEnded) ? [] : sweep)))
    }),
    [list, change]
  )
}

export type Submissions = ReturnType<typeof useSubmissions>
