/** Keys of secrets in the database, from the settings. */
import { Effect, Option, Redacted } from "effect"
import { common } from "../config/Common.ts"
import { UsageError } from "./UsageError.ts"

const keyOf = Effect.fnUntraced(function* ({ config, name }: typeof common.secretsKey) {
  const text = yield* config
  if (Option.isNone(text)) return undefined
  const digits = Redacted.value(text.value).replace(/^0x/, "")
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return Redacted.make(Uint8Array.fromHex(digits), { label: name })
  return yield* new UsageError({ detail: `${name} is not valid. Set it to 32 random bytes as 64 hex digits` })
})

/** The current key and the former one, if they are set. */
export const secrets = Effect.gen(function* () {
  const { secretsFormerKey, secretsKey } = common
  return { key: yield* keyOf(secretsKey), formerKey: yield* keyOf(secretsFormerKey) }
})
