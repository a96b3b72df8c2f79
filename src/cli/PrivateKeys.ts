/** Private keys from the environment. */
import { Array, Effect, Redacted, Schema } from "effect"
import { Hash, type Hex } from "../domain/Hex.ts"
import { UsageError } from "./UsageError.ts"

const isPrivateKey = Schema.is(Hash)

const asPrivateKey = (key: Redacted.Redacted, label: string): ReadonlyArray<Redacted.Redacted<Hex>> => {
  const text = Redacted.value(key)
  return isPrivateKey(text) ? [Redacted.make(text, { label })] : []
}

/** Parses all keys of a setting. The error says what to set it to, and never shows a key. */
export const parse = Effect.fnUntraced(function* (
  setting: string,
  expected: string,
  configured: ReadonlyArray<Redacted.Redacted>
) {
  const keys = configured.flatMap((key) => asPrivateKey(key, setting))
  if (keys.length !== configured.length || !Array.isReadonlyArrayNonEmpty(keys)) {
    const problem = configured.length === 0 ? "is not set" : "is not valid"
    return yield* new UsageError({ detail: `${setting} ${problem}. Set it to ${expected}` })
  }
  return keys
})
