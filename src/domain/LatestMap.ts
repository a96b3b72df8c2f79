/** A map in memory with a bound. The entry that was set longest ago is forgotten first. */

export interface LatestMap<K, V> {
  readonly get: (key: K) => V | undefined
  /** Makes this entry the latest one. */
  readonly set: (key: K, value: V) => void
  readonly delete: (key: K) => void
}

/** Keeps at most this many entries. */
export const make = <K, V>(capacity: number): LatestMap<K, V> => {
  const entries = new Map<K, V>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      // A map iterates in the order in which keys were added.
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
    delete: (key) => {
      entries.delete(key)
    }
  }
}
