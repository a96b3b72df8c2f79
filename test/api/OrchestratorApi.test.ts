import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { introduction } from "../../src/api/orchestrator/Docs.ts"
import { IntentSubmission } from "../../src/api/orchestrator/Schemas.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"
import { QuoteRequest } from "../../src/domain/Quote.ts"
import { ROUTES } from "./orchestratorRoutes.ts"

type Json = { readonly [key: string]: unknown }

const document: Json = JSON.parse(JSON.stringify(OpenApi.fromApi(OrchestratorApi)))

/** Statuses that are no errors. */
const isError = (status: string): boolean => status >= "400"

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

/** The value at a path of keys, which must lead somewhere. */
const at = (value: unknown, ...keys: ReadonlyArray<string>): Json =>
  keys.reduce<Json>(
    (inner, key) => {
      const next = inner[key]
      assert.isTrue(isJson(next), `${key} in ${keys.join(" / ")}`)
      return isJson(next) ? next : {}
    },
    isJson(value) ? value : {}
  )

const resolve = (schema: unknown): Json => {
  const reference = isJson(schema) ? schema["$ref"] : undefined
  return typeof reference === "string"
    ? at(document, ...reference.replace("#/", "").split("/"))
    : at({ schema }, "schema")
}

/** Every text that an answer of this status can carry as `error`; `undefined` stands for any. */
const errorTexts = (operation: Json, status: string): ReadonlyArray<unknown> => {
  const schema = at(operation, "responses", status, "content", "application/json", "schema")
  const alternatives = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]
  return alternatives.flatMap((alternative) => {
    const error = at(resolve(alternative), "properties", "error")
    return Array.isArray(error["enum"]) ? error["enum"] : [undefined]
  })
}

const references = (value: unknown): ReadonlyArray<string> =>
  isJson(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        key === "$ref" && typeof inner === "string" ? [inner] : references(inner)
      )
    : []

