import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Secp256k1 } from "ox"
import { parseSignature } from "viem"
import { privateKeyToAccount, sign } from "viem/accounts"
import * as KmsAnswers from "../../../../src/adapters/evm/keys/KmsAnswers.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Hash, Hex } from "../../../../src/domain/Hex.ts"
import { keyOf, pemOf } from "../../../support/FakeKms.ts"

const N = Secp256k1.noble.CURVE.n

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

/** Made by OpenSSL 3.0: a key, its public key, and signatures of the digest 77, three of them with a high `s`. */
const VECTOR = {
  privateKey: "0x28f8e99e9678af0981bd728055fc5e59b14bf3b6a8689aaf649d07dce22b6047",
  spki: "3056301006072a8648ce3d020106052b8104000a03420004bd41e534c00c164c44bb7224a6e9ed31b2fb478eab4681cc12dbabd2909672016dcccd8c6087a087397d633808d915dd419a7a27b0d9f1241f5c2cff89e3c989",
  pem: `-----BEGIN PUBLIC KEY-----
MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEvUHlNMAMFkxEu3IkpuntMbL7R46rRoHM
Etur0pCWcgFtzM2MYIeghzl9YzgI2RXdQZp6J7DZ8SQfXCz/iePJiQ==
-----END PUBLIC KEY-----
`,
  digest: word(77n),
  low: [
    "304402201f0da513cee180ab4b77cdc302ac8cb7721c4e10b7010f5ca3e178ddb74465cf02203c1a8f43e1d12ae28784fc8a62d0494ce81666d9e30fbf5445d232d75bf3dfbb",
    "304402204670f60a375966e8328c0396c05be84124e203c12c906b07deb772fa3a7cdbe302201eb14d4216b9357786578d5555dc18ea17f95bd7c57df0fe5c32eac988460710",
    "3045022100b04db16cc51cf331f6332d88eb9855f4144c8cb14726600a051d76469ebbb88002204c4b2dcae65537029b6d72113e162f02990b6132f1b557f1debdab02d057caa0"
  ],
  high: [
    "30460221008f9df3e51db4b887d13fd63de4ccada6c344b2663b5a8f7e7447af7572010f83022100a3006df778ffcb56c3376c946d1303bf7dcc07614704070bf70e05969120f2bc",
    "3046022100eb70cb78d1539f7fb7dc7f6b63e60af1192431d17ed26ac90dbe1dfc997f4707022100eddbd8f57745557bac9e459b86725526e53fd4acbfe8e53954e848c17838ff2f",
    "304502206dc112a20985e412bfbb1573240f69cb484e326ebb283b86387245c777403fd8022100cee427ad5611a602034f2e1de6d7e5afb635c2fc31426a113d79e7b9f98b3f41"
  ]
} as const

const account = Address.of(privateKeyToAccount(VECTOR.privateKey).address)
const spki = bytes(VECTOR.spki)
const expected = { account, digest: VECTOR.digest }

const problemOf = <A>(result: Result.Result<A, KmsAnswers.UnusableAnswer>): string =>
  Result.match(result, { onSuccess: () => "none", onFailure: ({ problem }) => problem })

/** A DER integer of a positive number. */
const integer = (value: bigint): Buffer => {
  const digits = value.toString(16)
  const content = bytes(digits.length % 2 === 0 ? digits : `0${digits}`)
  const padded = (content[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), content]) : content
  return Buffer.concat([Buffer.of(2, padded.length), padded])
}
const der = (r: bigint, s: bigint): Buffer => {
  const content = Buffer.concat([integer(r), integer(s)])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

const PrivateKey = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: N - 1n }))
const Digest = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))

describe("the account of a public key", () => {
  it("is that of OpenSSL's DER and PEM", () => {
    assert.deepStrictEqual(KmsAnswers.accountOfPublicKey(spki), Result.succeed(account))
    const decoded = Result.map(KmsAnswers.publicKeyOfPem(VECTOR.pem), (key) => Buffer.from(key).toString("hex"))
    assert.deepStrictEqual(decoded, Result.succeed(VECTOR.spki))
  })

  it.prop("is viem's", [PrivateKey], ([key]) => {
    const { publicKey, account: own } = keyOf(word(key))
    assert.deepStrictEqual(KmsAnswers.accountOfPublicKey(publicKey), Result.succeed(own))
    assert.deepStrictEqual(
      Result.flatMap(KmsAnswers.publicKeyOfPem(pemOf(publicKey)), KmsAnswers.accountOfPublicKey),
      Result.succeed(own)
    )
  })

  it("is refused for other curves, forms and lengths", () => {
    const others = {
      "NIST P-256":
        "3059301306072a8648ce3d020106082a8648ce3d0301070342000409126df0e4b5bea42addbd95af847690b91f937a2296003ceeb2d49bc89dcb94dde341e6d5b21ce49b94c756db1055d4ba19efc57175fd48e94d9d7c8c032dae",
      compressed:
        "3036301006072a8648ce3d020106052b8104000a03220003bd41e534c00c164c44bb7224a6e9ed31b2fb478eab4681cc12dbabd290967201",
      "another curve of the same size": VECTOR.spki.replace("2b8104000a", "2b8104000b"),
      "the point alone": VECTOR.spki.slice(46),
      "a byte less": VECTOR.spki.slice(0, -2),
      "a byte more": `${VECTOR.spki}00`,
      "a hybrid point": VECTOR.spki.replace("03420004", "03420007"),
      nothing: ""
    }
    for (const [name, hex] of Object.entries(others)) {
      assert.strictEqual(problemOf(KmsAnswers.accountOfPublicKey(bytes(hex))), "other_key", name)
    }
  })

  it("is refused for a point that is not on the curve", () => {
    const off = Buffer.from(spki)
    off.writeUInt8(off.readUInt8(87) ^ 1, 87)
    assert.strictEqual(problemOf(KmsAnswers.accountOfPublicKey(off)), "no_point")
  })

  it("is refused for text that is not one public key in PEM", () => {
    for (const text of [
      "",
      VECTOR.pem.replaceAll("PUBLIC", "EC PRIVATE"),
      VECTOR.pem + VECTOR.pem,
      VECTOR.pem.replace("MFYw", "MF*w"),
      VECTOR.pem.replace("iQ==", "iQ=")
    ]) {
      assert.strictEqual(problemOf(KmsAnswers.publicKeyOfPem(text)), "malformed_pem", text)
    }
  })
})

