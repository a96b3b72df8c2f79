import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Uint256 } from "../../src/domain/Amount.ts"
import * as LimitedArray from "../../src/domain/LimitedArray.ts"
import * as SchemaMessages from "../../src/server/shared/SchemaMessages.ts"

const Item = Schema.Struct({ amount: Uint256, name: Schema.String }).annotate({ identifier: "Item" })

const plain = Schema.Array(Item).check(
  Schema.isMinLength(1, { message: "expected at least 1 item" }),
  Schema.isMaxLength(3, { message: "expected at most 3 items" }),
  Schema.isUnique({ message: "expected each item once" })
)

const item = (name: string) => ({ amount: "1", name })

const problemsOf = <A, I>(schema: Schema.Codec<A, I>, value: unknown): string | undefined => {
  const result = Schema.decodeUnknownResult(Schema.toCodecJson(schema), { errors: "all" })(value)
  return Result.isFailure(result) ? SchemaMessages.format(result.failure.issue, "body") : undefined
}

const Body = Schema.Struct({ items: LimitedArray.lengthFirst(plain) })
const PlainBody = Schema.Struct({ items: plain })

describe("LimitedArray", () => {
  it("decodes no element of an array that is too long", () => {
    let decoded = 0
    const counted = Schema.String.check(Schema.makeFilter(() => ++decoded > 0))
    const array = LimitedArray.lengthFirst(Schema.Array(counted).check(Schema.isMaxLength(3)))
    assert.isDefined(problemsOf(array, ["a", "b", "c", "d"]))
    assert.strictEqual(decoded, 0)
    assert.isUndefined(problemsOf(array, ["a", "b", "c"]))
    assert.strictEqual(decoded, 3)
  })

  it("names only the length of an array that is too long", () => {
    assert.strictEqual(
      problemsOf(Body, { items: Array.from({ length: 20_000 }, () => ({})) }),
      "items: expected at most 3 items"
    )
  })

  it.each([
    [{ items: [] }],
    [{ items: [item("a"), item("a")] }],
    [{ items: [{ amount: "x" }, { name: 1 }] }],
    [{ items: "x" }],
    [{ items: {} }],
    [{ items: null }],
    [{}],
    [{ items: [item("a"), item("b"), item("c"), item("d")] }],
    [{ items: [item("a"), item("b"), item("c")] }]
  ])("has the texts of the array: %j", (body) => {
    assert.strictEqual(problemsOf(Body, body), problemsOf(PlainBody, body))
  })

  it("decodes and encodes as the array", () => {
    const items = [item("a"), item("b")]
    const decoded = Schema.decodeUnknownSync(Body)({ items })
    assert.deepStrictEqual(decoded, {
      items: [
        { amount: 1n, name: "a" },
        { amount: 1n, name: "b" }
      ]
    })
    assert.deepStrictEqual(Schema.encodeSync(Body)(decoded), { items })
    assert.throws(() => Schema.encodeSync(Body)({ items: ["a", "b", "c", "d"].map((name) => ({ amount: 1n, name })) }))
  })

  it.each([
    ["structs with encoded fields", plain],
    ["encoded elements", Schema.Array(Uint256).check(Schema.isMaxLength(2))],
    [
      "named elements without an encoding",
      Schema.Array(Schema.Literals(["a", "b"]).annotate({ identifier: "Letter" })).check(Schema.isMaxLength(2))
    ],
    ["elements without a name", Schema.Array(Schema.String.check(Schema.isMaxLength(9))).check(Schema.isMaxLength(2))]
  ])("is documented as the array, with %s", (_, array) => {
    const documentOf = (schema: Schema.Constraint) =>
      Schema.toJsonSchemaDocument(Schema.Struct({ items: schema, first: array.value }))
    assert.deepStrictEqual(documentOf(LimitedArray.lengthFirst<Schema.Top>(array)), documentOf(array))
  })

  it("needs a maximum", () => {
    assert.throws(() => LimitedArray.lengthFirst(Schema.Array(Schema.String)), "no maximum length")
  })
})
