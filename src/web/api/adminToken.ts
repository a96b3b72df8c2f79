/** The operator's token, for a console without a gateway. It is kept in this tab until the tab is closed. */
import { useSyncExternalStore } from "react"
import { session } from "../lib/storage.ts"

const KEY = "sweep-admin-token"

const listeners = new Set<() => void>()

export const current = (): string | undefined => session.get(KEY) ?? undefined

export const set = (token: string | undefined): void => {
  if (token === undefined) session.remove(KEY)
  else session.set(KEY, token)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useAdminToken = (): string | undefined => useSyncExternalStore(subscribe, current)
