/** Reads and maps JSON values of unknown shape. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | Members
export type Members = { readonly [key: string]: Json }

export const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Maps the members that are objects themselves, and keeps the others. */
export const mapMembers = (value: Json | undefined, step: (member: Members, key: string) => Json): Members =>
  isMembers(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, isMembers(inner) ? step(inner, key) : inner])
      )
    : {}

/** The value at a path of keys, if there is one. */
export const member = (value: Json | undefined, ...keys: ReadonlyArray<string>): Json | undefined =>
  keys.reduce<Json | undefined>((inner, key) => (isMembers(inner) ? inner[key] : undefined), value)
