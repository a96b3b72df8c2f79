/** Answers of a service that are mangled in arbitrary places: for properties about services that lie or are broken. */
import { Schema } from "effect"

const Int = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))

/** One change of an answer: where, how, and with which value. */
export const Change = Schema.Struct({
  place: Int,
  kind: Schema.Literals(["address", "amount", "more", "less", "byte", "null", "gone", "text"]),
  seed: Int
})
type Change = typeof Change.Type

export const Changes = Schema.Array(Change).check(Schema.isMinLength(1), Schema.isMaxLength(3))

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Path = ReadonlyArray<string | number>

/** The paths of all leaves. */
const leavesOf = (value: Json, path: Path = []): ReadonlyArray<Path> => {
  if (value === null || typeof value !== "object") return [path]
  return Object.entries(value).flatMap(([key, member]: [string, Json]) => leavesOf(member, [...path, key]))
}

/** An address that is in no request and in no honest answer. */
const stranger = (seed: number): string => `0x${(0xdead_0000_0000n + BigInt(seed)).toString(16).padStart(40, "0")}`

/** Changes a byte of a hex text, or the word that begins at it. */
const bytesChanged = (text: string, kind: Change["kind"], seed: number): string => {
  const bytes = Math.max(1, (text.length - 2) / 2)
  if (kind === "byte") {
    const at = 2 + 2 * (seed % bytes)
    return `${text.slice(0, at)}${(seed % 256).toString(16).padStart(2, "0")}${text.slice(at + 2)}`
  }
  const words = Math.max(1, Math.floor((bytes - 4) / 32))
  const at = 10 + 64 * (seed % words)
  return `${text.slice(0, at)}${stranger(seed).slice(2).padStart(64, "0")}${text.slice(at + 64)}`
}

const changed = (value: Json, { kind, seed }: Change): Json | undefined => {
  if (kind === "gone") return undefined
  if (kind === "null") return null
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64,}$/.test(value)) return bytesChanged(value, kind, seed)
  if (kind === "address") return stranger(seed)
  if (kind === "text") return "k3y"
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value))
  if (!isNumber) return kind === "amount" ? String(seed) : value
  const other = kind === "more" ? BigInt(value) + BigInt(seed) : kind === "less" ? BigInt(value) / 2n : BigInt(seed)
  return typeof value === "number" ? Number(other) : other.toString()
}

const replaced = (value: Json, [key, ...rest]: Path, change: Change): Json | undefined => {
  if (key === undefined) return changed(value, change)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).flatMap(([name, member]: [string, Json]) => {
    const next = name === String(key) ? replaced(member, rest, change) : member
    return next === undefined ? [] : [[name, next] as const]
  })
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

/** The answer after all changes. */
export const mangled = (answer: unknown, changes: ReadonlyArray<Change>): unknown =>
  changes.reduce<Json>(
    (value, change) => {
      const leaves = leavesOf(value)
      const path = leaves[change.place % Math.max(1, leaves.length)] ?? []
      return replaced(value, path, change) ?? null
    },
    JSON.parse(JSON.stringify(answer)) as Json
  )
