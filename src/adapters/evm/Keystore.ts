/**
 * Private keys in encrypted files: the Web3 Secret Storage definition, version 3, as geth, foundry (`cast wallet`) and
 * wallets write it. A key is derived from the password (scrypt or PBKDF2), its MAC is checked, and AES-128-CTR is undone.
 */
import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { Effect, Redacted, Schema } from "effect"
import { bytesToHex, concatBytes, hexToBytes, keccak256 } from "viem"
import type { Hex } from "../../domain/Hex.ts"

/** The file is no such keystore, or the password is wrong. */
export class KeystoreUnreadable extends Schema.TaggedError<KeystoreUnreadable>()("KeystoreUnreadable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `keystore: ${this.detail}`
  }
}

/** Hex without a prefix, as the definition writes bytes. */
const Bare = Schema.String.check(Schema.isPattern(/^(?:[0-9a-fA-F]{2})+$/))
const Bare16 = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{32}$/))
const Bare32 = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))

const positive = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** Costs are bounded, so that a hostile file cannot take the process's memory: geth's strongest scrypt needs 256 MiB. */
const Scrypt = Schema.Struct({
  kdf: Schema.Literal("scrypt"),
  kdfparams: Schema.Struct({
    dklen: Schema.Literal(32),
    n: positive(2 ** 20),
    r: positive(16),
    p: positive(16),
    salt: Bare
  })
})

const Pbkdf2 = Schema.Struct({
  kdf: Schema.Literal("pbkdf2"),
  kdfparams: Schema.Struct({
    dklen: Schema.Literal(32),
    c: positive(10_000_000),
    prf: Schema.Literal("hmac-sha256"),
    salt: Bare
  })
})

const Cipher = Schema.Struct({
  cipher: Schema.Literal("aes-128-ctr"),
  cipherparams: Schema.Struct({ iv: Bare16 }),
  ciphertext: Bare32,
  mac: Bare32
})

const Crypto = Schema.Union([
  Schema.Struct({ ...Cipher.fields, ...Scrypt.fields }),
  Schema.Struct({ ...Cipher.fields, ...Pbkdf2.fields })
])

/** Writers disagree on the case of `crypto`. */
const File = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ version: Schema.Literal(3), crypto: Crypto }),
    Schema.Struct({ version: Schema.Literal(3), Crypto })
  ])
)

const decodeFile = Schema.decodeUnknownEffect(File)
const bytes = (bare: string) => hexToBytes(`0x${bare}`)
const scryptAsync = promisify<string, Uint8Array, number, object, Buffer>(scrypt)
const pbkdf2Async = promisify(pbkdf2)

const derive = (crypto: typeof Crypto.Type, password: string): Promise<Uint8Array> => {
  if (crypto.kdf === "pbkdf2") {
    return pbkdf2Async(password, bytes(crypto.kdfparams.salt), crypto.kdfparams.c, 32, "sha256")
  }
  const { n: N, p, r, salt } = crypto.kdfparams
  return scryptAsync(password, bytes(salt), 32, { N, r, p, maxmem: 256 * N * r })
}

/** The private key in a keystore's JSON text. */
export const decrypt = Effect.fn("Keystore.decrypt")(function* (json: string, password: Redacted.Redacted<string>) {
  const file = yield* Effect.mapError(
    decodeFile(json),
    () => new KeystoreUnreadable({ detail: "not a version 3 keystore of a supported cipher and key derivation" })
  )
  const crypto = "crypto" in file ? file.crypto : file.Crypto
  const derived = yield* Effect.tryPromise({
    try: () => derive(crypto, Redacted.value(password)),
    catch: () => new KeystoreUnreadable({ detail: "the key derivation's parameters are not usable" })
  })
  const ciphertext = bytes(crypto.ciphertext)
  const mac = keccak256(concatBytes([derived.subarray(16, 32), ciphertext]), "bytes")
  if (!timingSafeEqual(mac, bytes(crypto.mac))) return yield* new KeystoreUnreadable({ detail: "wrong password" })
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), bytes(crypto.cipherparams.iv))
  const key: Hex = bytesToHex(concatBytes([decipher.update(ciphertext), decipher.final()]))
  return Redacted.make(key)
})
