/**
 * {@link SecretBox} by AES-256-GCM of WebCrypto. A ciphertext is `v1.<id of the key>.<nonce>.<ciphertext and tag>`, the last two in
 * base64url. Row and column are authenticated with it, so that a copy in another place cannot be read. A nonce is random: there are far
 * fewer secrets than the 2^32 that one key may encrypt.
 */
import { Effect, Layer, Redacted } from "effect"
import { Aead, Digest, SecureRandom } from "effect/crypto"
import { type Place, SecretBox, type SecretBoxShape, SecretUnreadable } from "../../ports/shared/SecretBox.ts"

export interface Options {
  /** 32 bytes. Undefined: secrets are stored as they are. */
  readonly key: Redacted.Redacted<Uint8Array> | undefined
  /** Key of earlier secrets. */
  readonly formerKey: Redacted.Redacted<Uint8Array> | undefined
}

const VERSION = "v1"
const NONCE_BYTES = 12
const ID_BYTES = 4

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const aadOf = ({ column, row }: Place): Uint8Array => encoder.encode(JSON.stringify(["token-sweep", column, row]))

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** A key with its id, which reveals nothing of a random key. */
const named = Effect.fnUntraced(function* (bytes: Redacted.Redacted<Uint8Array>) {
  const { digest } = yield* Digest.Digest
  const hash = yield* digest(Digest.sha256, Redacted.value(bytes))
  return {
    prefix: `${VERSION}.${Buffer.from(hash.subarray(0, ID_BYTES)).toString("hex")}.`,
    key: yield* Aead.key(Aead.aes256Gcm, Redacted.value(bytes))
  }
}, Effect.orDie)

const unreadable = (detail: string) => Effect.fail(new SecretUnreadable({ detail }))

const make = Effect.fnUntraced(function* ({ formerKey, key }: Options) {
  const aead = yield* Aead.Aead
  const { randomBytes } = yield* SecureRandom.SecureRandom
  const current = key === undefined ? undefined : yield* named(key)
  const former = formerKey === undefined ? undefined : yield* named(formerKey)
  const known = [current, former].filter((each) => each !== undefined)

  const seal: SecretBoxShape["seal"] = Effect.fnUntraced(function* (secret, place) {
    if (current === undefined) return yield* Effect.die(new Error("there is no key for secrets"))
    const nonce = yield* randomBytes(NONCE_BYTES)
    const sealed = yield* Effect.orDie(
      aead.encrypt(current.key, encoder.encode(Redacted.value(secret)), { nonce, aad: aadOf(place) })
    )
    return `${current.prefix}${base64url(nonce)}.${base64url(sealed)}`
  })

  const open: SecretBoxShape["open"] = Effect.fnUntraced(function* (sealed, place) {
    const by = known.find(({ prefix }) => sealed.startsWith(prefix))
    if (by === undefined) {
      return yield* unreadable("the secret is encrypted by a key that is neither SECRETS_KEY nor SECRETS_FORMER_KEY")
    }
    const [nonce = "", text = ""] = sealed.slice(by.prefix.length).split(".")
    const plain = yield* aead
      .decrypt(by.key, Buffer.from(text, "base64url"), { nonce: Buffer.from(nonce, "base64url"), aad: aadOf(place) })
      .pipe(Effect.catch(() => unreadable("the encrypted secret was changed, or belongs to another row or column")))
    return Redacted.make(decoder.decode(plain), { label: place.column })
  })

  return { current: current?.prefix, seal, open } satisfies SecretBoxShape
})

export const layer = (options: Options) =>
  Layer.effect(SecretBox, make(options)).pipe(
    Layer.provide([Aead.layerWebCrypto, Digest.layerWebCrypto]),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
