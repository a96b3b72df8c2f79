/** True on screens that are as wide as the styles' `md`, on which tables have all of their columns. */
import { useSyncExternalStore } from "react"

const wide = matchMedia("(width >= 48rem)")

const subscribe = (listener: () => void) => {
  wide.addEventListener("change", listener)
  return () => wide.removeEventListener("change", listener)
}

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches)
