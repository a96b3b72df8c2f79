/** Keystores: the vectors of Web3 Secret Storage, new ones, and damaged ones. */
import { BunFileSystem } from "@effect/platform-bun"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { Wallet } from "ethers"
import * as Keystore from "../../../../src/adapters/evm/keys/Keystore.ts"
import * as ConfiguredKey from "../../../../src/adapters/signers/ConfiguredKey.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { FetchHttpClient } from "effect/http"

/** The key and the passphrase of the vectors (Web3 Secret Storage Definition, "Test Vectors"). */
const KEY: Hex = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d"
const PASSPHRASE = Redacted.make("testpassword")
const ACCOUNT = Address.of("0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b")

const PBKDF2 = {
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: "hmac-sha256",
      salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"
    },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
  },
  id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  version: 3
}

/** Written by `cast wallet new` of Foundry 1.7.1. */
const CAST = {
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "2c8b30dcdd172661d43d04d567826bb5" },
    ciphertext: "7f0dfb2135009d9e987b0437ae71af435653c79325299dad4c7a5bb12a1afa1e",
    kdf: "scrypt",
    kdfparams: {
      dklen: 32,
      n: 8_192,
      p: 1,
      r: 8,
      salt: "305cc33117cd3ec28ea1141197eca8fe8957f532603ab000dab2281bfb0fb2ce"
    },
    mac: "e2c21daf9e8458b36de18cd5cd4b8ad4ed63823025a81404b96d623fd16d40ae"
  },
  id: "2e455375-d516-4993-bd4e-06a85ce0b81f",
  version: 3
}
const CAST_KEY: Hex = "0x67bbc00e5ca9a01d2303dbeda65785eee02bc82be3ea497462febbd4f5f8ca34"
const CAST_ACCOUNT = Address.of("0xdE7D0C2B97aEA1233197777eEd314ECbE34D836C")

/** The definition's vector with scrypt. Its cost is above the limit of RFC 7914 for r = 1, so libraries refuse it. */
const COSTLY = {
  crypto: {
    ...CAST.crypto,
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 8,
      r: 1,
      salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"
    },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"
  },
  version: 3
}

/** A key of 31 bytes, from geth's tests. Its passphrase is `foo`. */
const SHORT = {
  crypto: {
    ...CAST.crypto,
    cipherparams: { iv: "e0c41130a323adc1446fc82f724bca2f" },
    ciphertext: "9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984",
    kdfparams: {
      dklen: 32,
      n: 2,
      r: 8,
      p: 1,
      salt: "711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63"
    },
    mac: "d5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5"
  },
  version: 3
}

/** The vectors' key by a cheap derivation, written by ethers. */
const CHEAP = {
  version: 3,
  id: "d4319a35-256a-4c6f-9465-78770916bdf9",
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "f1e1c9cadb54f6bf6b7c94509ba0b13d" },
    ciphertext: "68a44b80474457b4e5829082b46202d1cba745466c0a8567d7bf9a451c7e80c5",
    kdf: "scrypt",
    kdfparams: {
      dklen: 32,
      n: 2,
      p: 1,
      r: 8,
      salt: "87bcaecdb9d349f3ecd16504f31476954ecd0d6bb7b9dcacf6fccd508edc12a8"
    },
    mac: "0c31192a68128c0a48297b6a6ede808589e0cbe966a220c3b2015e13c32361c9"
  }
}
const CHEAP_ACCOUNT = "008aeeda4d805471df9b2a5b0f38a0c3bcba786b"

/** Cheap enough for tests. */
const COST = 1_024

const fileWith = Effect.fnUntraced(function* (content: unknown) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.makeTempFileScoped()
  yield* fs.writeFileString(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
})

const sealed = Effect.suspend(() => Keystore.sealed({ address: ACCOUNT, key: Redacted.make(KEY) }, PASSPHRASE, COST))

const detailOf = (content: unknown, passphrase = PASSPHRASE) =>
  Effect.flatMap(fileWith(content), (path) =>
    Effect.map(Effect.flip(Keystore.open(path, passphrase)), ({ detail }) => detail.replaceAll(path, "FILE"))
  )

