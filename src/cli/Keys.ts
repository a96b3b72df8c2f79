/** Keys of the service's accounts from the environment, in every form of {@link KeyReference}. */
import { Array, Effect, Option, Redacted } from "effect"
import type * as ConfiguredKey from "../adapters/signers/ConfiguredKey.ts"
import { kms } from "../config/Kms.ts"
import * as KeyReference from "../domain/KeyReference.ts"
import { UsageError } from "./UsageError.ts"

/** Parses all keys of a setting. The error says what to set it to, and never shows a key. */
export const parse = Effect.fnUntraced(function* (
  setting: string,
  expected: string,
  configured: ReadonlyArray<Redacted.Redacted>
) {
  if (!Array.isReadonlyArrayNonEmpty(configured)) {
    return yield* new UsageError({ detail: `${setting} is not set. Set it to ${expected}` })
  }
  return yield* Effect.forEach(configured, (key, index) =>
    Effect.mapError(
      Effect.fromResult(KeyReference.parse(Redacted.value(key))),
      (problem) =>
        new UsageError({
          detail: `${setting} is not valid: ${configured.length === 1 ? "it" : `key ${index + 1}`} ${problem}`
        })
    )
  )
})

/** Parses the only key of a setting. */
export const parseOne = (setting: string, expected: string, configured: Option.Option<Redacted.Redacted>) =>
  Effect.map(parse(setting, expected, Option.toArray(configured)), ([key]) => key)

/** Settings of all keys outside this process. */
export const options = Effect.gen(function* () {
  const { googleCredentials, keystorePassphraseFile, kmsTimeoutSeconds, remoteSignerToken } = kms
  return {
    timeoutMillis: (yield* kmsTimeoutSeconds.config) * 1000,
    googleCredentials: Option.getOrUndefined(yield* googleCredentials.config),
    passphraseFile: Option.getOrUndefined(yield* keystorePassphraseFile.config),
    signerToken: Option.getOrUndefined(yield* remoteSignerToken.config)
  } satisfies ConfiguredKey.Options
})

/** Refuses a remote signer for the fee recipient: no signer has a method for the authorizations of EIP-7702. */
export const ofFeeRecipient = Effect.fnUntraced(function* (setting: string, reference: KeyReference.KeyReference) {
  if (reference.kind !== "remote") return reference
  return yield* new UsageError({
    detail: `${setting}: a remote signer cannot sign EIP-7702 authorizations, which sales need. Use a key in a key management service or a keystore`
  })
})

/**
 * Warns of each private key that stands in a setting, if a chain of the catalogue is served: anyone who reads the environment has it.
 */
export const warnOfRaw = (
  setting: string,
  references: ReadonlyArray<KeyReference.KeyReference>,
  isPublicChain: boolean
): Effect.Effect<void> => {
  const raw = references.filter(({ kind }) => kind === "raw").length
  return raw > 0 && isPublicChain
    ? Effect.annotateLogs(Effect.logWarning("keys.raw"), {
        setting,
        keys: raw,
        advice: "use keystore:, awskms:, gcpkms: or remote: (docs/how-to/keep-keys-safe.md)"
      })
    : Effect.void
}
