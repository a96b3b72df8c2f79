import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as AesGcmSecretBox from "../../../src/adapters/secrets/AesGcmSecretBox.ts"
import { SecretBox } from "../../../src/ports/shared/SecretBox.ts"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const PLACE = { column: "table.secret", row: "one" }
const SECRET = Redacted.make("whsec_c2VjcmV0")

const layer = AesGcmSecretBox.layer({ key: keyOf(1), formerKey: keyOf(2) })
const former = AesGcmSecretBox.layer({ key: keyOf(2), formerKey: undefined })
const stranger = AesGcmSecretBox.layer({ key: keyOf(3), formerKey: undefined })

const sealed = Effect.flatMap(SecretBox, ({ seal }) => seal(SECRET, PLACE))
const opened = (text: string, place = PLACE) => Effect.flatMap(SecretBox, ({ open }) => open(text, place))

const Text = Schema.String.check(Schema.makeFilter((text: string) => text.isWellFormed()))
const Position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))

describe("sealed secrets", () => {
  it.effect.prop("are opened in their place", [Text, Text, Text], ([secret, column, row]) =>
    Effect.gen(function* () {
      const { open, seal } = yield* SecretBox
      const text = yield* seal(Redacted.make(secret), { column, row })
      assert.strictEqual(Redacted.value(yield* open(text, { column, row })), secret)
    }).pipe(Effect.provide(layer))
  )

  it.effect.prop(
    "are refused after any change of a letter",
    [Position, Schema.Literals(["A", "b", "0", "_", "."])],
    ([at, letter]) =>
      Effect.gen(function* () {
        const text = yield* sealed
        const index = at % text.length
        const changed = text.slice(0, index) + letter + text.slice(index + 1)
        if (Buffer.from(changed.slice(12), "base64url").equals(Buffer.from(text.slice(12), "base64url"))) return
        const { detail } = yield* Effect.flip(opened(changed))
        assert.notInclude(detail, "whsec_")
      }).pipe(Effect.provide(layer))
  )

  it.effect("differ each time, name their key, and hold nothing readable", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* sealed, yield* sealed]
      assert.notStrictEqual(one, two)
      assert.isTrue(one.startsWith((yield* SecretBox).current ?? "none"))
      assert.notInclude(one, Redacted.value(SECRET))
      assert.match(one, /^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of another row, column or key are refused, and those of the former key are opened", () =>
    Effect.gen(function* () {
      const text = yield* Effect.provide(sealed, layer)
      const refused = Effect.flip(opened(text, { ...PLACE, row: "two" }))
      assert.include((yield* Effect.provide(refused, layer)).message, "belongs to another row")
      const moved = Effect.flip(opened(text, { ...PLACE, column: "table.other" }))
      assert.include((yield* Effect.provide(moved, layer)).message, "belongs to another row")
      assert.include((yield* Effect.provide(Effect.flip(opened(text)), stranger)).message, "neither SECRETS_KEY")
      assert.include((yield* Effect.flip(opened(text))).message, "SECRETS_KEY is not set")
      const earlier = yield* Effect.provide(sealed, former)
      assert.strictEqual(Redacted.value(yield* Effect.provide(opened(earlier), layer)), Redacted.value(SECRET))
    })
  )
})
