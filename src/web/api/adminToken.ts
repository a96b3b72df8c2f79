/** The operator's token, for a console without a gateway. It is kept in this tab until the tab is closed. */
import { useSyncExternalStore } from "react"

const KEY = "sweep-admin-token"

const listeners = new Set<() => void>()

export const current = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined

export const set = (token: string | undefined): void => {
  if (token === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, token)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useAdminToken = (): string | undefined => useSyncExternalStore(subscribe, current)