describe("a keystore", () => {
  it.live.each([
    ["PBKDF2 of its definition", PBKDF2, KEY, ACCOUNT],
    ["scrypt of Foundry", CAST, CAST_KEY, CAST_ACCOUNT]
  ] as const)("opens the vector with %s", ([, vector, wanted, account]) =>
    Effect.gen(function* () {
      const { address, key } = yield* Keystore.open(yield* fileWith(vector), PASSPHRASE)
      assert.strictEqual(Redacted.value(key), wanted)
      assert.strictEqual(address, account)
    }).pipe(Effect.scoped, Effect.provide(BunFileSystem.layer))
  )

  it.live("that is written can be read, here and by ethers", () =>
    Effect.gen(function* () {
      const text = yield* sealed
      assert.notInclude(text, KEY.slice(2))
      const path = yield* fileWith(text)
      assert.deepStrictEqual(yield* Keystore.addressOf(path), Option.some(ACCOUNT))
      assert.strictEqual(Redacted.value((yield* Keystore.open(path, PASSPHRASE)).key), KEY)
      assert.strictEqual(Wallet.fromEncryptedJsonSync(text, "testpassword").privateKey, KEY)
    }).pipe(Effect.scoped, Effect.provide(BunFileSystem.layer))
  )

  it.live("that is wrong in any way is refused, and not quoted", () =>
    Effect.gen(function* () {
      const text = yield* sealed
      assert.strictEqual(
        yield* Keystore.open(yield* fileWith(CHEAP), PASSPHRASE).pipe(Effect.map((each) => each.address)),
        ACCOUNT
      )
      const json = JSON.parse(text) as { address: string; Crypto: { ciphertext: string; mac: string } }
      const { Crypto: crypto } = json
      assert.include(yield* detailOf(text, Redacted.make("wrong")), "the passphrase of the keystore FILE is wrong")
      const flipped = crypto.ciphertext.replace(/^./, (first) => (first === "0" ? "1" : "0"))
      assert.include(yield* detailOf({ ...json, Crypto: { ...crypto, ciphertext: flipped } }), "is wrong")
      assert.include(yield* detailOf({ ...json, address: "11".repeat(20) }), "its address is another key's")
      assert.include(yield* detailOf(COSTLY), "cannot be decrypted")
      assert.include(yield* detailOf(SHORT, Redacted.make("foo")), "cannot be decrypted")
      for (const [content, part] of [
        [{ ...json, version: 4 }, "is not a keystore"],
        [{ ...json, address: "zz" }, "is not a keystore"],
        ["5ec4e7", "is not a keystore"],
        ["x".repeat(70_000), "is larger than"]
      ] as const) {
        const detail = yield* detailOf(content)
        assert.include(detail, part)
        assert.notInclude(detail, "5ec4e7")
      }
    }).pipe(Effect.scoped, Effect.provide(BunFileSystem.layer))
  )

  const Digit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))
  const Position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 }))
  it.effect.prop(
    "whose ciphertext, MAC, salt or initialization vector was changed is refused",
    [Schema.Literals(["ciphertext", "mac", "salt", "iv"]), Position, Digit],
    ([field, position, digit]) =>
      Effect.gen(function* () {
        const changed = (text: string) => {
          const at = position % text.length
          return text.slice(0, at) + digit.toString(16) + text.slice(at + 1)
        }
        const { cipherparams, ciphertext, kdfparams, mac } = CHEAP.crypto
        const crypto = {
          ...CHEAP.crypto,
          ...(field === "ciphertext" ? { ciphertext: changed(ciphertext) } : {}),
          ...(field === "mac" ? { mac: changed(mac) } : {}),
          ...(field === "salt" ? { kdfparams: { ...kdfparams, salt: changed(kdfparams.salt) } } : {}),
          ...(field === "iv" ? { cipherparams: { iv: changed(cipherparams.iv) } } : {})
        }
        // A vector is not part of the MAC. Another one gives another key, which is not the file's account.
        const content = { ...CHEAP, crypto, address: CHEAP_ACCOUNT }
        if (JSON.stringify(crypto) === JSON.stringify(CHEAP.crypto)) return
        assert.match(yield* detailOf(content), /is wrong$|another key's$/)
      }).pipe(Effect.scoped, Effect.provide(BunFileSystem.layer))
  )

  it.live("is the key of a setting, with its own passphrase or the common one", () =>
    Effect.gen(function* () {
      const file = yield* fileWith(yield* sealed)
      const passphraseFile = yield* fileWith("testpassword\n")
      const options = { ...ConfiguredKey.IN_PROCESS, passphraseFile }
      const own = yield* ConfiguredKey.make({ kind: "keystore", file, passphraseFile }, ConfiguredKey.IN_PROCESS)
      assert.strictEqual(own.address, ACCOUNT)
      assert.isFalse(own.isOutside)
      assert.strictEqual((yield* ConfiguredKey.make({ kind: "keystore", file }, options)).address, ACCOUNT)
      const without = yield* Effect.flip(ConfiguredKey.make({ kind: "keystore", file }, ConfiguredKey.IN_PROCESS))
      assert.include(without.message, "Set KEYSTORE_PASSPHRASE_FILE")
      const address = Address.of(`0x${"11".repeat(20)}`)
      const other = yield* Effect.flip(ConfiguredKey.make({ kind: "keystore", file, address }, options))
      assert.include(other.message, `has the key of ${ACCOUNT}, not of ${address}`)
    }).pipe(Effect.scoped, Effect.provide([BunFileSystem.layer, FetchHttpClient.layer]))
  )
})