describe("a signature", () => {
  it("of OpenSSL is the account's, with a low s", () => {
    for (const hex of [...VECTOR.low, ...VECTOR.high]) {
      const { r, s, yParity } = Result.getOrThrow(KmsAnswers.signatureOf(bytes(hex), expected))
      assert.isTrue(hex.includes(r.slice(2)))
      assert.strictEqual(
        hex.includes(s.slice(2)),
        VECTOR.low.some((low) => low === hex)
      )
      assert.isTrue(BigInt(s) <= N / 2n)
      const payload = { payload: VECTOR.digest, signature: { r: BigInt(r), s: BigInt(s), yParity } }
      assert.strictEqual(Address.of(Secp256k1.recoverAddress(payload)), account)
    }
  })

  it.effect.prop("is viem's, whichever s the service chose", [PrivateKey, Digest], ([key, message]) =>
    Effect.gen(function* () {
      const [privateKey, hash]: [Hex, Hash] = [word(key), word(message)]
      const own = Address.of(privateKeyToAccount(privateKey).address)
      const { r, s, yParity } = parseSignature(yield* Effect.promise(() => sign({ hash, privateKey, to: "hex" })))
      for (const answer of [der(BigInt(r), BigInt(s)), der(BigInt(r), N - BigInt(s))]) {
        const read = KmsAnswers.signatureOf(answer, { account: own, digest: hash })
        assert.deepStrictEqual(read, Result.succeed({ r, s, yParity: yParity === 1 ? 1 : 0 }))
      }
    })
  )

  it("is refused if it is of another key or another message", () => {
    const [low] = VECTOR.low
    const stranger = keyOf(word(5n)).account
    assert.strictEqual(
      problemOf(KmsAnswers.signatureOf(bytes(low), { ...expected, account: stranger })),
      "foreign_signature"
    )
    assert.strictEqual(
      problemOf(KmsAnswers.signatureOf(bytes(low), { ...expected, digest: word(78n) })),
      "foreign_signature"
    )
    // No point of the curve has this abscissa.
    assert.strictEqual(problemOf(KmsAnswers.signatureOf(der(5n, 1n), expected)), "foreign_signature")
  })

  it("is refused if its DER is malformed", () => {
    const [low] = VECTOR.low
    const content = low.slice(4)
    const malformed = {
      nothing: "",
      "64 bytes of r and s": "11".repeat(64),
      "a byte less": low.slice(0, -2),
      "a byte more": `${low}00`,
      "a set": `31${low.slice(2)}`,
      "a longer length": `3045${content}`,
      "a length in the long form": `308144${content}`,
      "an indefinite length": `3080${content}0000`,
      "a padded integer": `3045022100${content.slice(4)}`,
      "a negative integer": `3006020180${"020101"}`,
      "an empty integer": "30050200020101",
      "one integer": "3003020101",
      "three integers": "3009020101020101020101"
    }
    for (const [name, hex] of Object.entries(malformed)) {
      assert.strictEqual(problemOf(KmsAnswers.signatureOf(bytes(hex), expected)), "malformed_signature", name)
    }
  })

  it("is refused if r or s is not a scalar of the curve", () => {
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [N, 1n],
      [1n, N],
      [1n, 2n ** 256n]
    ] as const) {
      assert.strictEqual(problemOf(KmsAnswers.signatureOf(der(r, s), expected)), "malformed_signature")
    }
  })

  it.prop("never throws", [Schema.Uint8ArrayFromBase64], ([answer]) => {
    assert.notStrictEqual(problemOf(KmsAnswers.signatureOf(answer, expected)), "none")
    assert.notStrictEqual(problemOf(KmsAnswers.accountOfPublicKey(answer)), "none")
  })
})
