/**
 * Intents submitted from this browser, by service and owner, newest first. Those of one signature name their sweep. A reloaded
 * page or another tab finds the pending ones. They are stored in the browser only.
 */
import { useCallback, useSyncExternalStore } from "react"
import type { Address, Hex, Intent, IntentStatus } from "../../sdk/index.ts"

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
  readonly submittedAtMs: number
  readonly send: Side
  /** `amount` is the minimum that arrives. */
  readonly receive: Side & { readonly destination: Address }
  /** The bridged token, if it is not the sent one. It is refunded if the deposit is not filled. */
  readonly crossing?: Omit<Side, "amount">
  /** The last known status. */
  readonly status: IntentStatus
  readonly txHash?: Hex
  readonly deliveryTxHash?: Hex
  readonly failureReason?: string
}

/** Maximum number of ended submissions that are kept. Pending ones are always kept. */
const MOST = 100

const keyOf = (service: string, owner: Address): string => `sweep-submissions ${service} ${owner.toLowerCase()}`

const listeners = new Set<() => void>()

const isSubmission = (value: unknown): value is Submission =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
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
  const text = localStorage.getItem(key)
  const known = cache.get(key)
  if (known !== undefined && known.text === text) return known.list
  const list = parsed(text)
  cache.set(key, { text, list })
  return list
}

const write = (key: string, list: ReadonlyArray<Submission>): void => {
  localStorage.setItem(key, JSON.stringify(list.filter((each, index) => index < MOST || !isEnded(each))))
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
    const key = each.sweepId ?? each.id
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return [...groups.values()]
}

export const isEnded = ({ status }: { readonly status: IntentStatus }): boolean =>
  status === "delivered" || status === "failed"

/** The stored facts of an intent's state. */
export const factsOf = ({
  deliveryTxHash,
  failureReason,
  status,
  txHash
}: Pick<Submission, "status" | "txHash" | "deliveryTxHash" | "failureReason">) => ({
  status,
  ...(txHash === undefined ? {} : { txHash }),
  ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
  ...(failureReason === undefined ? {} : { failureReason })
})

export const useSubmissions = (service: string, owner: Address) => {
  const key = keyOf(service, owner)
  const list = useSyncExternalStore(subscribe, () => read(key))
  const add = useCallback((signed: ReadonlyArray<Submission>) => write(key, [...signed, ...read(key)]), [key])
  const update = useCallback(
    (intents: ReadonlyArray<Intent>) => {
      const seen = new Map(intents.map((intent) => [intent.id, factsOf(intent)]))
      write(
        key,
        read(key).map((each) => ({ ...each, ...seen.get(each.id) }))
      )
    },
    [key]
  )
  /** Forgets the sweeps whose intents have all ended. */
  const forgetEnded = useCallback(
    () =>
      write(
        key,
        bySweep(read(key)).flatMap((sweep) => (sweep.every(isEnded) ? [] : sweep))
      ),
    [key]
  )
  return { list, add, update, forgetEnded }
}

export type Submissions = ReturnType<typeof useSubmissions>
