/** A map in memory that forgets its old entries, so that it holds no more than what was set lately. */

export interface AgedMap<K, V> {
  /** Undefined if the key was not set within the map's time. */
  readonly get: (key: K, nowMs: number) => V | undefined
  /** Begins the entry's time anew, and drops every older entry whose time is over. */
  readonly set: (key: K, value: V, nowMs: number) => void
  readonly delete: (key: K) => void
  readonly size: () => number
}

/** Callers that read the clock before others may set their entries after them, so times differ a little, in milliseconds. */
const AHEAD_MILLIS = 1_000

/** Keeps each entry for `keptMillis` after it was set. */
export const make = <K, V>(keptMillis: number): AgedMap<K, V> => {
  const entries = new Map<K, { readonly value: V; readonly atMs: number }>()
  // An entry of the future is from before the clock was set back, which hides its age.
  const isOver = (atMs: number, nowMs: number): boolean => nowMs < atMs - AHEAD_MILLIS || nowMs - atMs >= keptMillis
  return {
    get: (key, nowMs) => {
      const entry = entries.get(key)
      return entry === undefined || isOver(entry.atMs, nowMs) ? undefined : entry.value
    },
    set: (key, value, nowMs) => {
      // A map iterates in insertion order, so the oldest entries come first.
      entries.delete(key)
      entries.set(key, { value, atMs: nowMs })
      for (const [old, { atMs }] of entries) {
        if (!isOver(atMs, nowMs)) break
        entries.delete(old)
      }
    },
    delete: (key) => {
      entries.delete(key)
    },
    size: () => entries.size
  }
}
