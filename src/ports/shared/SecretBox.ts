/** Encrypts secrets before they are stored. Without a key they are stored as they are. */
import { Context, Effect, type Redacted, Schema } from "effect"

/** The stored secret is of another row or column, was changed, or its key is not configured. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Row and column of a secret. A ciphertext can be read in its place only. */
export interface Place {
  readonly column: string
  readonly row: string
}

export interface SecretBoxShape {
  /** Prefix of what `seal` returns with the current key. Undefined: there is no key, and nothing is sealed. */
  readonly current: string | undefined
  /** Ciphertext of a secret. Dies without a key. */
  readonly seal: (secret: Redacted.Redacted, place: Place) => Effect.Effect<string>
  /** Secret of a ciphertext, by the current or the former key. */
  readonly open: (sealed: string, place: Place) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
}

export const SecretBox = Context.Reference<SecretBoxShape>("sweep/ports/SecretBox", {
  defaultValue: () => ({
    current: undefined,
    seal: () => Effect.die(new Error("there is no key for secrets")),
    open: () => Effect.fail(new SecretUnreadable({ detail: "the secret is encrypted, and SECRETS_KEY is not set" }))
  })
})
