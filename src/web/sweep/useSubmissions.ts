/**
 * Store of the submissions in the browser, by service and owner, newest first. They are stored before they are submitted, so that a page that
 * is closed at any moment finds them again. Another browser finds them in the service's history.
 */
import { useCallback, useMemo, useSyncExternalStore } from "react"
import type { Address, Intent } from "../../sdk/index.ts"
import { local } from "../lib/storage.ts"
import { acceptedIn, isEnded, type Submission, type Submitted, unansweredIn, updatedIn } from "./submissions.ts"

/** Time at which the page was opened. */
export const openedAtMs = Date.now()

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

/** Ids of the submissions that this page is sending. */
const sending = new Set<string>()

/** True while this page sends it. */
export const isBeingSent = ({ id, isUnsent, unansweredAtMs }: Submission): boolean =>
  isUnsent === true && unansweredAtMs === undefined && sending.has(id)

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
      /** Forgets submissions. */
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
      update: (intents: ReadonlyArray<Intent>) => change((before) => updatedIn(before, intents, Date.now(), openedAtMs))
    }),
    [list, change]
  )
}

export type Submissions = ReturnType<typeof useSubmissions>
