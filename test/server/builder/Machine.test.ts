import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import * as Harness from "./Harness.ts"
import { issuePaths, register } from "./machineRoutes.ts"

const { asAdmin, ask, field, signUp, text } = Harness

const live = { excludeTestServices: true }

const attribute = (apiKey: string) => ask("POST /attribute", { headers: { "x-api-key": apiKey } })

layer(Harness.layer(), live)("machine routes", (it) => {
  it.effect("a builder is registered, and its key attributes", () =>
    Effect.gen(function* () {
      const { answer, apiKey, body } = yield* register()
      assert.strictEqual(answer.status, 201)
      assert.deepInclude(field(answer, "builder"), {
        id: body.id,
        name: "Machine",
        builderBps: 10,
        maxBuilderBps: 50,
        payoutAddress: body.payoutAddress
      })
      const attributed = yield* attribute(apiKey)
      assert.strictEqual(attributed.status, 200)
      assert.deepStrictEqual(attributed.body, {
        builderId: body.id,
        builderBps: 10,
        maxBuilderBps: 50,
        payoutAddress: body.payoutAddress,
        payoutMode: "onchain"
      })
      assert.strictEqual(
        text(yield* attribute((yield* register({ payoutMode: "ledger" })).apiKey), "payoutMode"),
        "ledger"
      )
    })
  )

  it.effect("keys that are missing, malformed or unknown attribute nothing", () =>
    Effect.gen(function* () {
      const answers = [
        yield* ask("POST /attribute"),
        ...(yield* Effect.forEach(["x", "swp_", `swp_${"00".repeat(32)}`, `swp_${"AB".repeat(32)}`], attribute)),
        yield* ask("POST /attribute", { body: { apiKey: (yield* register()).apiKey } })
      ]
      for (const answer of answers) {
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(answer.body, { error: "unattributed" })
      }
    })
  )

  it.effect("a rotated key is worth nothing at once", () =>
    Effect.gen(function* () {
      const { apiKey, cookie } = yield* signUp()
      const builder = Harness.asBuilder(cookie)
      assert.strictEqual((yield* attribute(apiKey)).status, 200)
      const rotated = yield* builder("POST /me/apikey/rotate")
      assert.strictEqual(rotated.status, 200)
      assert.strictEqual((yield* attribute(apiKey)).status, 404)
      const next = text(rotated, "apiKey")
      const shown = yield* builder("GET /me/apikey")
      assert.strictEqual(text(shown, "prefix"), next.slice(0, 12))
      assert.isUndefined(field(shown, "lastUsedAtMs"))
      assert.strictEqual((yield* attribute(next)).status, 200)
      yield* Harness.until(builder("GET /me/apikey"), (answer) => typeof field(answer, "lastUsedAtMs") === "number")
      assert.notInclude((yield* builder("GET /me/apikey")).text, next)
    })
  )

  it.effect("every machine route asks for the admin token before it reads anything", () =>
    Effect.gen(function* () {
      const credentials = [
        {},
        { authorization: "Bearer " },
        { authorization: "Bearer x" },
        { authorization: `Bearer ${Harness.ADMIN_TOKEN}x` },
        { authorization: `Bearer ${"x".repeat(5_000)}` },
        { authorization: `Basic ${Harness.ADMIN_TOKEN}` },
        { authorization: Harness.ADMIN_TOKEN }
      ]
      for (const request of ["POST /builders", "POST /accruals", "POST /revenue", "GET /builders/x/accruals"]) {
        for (const headers of credentials) {
          const answer = yield* ask(request, { headers })
          assert.strictEqual(answer.status, 401)
          assert.deepStrictEqual(answer.body, { error: "unauthorized" })
        }
      }
    })
  )

  it.effect("a registration's problems are all named", () =>
    Effect.gen(function* () {
      const empty = yield* asAdmin("POST /builders", { body: {} })
      assert.strictEqual(empty.status, 422)
      assert.sameMembers([...issuePaths(empty)], ["id", "name", "builderBps", "maxBuilderBps", "payoutAddress"])
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
        ["id", { id: "" }],
        ["id", { id: "=1+1" }],
        ["id", { id: `bld_${"ab".repeat(20)}` }],
        ["name", { name: "" }],
        ["builderBps", { builderBps: -1 }],
        ["builderBps", { builderBps: 1.5 }],
        ["builderBps", { builderBps: "10" }],
        ["builderBps", { builderBps: 51 }],
        ["maxBuilderBps", { maxBuilderBps: 10_001 }],
        ["payoutAddress", { payoutAddress: "0x1" }],
        ["payoutAddress", { payoutAddress: Address.zero }],
        ["payoutMode", { payoutMode: "cash" }]
      ]
      for (const [path, changes] of wrong) {
        const { answer } = yield* register(changes)
        assert.strictEqual(answer.status, 422, JSON.stringify(changes))
        assert.deepStrictEqual(issuePaths(answer), [path])
      }
      const notJson = yield* asAdmin("POST /builders", { raw: "{" })
      assert.strictEqual(notJson.status, 422)
      assert.isObject(field(notJson, "error"))
    })
  )

  it.effect("ids and wallets are registered once", () =>
    Effect.gen(function* () {
      const { body } = yield* register()
      for (const changes of [{ id: body.id }, { payoutAddress: body.payoutAddress }]) {
        const { answer } = yield* register(changes)
        assert.strictEqual(answer.status, 409)
        assert.deepStrictEqual(answer.body, { error: "already_registered" })
      }
    })
  )
})
