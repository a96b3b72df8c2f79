/**
 * Storage of the browser that never throws. A browser with strict privacy, or a frame of another site, refuses it: the values then last as
 * long as the page.
 */
type Area = "localStorage" | "sessionStorage"

export interface Store {
  readonly get: (key: string) => string | null
  readonly set: (key: string, value: string) => void
  readonly remove: (key: string) => void
}

export const makeStore = (area: Area): Store => {
  const memory = new Map<string, string>()
  /** Undefined if the browser refuses. Even the property may throw. */
  const tried = <A>(use: (storage: Storage) => A): { readonly value: A } | undefined => {
    try {
      return { value: use(globalThis[area]) }
    } catch {
      return undefined
    }
  }
  return {
    get: (key) => memory.get(key) ?? tried((storage) => storage.getItem(key))?.value ?? null,
    set: (key, value) => {
      if (tried((storage) => storage.setItem(key, value)) === undefined) memory.set(key, value)
      else memory.delete(key)
    },
    remove: (key) => {
      memory.delete(key)
      tried((storage) => storage.removeItem(key))
    }
  }
}

/** Values for every tab and visit. */
export const local = makeStore("localStorage")

/** Values for this tab. */
export const session = makeStore("sessionStorage")
