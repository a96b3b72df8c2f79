/** Bodies of the operator's routes follow the rules of all bodies. The routes come from the contract, so that a new one is tried too. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { OpenApi } from "effect/http-api"
import { OrchestratorApi } from "../../../src/api/orchestrator/OrchestratorApi.ts"
import { operatorBodies } from "../../support/OperatorBodies.ts"
import { expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"

const TOKEN = "operator-token"
const LANE = `0x${"11".repeat(20)}`
const KIB_64 = 64 * 1024

const routes = operatorBodies(OpenApi.fromApi(OrchestratorApi)).map(({ example, method, path }) => ({
  route: `${method} ${path}`,
  method,
  path: path.replace("{address}", LANE),
  example
}))

const credential = { authorization: `Bearer ${TOKEN}` }
const operated = serve({}, { adminToken: Redacted.make(TOKEN) })
const padded = (bytes: number) => `[${" ".repeat(bytes - 2)}]`

describe("the body of an operator's request", () => {
  it("is part of every route that changes something by it", () => {
    assert.includeMembers(
      routes.map(({ route }) => route),
      [
        "POST /admin/lanes/{address}/state",
        "POST /admin/lanes/{address}/rest",
        "POST /admin/pauses",
        "POST /admin/limits",
        "POST /admin/rate-limits",
        "POST /admin/endpoints"
      ]
    )
  })

  it.effect.each(routes)("to $route may have any content type, or none", ({ example, method, path }) =>
    Effect.gen(function* () {
      const { call } = yield* operated
      const types = ["application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""]
      const answers = yield* Effect.forEach(types, (type) =>
        call(path, {
          method,
          headers: { ...credential, ...(type === "" ? {} : { "content-type": type }) },
          body: new TextEncoder().encode(example)
        })
      )
      const [status, ...others] = answers.map((answer) => answer.status)
      assert.notInclude([401, 413, 415, 422], status)
      for (const other of others) assert.strictEqual(other, status)
    })
  )

  it.effect.each(routes)("to $route must be JSON that databases can hold", ({ method, path }) =>
    Effect.gen(function* () {
      const { call } = yield* operated
      for (const body of ["", "nope", "{", "[1,]", '{"reason":"\\ud800"}', '{"\\udc00":1}']) {
        expectError(yield* call(path, { method, headers: credential, body }), 422, "invalid JSON body")
      }
      expectError(yield* call(path, { method, headers: credential }), 422, "invalid JSON body")
      const array = yield* call(path, { method, headers: credential, body: "[]" })
      assert.strictEqual(array.status, 422)
      assert.match(array.text, /body: expected /)
    })
  )

  it.effect.each(routes)("to $route has at most 64 KiB", ({ method, path }) =>
    Effect.gen(function* () {
      const { call } = yield* operated
      const sent = (body: BodyInit) => call(path, { method, headers: credential, body })
      assert.strictEqual((yield* sent(padded(KIB_64))).status, 422)
      expectError(yield* sent(padded(KIB_64 + 1)), 413, "request body too large")
      const stream = new Blob([padded(KIB_64 + 1)]).stream()
      expectError(yield* sent(stream), 413, "request body too large")
    })
  )

  it.effect.each(routes)("to $route is not looked at without the token", ({ example, method, path }) =>
    Effect.gen(function* () {
      const { call } = yield* operated
      for (const body of [example, "{", padded(KIB_64 + 1), ""]) {
        expectError(yield* call(path, { method, body }), 401, "unauthorized")
      }
    })
  )
})
