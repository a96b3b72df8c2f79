/** Request bodies of the builder backend as clients send them: content types, sizes, and text that is not JSON. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import { operatorBodies } from "../../support/OperatorBodies.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, ask, field } = Harness
const live = { excludeTestServices: true }

const KIB_64 = 64 * 1024
const MIB = 1024 * 1024

const SIGN_IN = ["POST /auth/verify", "POST /builders/self"]

/** The one route with a longer body. */
const PAYMENTS = "POST /admin/payouts/any/payments"

/** Routes of the contract that take a body of an operator, or of the orchestrator. */
const DETAILED = operatorBodies(OpenApi.fromApi(BuilderApi)).map(
  ({ method, path }) => `${method} ${path.replace("{id}", "any")}`
)

/** Not JSON, or not the JSON that databases and signatures can hold. */
const NOT_JSON = ["", "nope", "{", '{"name":"\\ud800"}', "[1,]"]

const padded = (bytes: number) => `[${" ".repeat(bytes - 2)}]`

const issues = (answer: Harness.Answer) => field(answer, "error", "issues")

layer(Harness.layer(), live)("a request body", (it) => {
  it("is part of these routes, among others", () => {
    for (const route of [
      PAYMENTS,
      "POST /builders",
      "POST /accruals",
      "POST /admin/rate-limits",
      "PATCH /admin/builders/any"
    ]) {
      assert.include(DETAILED, route)
    }
  })

  it.effect.each(SIGN_IN)("of %s that is malformed is a bad request", (route) =>
    Effect.gen(function* () {
      for (const raw of [...NOT_JSON, "[]", "{}", '{"message":1,"signature":"0x","name":"a"}']) {
        const answer = yield* ask(route, { raw })
        assert.strictEqual(answer.status, 422, raw)
        assert.deepStrictEqual(answer.body, { error: "bad_request" })
      }
    })
  )

  it.effect.each(DETAILED)("of %s that is not JSON is one problem of the body", (route) =>
    Effect.gen(function* () {
      for (const raw of NOT_JSON) {
        const answer = yield* asAdmin(route, { raw })
        assert.strictEqual(answer.status, 422, raw)
        assert.deepStrictEqual(issues(answer), [{ path: [], message: "invalid JSON body" }])
      }
      const array = yield* asAdmin(route, { raw: "[]" })
      assert.deepStrictEqual(issues(array), [{ path: [], message: "expected an object" }])
    })
  )

  it.effect("lists every problem in the order of the fields", () =>
    Effect.gen(function* () {
      const answer = yield* asAdmin("POST /builders", { body: { id: "-", builderBps: "1", payoutAddress: "0x" } })
      assert.strictEqual(answer.status, 422)
      const found = issues(answer)
      assert.deepStrictEqual(Array.isArray(found) ? found.map(({ path }) => path.join(".")) : found, [
        "id",
        "name",
        "builderBps",
        "maxBuilderBps",
        "payoutAddress"
      ])
    })
  )

  it.effect("may have any content type, or none", () =>
    Effect.gen(function* () {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense", ""]) {
        const answer = yield* asAdmin("POST /admin/alerts/clear", {
          body: { key: "nothing" },
          headers: { "content-type": type }
        })
        assert.deepStrictEqual([answer.status, answer.body], [404, { error: "not found" }], type)
      }
    })
  )

  it.effect("has at most 64 KiB", () =>
    Effect.gen(function* () {
      for (const route of [...SIGN_IN, ...DETAILED].filter((each) => each !== PAYMENTS)) {
        assert.strictEqual((yield* asAdmin(route, { raw: padded(KIB_64) })).status, 422, route)
        const answer = yield* asAdmin(route, { raw: padded(KIB_64 + 1) })
        assert.deepStrictEqual([answer.status, answer.body], [413, { error: "request body too large" }], route)
      }
    })
  )

  it.effect("has at most 1 MiB for a signed payment", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* asAdmin(PAYMENTS, { raw: padded(MIB) })).status, 422)
      assert.strictEqual((yield* asAdmin(PAYMENTS, { raw: padded(MIB + 1) })).status, 413)
    })
  )

  it.effect("is not read before the credential is checked", () =>
    Effect.gen(function* () {
      for (const route of DETAILED) {
        const answer = yield* ask(route, { raw: padded(KIB_64 + 1) })
        assert.deepStrictEqual([answer.status, answer.body], [401, { error: "unauthorized" }], route)
      }
    })
  )
})
