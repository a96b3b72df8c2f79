/** The account of a key, wherever a setting says that it is. */
import { Effect, Option, type Redacted, Schema } from "effect"
import type { KeyReference } from "../../domain/KeyReference.ts"
import * as Kms from "../kms/Kms.ts"
import { type Account, inProcess, type KeyAccount } from "../evm/keys/KeyAccount.ts"
import * as Keystore from "../evm/keys/Keystore.ts"
import * as RawKey from "../evm/keys/RawKey.ts"
import * as RemoteKey from "../evm/keys/RemoteKey.ts"
import * as RemoteSigner from "./RemoteSigner.ts"
import * as SignerLimits from "./SignerLimits.ts"

export interface Options {
  /** Timeout of a request to a key management service or a remote signer, in milliseconds. */
  readonly timeoutMillis: number
  /** Key file of a Google Cloud service account. Default: the machine's own service account. */
  readonly googleCredentials: string | undefined
  /** File with the passphrase of keystores that name none. */
  readonly passphraseFile: string | undefined
  /** Bearer token of remote signers. */
  readonly signerToken: Redacted.Redacted | undefined
}

/** For keys that are all in this process. */
export const IN_PROCESS: Options = {
  timeoutMillis: 5_000,
  googleCredentials: undefined,
  passphraseFile: undefined,
  signerToken: undefined
}

/** The key cannot be used. The message says where it is and what to do, and has no secret. */
export class KeyUnusable extends Schema.TaggedError<KeyUnusable>()("KeyUnusable", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const unusable = ({ message }: { readonly message: string }) => new KeyUnusable({ detail: message })

/** A signature is made inside a database transaction, which ends after 6 seconds without a statement. */
const LONGEST_SIGNING_MILLIS = 4_000

/** The account, with every request within limits. */
const outside = Effect.fnUntraced(function* (account: KeyAccount, { timeoutMillis }: Options) {
  const { address } = account
  const deadlineMillis = Math.min(timeoutMillis, LONGEST_SIGNING_MILLIS)
  const { isAnswering, limited } = yield* SignerLimits.make({ name: address, deadlineMillis })
  return {
    address,
    signTransaction: (transaction) => limited(account.signTransaction(transaction)),
    signTypedData: (message) => limited(account.signTypedData(message)),
    signAuthorization: (authorization) => limited(account.signAuthorization(authorization)),
    isAnswering,
    isOutside: true
  } satisfies Account
})

const ofKeystore = Effect.fnUntraced(function* (
  { address: wanted, file, passphraseFile }: Extract<KeyReference, { readonly kind: "keystore" }>,
  common: string | undefined
) {
  const passphrase = passphraseFile ?? common
  if (passphrase === undefined) {
    return yield* new KeyUnusable({
      detail: `the passphrase of the keystore ${file} is not known. Set KEYSTORE_PASSPHRASE_FILE, or write keystore:${file}?passphrase=<file>`
    })
  }
  const opened = yield* Keystore.open(file, yield* Keystore.passphraseOf(passphrase))
  if (wanted !== undefined && wanted !== opened.address) {
    return yield* new KeyUnusable({ detail: `the keystore ${file} has the key of ${opened.address}, not of ${wanted}` })
  }
  return inProcess(yield* RawKey.account(opened.key))
})

/** Makes the account of a key. A service is asked for the account only if the setting does not name it. */
export const make = Effect.fnUntraced(
  function* (reference: KeyReference, options: Options) {
    switch (reference.kind) {
      case "raw":
        return inProcess(yield* RawKey.account(reference.key))
      case "keystore":
        return yield* ofKeystore(reference, options.passphraseFile)
      case "kms": {
        const key = yield* Kms.make(reference.key, options)
        const address = reference.address ?? (yield* RemoteKey.addressOf(key))
        return yield* outside(RemoteKey.accountAt(address, key), options)
      }
      case "remote": {
        const { address, url } = reference
        const { signerToken: token, timeoutMillis } = options
        return yield* outside(yield* RemoteSigner.account({ url, address, token, timeoutMillis }), options)
      }
    }
  },
  Effect.mapError((error) => (error._tag === "KeyUnusable" ? error : unusable(error)))
)

/** Account that a setting names without asking a service or opening a keystore. None if it names none. */
export const namedAddress = Effect.fnUntraced(function* (reference: KeyReference) {
  switch (reference.kind) {
    case "raw":
      return Option.some((yield* RawKey.account(reference.key)).address)
    case "keystore":
      return reference.address === undefined
        ? yield* Keystore.addressOf(reference.file)
        : Option.some(reference.address)
    case "kms":
      return Option.fromUndefinedOr(reference.address)
    case "remote":
      return Option.some(reference.address)
  }
}, Effect.mapError(unusable))
