/** Names that people see elsewhere are refused with a reason if they are long or hide something. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { asAdmin, asBuilder, ask, field } = Harness

const LENGTH = "expected 1 to 64 characters"
const CONTROL = "must not have control characters or line breaks"
const DIRECTION = "must not have characters that change the direction of text"

const bad = [
  ["", LENGTH],
  ["x".repeat(65), LENGTH],
  ["a\u0007b", CONTROL],
  ["a\u001b[2Jb", CONTROL],
  ["a\nb", CONTROL],
  ["Acme \u202egro.elpmaxe", DIRECTION],
  ["a\u2066b", DIRECTION]
] as const

layer(Harness.layer(), { excludeTestServices: true })("a name", (it) => {
  it.effect("of a builder is refused at each place where it is given", () =>
    Effect.gen(function* () {
      const terms = { id: "named", builderBps: 0, maxBuilderBps: 0, payoutAddress: Harness.wallet().address }
      assert.strictEqual((yield* asAdmin("POST /builders", { body: { ...terms, name: "שם 日本 👩‍💻" } })).status, 201)
      for (const [name, message] of bad) {
        const requests = [
          asAdmin("POST /builders", { body: { ...terms, id: "other", name } }),
          asAdmin("POST /admin/builders", { body: { ...terms, id: "other", name } }),
          asAdmin("PATCH /admin/builders/named", { body: { name } })
        ]
        for (const answer of yield* Effect.all(requests)) {
          assert.strictEqual(answer.status, 422)
          assert.deepStrictEqual(field(answer, "error", "issues"), [{ path: ["name"], message }])
        }
        const signedUp = yield* ask("POST /builders/self", {
          body: { ...(yield* Harness.signed(Harness.wallet())), name }
        })
        assert.strictEqual(signedUp.status, 422)
        assert.deepStrictEqual(signedUp.body, { error: "bad_request" })
      }
    })
  )

  it.effect("of a webhook is refused as well", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Describes")
      const create = (description: string) =>
        asBuilder(cookie)("POST /me/webhooks", { body: { url: "https://example.com/hook", description } })
      assert.strictEqual((yield* create("")).status, 201)
      const texts = [
        ["x".repeat(201), "expected at most 200 characters"],
        ["a\u0000b", CONTROL],
        ["a\u202eb", DIRECTION]
      ] as const
      for (const [description, message] of texts) {
        const answer = yield* create(description)
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(field(answer, "error", "issues"), [{ path: ["description"], message }])
      }
    })
  )
})
