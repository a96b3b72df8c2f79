/** API keys of builders: their names, and what each may do. */
import { Schema } from "effect"
import { plainText } from "./PlainText.ts"

/** `quote`: attributes quotes to the builder. `read`: reads the builder's own data. */
export const KeyScope = Schema.Literals(["quote", "read"]).annotate({ identifier: "KeyScope" })
export type KeyScope = typeof KeyScope.Type

export const KeyScopes = Schema.Array(KeyScope).check(
  Schema.isMinLength(1, { message: "expected at least one scope" }),
  Schema.isUnique({ message: "expected each scope once" })
)

/** Name by which people tell keys apart: 1 to 64 Unicode code points. */
export const KeyName = plainText({ minimum: 1, maximum: 64 })

/** Id and name of the key that every builder receives at registration. Rotation replaces this key and no other. */
export const DEFAULT_KEY = { id: "default", name: "Default" } as const

/** Default keys are in pages of apps, where everybody can read them. So they read nothing. */
export const DEFAULT_SCOPES: ReadonlyArray<KeyScope> = ["quote"]

/** Maximum number of keys beside the default one. */
export const MAX_KEYS = 20

/** Milliseconds between two updates of a key's last use, so that a busy key is not written with every quote. */
export const NOTED_EVERY_MILLIS = 60_000

/** True if a use at `nowMs` is to be noted. */
export const isUseDue = (lastUsedAtMs: number | undefined, nowMs: number): boolean =>
  lastUsedAtMs === undefined || lastUsedAtMs <= nowMs - NOTED_EVERY_MILLIS
