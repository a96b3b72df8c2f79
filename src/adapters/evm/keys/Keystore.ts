/**
 * Encrypted key files by Web3 Secret Storage, version 3, with scrypt or PBKDF2, as geth, Web3Signer and Foundry write them. ethers
 * reads and writes them: it checks the MAC, and that the file's address is the key's.
 */
import { Duration, Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { decryptKeystoreJson, encryptKeystoreJson } from "ethers"
import * as Address from "../../../domain/Address.ts"
import { Hash, type Hex } from "../../../domain/Hex.ts"

/** The file cannot be used. The message names the file and has nothing of its content. */
export class KeystoreUnusable extends Schema.TaggedError<KeystoreUnusable>()("KeystoreUnusable", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Derivation of the key takes one or two seconds with the usual cost. */
const DEADLINE = Duration.seconds(30)

/** Largest file that is read, in bytes. A keystore has about 500. */
const MAX_BYTES = 65_536

const isPrivateKey = Schema.is(Hash)

/** Part of a keystore that is readable without its passphrase. */
const Visible = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(3),
    address: Schema.optional(Schema.String.check(Schema.isPattern(/^(?:0x)?[0-9a-fA-F]{40}$/)))
  })
)
const decodeVisible = Schema.decodeEffect(Visible)

const failed = (detail: string) => new KeystoreUnusable({ detail })

const readText = Effect.fnUntraced(function* (path: string, what: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = failed(`the ${what} ${path} cannot be read. Check its path and permissions`)
  const { size } = yield* Effect.mapError(fs.stat(path), () => unreadable)
  if (size > MAX_BYTES) return yield* failed(`the ${what} ${path} is larger than ${MAX_BYTES} bytes`)
  return yield* Effect.mapError(fs.readFileString(path), () => unreadable)
})

/** Account that the file names. None if it names none. */
export const addressOf = Effect.fnUntraced(function* (file: string) {
  const { address } = yield* Effect.mapError(Effect.flatMap(readText(file, "keystore"), decodeVisible), (error) =>
    error instanceof KeystoreUnusable ? error : failed(`${file} is not a keystore of Web3 Secret Storage, version 3`)
  )
  return Option.map(Option.fromUndefinedOr(address), (text) => Address.of(text.startsWith("0x") ? text : `0x${text}`))
})

/** The first line of a file, which may end in a line break. */
export const passphraseOf = Effect.fnUntraced(function* (file: string) {
  const text = (yield* readText(file, "file with the passphrase")).replace(/\r?\n$/, "")
  if (text === "") return yield* failed(`the file with the passphrase ${file} is empty`)
  return Redacted.make(text, { label: "passphrase" })
})

/** Decrypts the private key of a keystore. The file's address must be the key's. */
export const open = Effect.fnUntraced(function* (file: string, passphrase: Redacted.Redacted) {
  yield* addressOf(file)
  const json = yield* readText(file, "keystore")
  const { address, privateKey } = yield* Effect.tryPromise({
    try: () => decryptKeystoreJson(json, Redacted.value(passphrase)),
    // The cause may quote the file.
    catch: (cause) =>
      failed(
        cause instanceof Error && cause.message.includes("incorrect password")
          ? `the passphrase of the keystore ${file} is wrong`
          : `the keystore ${file} cannot be decrypted: it is damaged, or its address is another key's`
      )
  }).pipe(
    Effect.timeoutOrElse({
      duration: DEADLINE,
      orElse: () => Effect.fail(failed(`the keystore ${file} was not decrypted within 30 seconds`))
    })
  )
  if (!isPrivateKey(privateKey)) return yield* failed(`the keystore ${file} has a key of another length`)
  return { address: Address.of(address), key: Redacted.make<Hex>(privateKey, { label: "private key" }) }
})

/** Cost of the derivation in new keystores, as geth's standard: 256 MB and about a second. */
export const STANDARD_COST = 262_144

/** Text of a new keystore. `cost` is scrypt's N. */
export const sealed = (
  { address, key }: { readonly address: Address.Address; readonly key: Redacted.Redacted<Hex> },
  passphrase: Redacted.Redacted,
  cost = STANDARD_COST
): Effect.Effect<string> =>
  Effect.promise(() =>
    encryptKeystoreJson({ address, privateKey: Redacted.value(key) }, Redacted.value(passphrase), {
      scrypt: { N: cost }
    })
  )
