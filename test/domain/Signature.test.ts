import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { compactSignatureToSignature, parseCompactSignature, serializeSignature } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { compact, normalized } from "../../src/domain/Signature.ts"

const body = "ab".repeat(64)

describe("Signature", () => {
  it("turns a recovery byte of 0 or 1 into 27 or 28", () => {
    assert.strictEqual(normalized(`0x${body}00`), `0x${body}1b`)
    assert.strictEqual(normalized(`0x${body}01`), `0x${body}1c`)
  })

  it("writes its digits in lower case, as the database does", () => {
    for (const digits of [`${body}1b`, body, "abcd"]) {
      assert.strictEqual(normalized(`0x${digits.toUpperCase()}`), `0x${digits}`)
    }
  })

  it("leaves everything else alone", () => {
    for (const signature of [`0x${body}1b`, `0x${body}1c`, `0x${body}02`, `0x${body}`, "0x"] as const) {
      assert.strictEqual(normalized(signature), signature)
    }
  })

  const Key = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n ** 255n }))

  it.effect.prop("packs what a wallet signs into 64 bytes that stand for the same", [Key, Key], ([key, message]) =>
    Effect.gen(function* () {
      const account = privateKeyToAccount(`0x${key.toString(16).padStart(64, "0")}`)
      const signature = yield* Effect.promise(() => account.signMessage({ message: message.toString() }))
      const packed = compact(signature)
      assert.strictEqual(packed.length, 130)
      const { r, s, yParity } = compactSignatureToSignature(parseCompactSignature(packed))
      assert.strictEqual(serializeSignature({ r, s, yParity: yParity ?? 0 }), signature)
    })
  )

  it("packs a recovery byte of 0 or 1 as 27 or 28", () => {
    const low = `${"ab".repeat(32)}${"01".repeat(32)}`
    assert.strictEqual(compact(`0x${low}00`), `0x${low}`)
    assert.strictEqual(compact(`0x${low}1b`), `0x${low}`)
    assert.strictEqual(compact(`0x${low}01`), `0x${"ab".repeat(32)}81${"01".repeat(31)}`)
    assert.strictEqual(compact(`0x${low}1c`), `0x${"ab".repeat(32)}81${"01".repeat(31)}`)
  })

  it("leaves what it cannot pack as it is", () => {
    for (const signature of [`0x${body}1b`, `0x${"01".repeat(64)}1d`, `0x${body}`, "0x", "0xabcd"] as const) {
      assert.strictEqual(compact(signature), signature)
    }
  })
})
