/** Arrays in the bodies of requests: anybody can make them as long as a body may be. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"

/** Only the orchestrator sends it, with the token of the ledger. */
const TRUSTED = new Set(["POST /revenue/batch: .entries"])

/** Paths of the arrays of a body whose elements are decoded before the length is known. */
const elementsFirst = (ast: SchemaAST.AST, path: string): ReadonlyArray<string> => {
  const arriving = SchemaAST.toEncoded(ast)
  switch (arriving._tag) {
    case "Arrays":
      return [path]
    case "Objects":
      return arriving.propertySignatures.flatMap(({ name, type }) => elementsFirst(type, `${path}.${String(name)}`))
    case "Union":
      return arriving.types.flatMap((type) => elementsFirst(type, path))
    default:
      return []
  }
}

const bodiesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>({ groups }: HttpApi.HttpApi<Id, Groups>) =>
  Object.values<HttpApiGroup.Top>(groups as never)
    .flatMap(({ endpoints }) => Object.values(endpoints))
    .flatMap((endpoint) =>
      [...endpoint.payload.values()].flatMap(({ schemas }) =>
        schemas.map((schema) => [`${endpoint.method} ${endpoint.path}: `, schema] as const)
      )
    )

describe("an array in a request", () => {
  it("is decoded only if it is not too long", () => {
    const bodies = [...bodiesOf(OrchestratorApi), ...bodiesOf(BuilderApi)]
    assert.isAbove(bodies.length, 20)
    const found = bodies.flatMap(([route, { ast }]) => elementsFirst(ast, route))
    assert.deepStrictEqual(new Set(found), TRUSTED)
  })

  it("is found in a body", () => {
    const Body = Schema.Struct({ a: Schema.optionalKey(Schema.Struct({ b: Schema.Array(Schema.String) })) })
    assert.deepStrictEqual(elementsFirst(Body.ast, ""), [".a.b"])
  })
})
