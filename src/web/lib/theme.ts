/** Light or dark theme. Default: the system's. */
import { useSyncExternalStore } from "react"
import { local } from "./storage.ts"

export type Theme = "system" | "light" | "dark"

const KEY = "sweep-theme"

const isTheme = (value: string | null): value is "light" | "dark" => value === "light" || value === "dark"

const listeners = new Set<() => void>()

const stored = (): Theme => {
  const value = local.get(KEY)
  return isTheme(value) ? value : "system"
}

const apply = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

export const setTheme = (theme: Theme): void => {
  if (theme === "system") local.remove(KEY)
  else local.set(KEY, theme)
  apply(theme)
  for (const listener of listeners) listener()
}

/** Applies the theme that was chosen on an earlier visit. */
export const restoreTheme = (): void => apply(stored())

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, stored)
