/** Submissions that the intake accepts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Hex, serializeCompactSignature, serializeSignature, signatureToCompactSignature } from "viem"
import { EXPIRY, ID, authorize, make } from "./intakeScene.ts"

describe("a submission", () => {
  it.effect("is durable when it is accepted", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const authorization = yield* authorize({ nonce: 3n })
      assert.deepStrictEqual(yield* scene.submit({ authorization }), { id: ID, status: "submitted" })
      const stored = Option.getOrThrow(yield* scene.intents.find(ID))
      assert.strictEqual(stored.status, "submitted")
      assert.deepStrictEqual(stored.submission, { signature: scene.signature, authorization })
    })
  )

  it.effect("is accepted until the last millisecond of the quote", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      yield* TestClock.setTime(EXPIRY - 1)
      assert.strictEqual((yield* scene.submit()).status, "submitted")
    })
  )

  it.effect("has one winner, however many come at the same time", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const results = yield* Effect.all(
        Array.from({ length: 30 }, () => Effect.result(scene.submit())),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      for (const result of results) {
        if (result._tag === "Failure") assert.include(result.failure.message, "already_submitted")
      }
    })
  )

  it.effect("may be signed in 65 bytes, in 64 (EIP-2098), and with a recovery byte of 0 or 1", () =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<(signature: { r: Hex; s: Hex; yParity: number }) => Hex> = [
        ({ r, s, yParity }) => serializeSignature({ r, s, yParity }),
        ({ r, s, yParity }) => serializeCompactSignature(signatureToCompactSignature({ r, s, yParity })),
        ({ r, s, yParity }) => `${serializeSignature({ r, s, yParity }).slice(0, -2) as Hex}0${yParity}`
      ]
      for (const form of forms) {
        const scene = yield* make()
        const { signature } = scene
        const yParity = signature.endsWith("1b") ? 0 : 1
        const parts = { r: signature.slice(0, 66) as Hex, s: `0x${signature.slice(66, 130)}` as Hex, yParity }
        assert.strictEqual((yield* scene.submit({ signature: form(parts) })).status, "submitted")
      }
    })
  )

  it.effect("may carry an authorization for any account nonce: whether it applies is seen when it is sent", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const authorization = yield* authorize({ nonce: 12_345n })
      assert.strictEqual((yield* scene.submit({ authorization })).status, "submitted")
    })
  )
})