const operationOf = (route: string): Json => {
  const [method = "", path = ""] = route.split(" ")
  return at(document, "paths", path, method)
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 without loose ends", () => {
    assert.match(String(document["openapi"]), /^3\.1\./)
    assert.strictEqual(at(document, "info")["title"], "Token sweep orchestrator")
    for (const reference of references(document)) resolve({ $ref: reference })
    const ids = Object.keys(ROUTES).map((route) => operationOf(route)["operationId"])
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("has every route and no other", () => {
    const routes = Object.entries(at(document, "paths")).flatMap(([path, item]) =>
      Object.keys(at({ item }, "item")).map((method) => `${method} ${path}`)
    )
    assert.deepStrictEqual(routes.sort(), Object.keys(ROUTES).sort())
  })

  it.each(Object.entries(ROUTES))("%s: exactly the statuses and error bodies of the service", (route, errors) => {
    const operation = operationOf(route)
    const statuses = Object.keys(at(operation, "responses"))
    assert.deepStrictEqual(statuses.filter(isError).sort(), Object.keys(errors).sort())
    for (const [status, texts] of Object.entries(errors)) {
      assert.sameMembers([...errorTexts(operation, status)], [...texts], `${route} ${status}`)
    }
    assert.include(statuses, ["post /intents", "post /sweeps"].includes(route) ? "201" : "200")
  })

  it.each(Object.keys(ROUTES))("%s says what it does, and tells its errors in a table", (route) => {
    const { description, responses, summary } = operationOf(route)
    assert.isString(summary)
    for (const status of Object.keys(at({ responses }, "responses"))) {
      if (isError(status)) assert.include(description, `| ${status} | \``)
    }
  })

  it("asks operators for a bearer token, and nobody else", () => {
    for (const route of Object.keys(ROUTES)) {
      const operator = /admin|watch/.test(route)
      assert.deepStrictEqual(operationOf(route)["security"], operator ? [{ operatorToken: [] }] : [])
    }
    assert.match(String(at(document, "components", "securitySchemes", "operatorToken")["scheme"]), /^bearer$/i)
  })

  it("documents Retry-After in seconds", () => {
    const header = at(operationOf("post /quote"), "responses", "429", "headers", "retry-after", "schema")
    assert.strictEqual(header["type"], "integer")
  })

  it("documents the headers of refusals that pass", () => {
    for (const [route, statuses] of [
      ["post /quote", ["403", "422", "503"]],
      ["post /intents", ["400", "503"]]
    ] as const) {
      for (const status of statuses) {
        const names = Object.keys(at(operationOf(route), "responses", status, "headers")).map((name) =>
          name.toLowerCase()
        )
        assert.includeMembers(names, ["retry-after", "sweep-reason"], `${route} ${status}`)
      }
    }
  })

  it("documents rate limits wherever there is one, and idempotency keys where they are taken", () => {
    for (const [route, errors] of Object.entries(ROUTES)) {
      const operation = operationOf(route)
      // Operators' routes answer 429 only for wrong tokens, and have no window.
      const isCounted = "429" in errors && JSON.stringify(operation["security"] ?? []) === "[]"
      for (const response of Object.values(at(operation, "responses"))) {
        const headers = isJson(response) && isJson(response["headers"]) ? Object.keys(response["headers"]) : []
        assert.strictEqual(headers.includes("RateLimit") && headers.includes("RateLimit-Policy"), isCounted, route)
      }
      const named = JSON.stringify(operation["parameters"] ?? []).includes("Idempotency-Key")
      assert.strictEqual(named, JSON.stringify(errors).includes("idempotency key"), route)
    }
  })

  it.each([
    ["the introduction", introduction],
    [
      "the page about conventions",
      readFileSync(new URL("../../docs/reference/http-conventions.md", import.meta.url), "utf8")
    ]
  ])("names in %s every limited route, and every one that takes an idempotency key", (_name, text) => {
    const keyed = text.split("\n").find((line) => / (?:accept|take) an `Idempotency-Key`/.test(line)) ?? ""
    const limited = text.split("\n").find((line) => line.includes("`/portfolio/*`")) ?? ""
    for (const route of Object.keys(ROUTES)) {
      const [method = "", path = ""] = route.split(" ")
      const operation = operationOf(route)
      const takesKey = JSON.stringify(operation["parameters"] ?? []).includes("Idempotency-Key")
      if (takesKey) assert.include(keyed, `\`${method.toUpperCase()} ${path}\``)
      if (!JSON.stringify(operation["responses"]).includes('"RateLimit-Policy":')) continue
      const shown = path.replaceAll(/\{\w+\}/g, "*")
      // One pattern covers what is below a path.
      const covering = [shown, shown.replace(/\*.*$/, "*")]
      assert.isTrue(
        covering.some((pattern) => limited.includes(`\`${pattern}\``)),
        `${shown}: ${limited}`
      )
    }
  })

  it("tells that the catalog revalidates", () => {
    for (const route of ["get /chains", "get /tokens"]) at(operationOf(route), "responses", "304")
  })

  it("describes the wire: patterns of addresses and amounts, and room for unknown fields", () => {
    const schemas = at(document, "components", "schemas")
    assert.strictEqual(at(schemas, "Address")["pattern"], "^0x[0-9a-fA-F]{40}$")
    assert.strictEqual(at(schemas, "NonZeroAddress")["pattern"], "^0x[0-9a-fA-F]{40}$")
    assert.strictEqual(at(schemas, "Uint256")["pattern"], "^[0-9]{1,78}$")
    assert.notInclude(JSON.stringify(document), '"additionalProperties":false')
    assert.notInclude(JSON.stringify(document), "Encoded")
  })

  it("gives examples that the service would take", () => {
    const example = (route: string) => at(operationOf(route), "requestBody", "content", "application/json", "example")
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(QuoteRequest)(example("post /quote"))))
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(IntentSubmission)(example("post /intents"))))
  })
})
