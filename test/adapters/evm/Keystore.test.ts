import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { encryptKeystoreJsonSync } from "ethers"
import { privateKeyToAccount } from "viem/accounts"
import * as Keystore from "../../../src/adapters/evm/Keystore.ts"

const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const account = { address: privateKeyToAccount(privateKey).address, privateKey }
const written = encryptKeystoreJsonSync(account, "correct horse", { scrypt: { N: 1_024, r: 8, p: 1 } })

/** The test vector of the definition itself (PBKDF2). */
const definition = JSON.stringify({
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
})

describe("Keystore.decrypt", () => {
  it.effect("reads the definition's own vector", () =>
    Effect.gen(function* () {
      const key = yield* Keystore.decrypt(definition, Redacted.make("testpassword"))
      assert.strictEqual(Redacted.value(key), "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d")
    })
  )

  it.effect("reads what ethers writes (scrypt, `Crypto`)", () =>
    Effect.gen(function* () {
      assert.include(written, '"Crypto"')
      const key = yield* Keystore.decrypt(written, Redacted.make("correct horse"))
      assert.strictEqual(Redacted.value(key), privateKey)
    })
  )

  it.effect("tells a wrong password from a wrong file", () =>
    Effect.gen(function* () {
      const wrongPassword = yield* Effect.flip(Keystore.decrypt(written, Redacted.make("battery staple")))
      assert.strictEqual(wrongPassword.detail, "wrong password")
      for (const file of [
        "",
        "{}",
        written.replace("aes-128-ctr", "aes-128-cbc"),
        written.replace("1024", "1073741824")
      ]) {
        const wrongFile = yield* Effect.flip(Keystore.decrypt(file, Redacted.make("correct horse")))
        assert.match(wrongFile.detail, /version 3/)
      }
    })
  )

  it.effect("refuses scrypt parameters that are none", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Keystore.decrypt(written.replace("1024", "1023"), Redacted.make("correct horse"))
      )
      assert.match(error.detail, /not usable/)
    })
  )
})
