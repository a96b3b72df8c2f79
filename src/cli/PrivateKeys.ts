/** Private keys from the environment. */
import { Array, Effect, Redacted, Schema } from "effect"
import { Hash, type Hex } from "../domain/Hex.ts"
import { UsageError } from "./UsageError.ts"

const isPrivateKey = Schema.is(Hash)

const asPrivateKey = (key: Redacted.Redacted, label: string): ReadonlyArray<Redacted.Redacted<Hex>> => {
  const text = Redacted.value(key)
  return isPrivateKey(text) ? [Redacted.make(text, { label })] : []
}

/** All of the setting's keys, or what `setting` must be. The message never shows one. */
export const parse = Effect.fnUntraced(function* (
  setting: string,
  expected: string,
  configured: ReadonlyArray<Redacted.Redacted>
) {
  const keys = configured.flatMap((key) => asPrivateKey(key, setting))
  if (keys.length !== configured.length || !Array.isReadonlyArrayNonEmpty(keys)) {
    return yield* new UsageError({ detail: `${setting} must be ${expected}` })
  }
  return keys
})
