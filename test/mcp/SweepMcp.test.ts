/** The tools of the server, their schemas and their descriptions, in process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashTypedData, keccak256, stringToHex } from "viem"
import type { McpSettings } from "../../src/mcp/McpSettings.ts"
import { WITNESS_TYPE_STRING } from "../../src/mcp/AllowanceTypedData.ts"
import { request, wireOffer } from "../sdk/Offers.ts"
import { answering, bare, call, client, full, textOf } from "./inProcess.ts"

const ALWAYS = [
  "get_quote",
  "submit_signed",
  "get_intent_status",
  "sweep_quotes",
  "submit_sweep",
  "get_portfolio",
  "build_allowance_typeddata",
  "gen_integration_snippet",
  "list_accruals"
]

type JsonSchema = {
  readonly type?: string
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
}

/** Every property of a schema and of the schema of its items, by its path, at any depth. */
const properties = (schema: JsonSchema, path = ""): ReadonlyArray<readonly [string, JsonSchema]> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [`${path}${name}`, property] as const,
    ...properties(property, `${path}${name}.`),
    ...properties(property.items ?? {}, `${path}${name}[].`)
  ])

const { owner } = request
const asked = {
  owner,
  tokenIn: request.tokenIn,
  amountIn: "25000000",
  tokenOut: request.tokenOut,
  destination: owner,
  destChainId: 8453,
  tier: "tier1",
  subscriptionActive: false,
  userId: "user-1"
}
const signed = {
  quoteId: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
  signature: `0x${"12".repeat(65)}`,
  authorization: {
    address: owner,
    chainId: 8453,
    nonce: 7,
    // Some wallets leave out leading zeros.
    r: `0x${"3".repeat(63)}`,
    s: `0x${"56".repeat(32)}`
  }
}

describe("the MCP server's tools", () => {
  it.effect("are those that its environment allows", () =>
    Effect.gen(function* () {
      const names = (settings: McpSettings) =>
        Effect.gen(function* () {
          return (yield* (yield* client(settings)).listTools()).tools.map(({ name }) => name)
        })
      assert.sameMembers([...(yield* names(bare))], ALWAYS)
      assert.sameMembers([...(yield* names({ ...bare, apiKey: full.apiKey }))], [...ALWAYS, "attribute"])
      assert.sameMembers([...(yield* names({ ...bare, adminToken: full.adminToken }))], [...ALWAYS, "register_builder"])
      assert.sameMembers([...(yield* names(full))], [...ALWAYS, "attribute", "register_builder"])
    })
  )

  it.effect("take exactly what the specification says, and what sweeps of many tokens need", () =>
    Effect.gen(function* () {
      const { tools } = yield* (yield* client(full)).listTools()
      const inputs = Object.fromEntries(
        tools.map(({ inputSchema, name }) => {
          const schema = inputSchema as JsonSchema
          const required = schema.required ?? []
          return [name, Object.keys(schema.properties ?? {}).map((key) => (required.includes(key) ? key : `${key}?`))]
        })
      )
      assert.deepStrictEqual(inputs, {
        get_quote: [
          "owner",
          "tokenIn",
          "amountIn",
          "tokenOut",
          "destination",
          "destChainId",
          "tier",
          "subscriptionActive",
          "userId",
          "route?",
          "apiKey?"
        ],
        submit_signed: ["quoteId", "signature", "authorization?"],
        get_intent_status: ["id"],
        sweep_quotes: [
          "owner",
          "destination",
          "destChainId",
          "tokenOut",
          "tokens",
          "userId",
          "subscriptionActive",
          "apiKey?",
          "slippageBps?"
        ],
        get_portfolio: ["owner", "tokens?"],
        submit_sweep: ["quoteIds", "signature", "authorizations"],
        build_allowance_typeddata: ["order", "spender", "chainId"],
        gen_integration_snippet: ["orchestratorUrl?", "builderApiKey?", "sweepRouter?", "sourceChainId?"],
        attribute: [],
        list_accruals: ["builderId"],
        register_builder: ["id", "name", "builderBps", "maxBuilderBps", "payoutAddress"]
      })
    })
  )

  it.effect("have a title, a description, hints, an output, and arguments with meaning and example", () =>
    Effect.gen(function* () {
      const { tools } = yield* (yield* client(full)).listTools()
      for (const { annotations, description, inputSchema, name, outputSchema, title } of tools) {
        assert.isNotEmpty(title, name)
        assert.isNotEmpty(description, name)
        assert.strictEqual(annotations?.title, title)
        for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const) {
          assert.isBoolean(annotations?.[hint], `${name}.${hint}`)
        }
        assert.strictEqual(outputSchema?.["type"], "object", name)
        assert.isNotEmpty(Object.keys(outputSchema?.["properties"] ?? {}), name)
        for (const [path, property] of properties(inputSchema as JsonSchema)) {
          assert.isNotEmpty(property.description, `${name} ${path}`)
          if (property.type !== "object") assert.isNotEmpty(property.examples, `${name} ${path}`)
        }
      }
      const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true)
      assert.deepStrictEqual(
        destructive.map(({ name }) => name),
        ["submit_signed", "submit_sweep"]
      )
    })
  )

  it.effect("name every malformed argument, and what to do", () =>
    Effect.gen(function* () {
      const result = yield* call(bare, "get_quote", { owner: "0x12", amountIn: 5, tier: "tier9" })
      assert.isTrue(result.isError)
      const text = textOf(result)
      for (const field of ["owner", "tokenIn", "amountIn", "tier", "userId"]) assert.include(text, `- ${field}:`)
      assert.include(text, "Next: ")
    })
  )

  it.effect("explain what a submission without authorization lacks", () =>
    Effect.gen(function* () {
      const result = yield* call(bare, "submit_signed", { quoteId: "q", signature: "0x12" })
      assert.isTrue(result.isError)
      assert.include(textOf(result), "authorization is missing")
      assert.include(textOf(result), "signing.authorization")
    })
  )

  it.effect("say which credential is missing", () =>
    Effect.gen(function* () {
      const result = yield* call(bare, "list_accruals", { builderId: "dev" })
      assert.isTrue(result.isError)
      assert.include(textOf(result), "SERVICE_ADMIN_TOKEN")
    })
  )

  it.effect("tell that something unexpected is for the operator, and nothing of what it is", () =>
    Effect.gen(function* () {
      const result = yield* call(bare, "get_intent_status", { id: "x" })
      assert.isTrue(result.isError)
      assert.notInclude(textOf(result), "a request was made")
      assert.include(textOf(result), "operator")
    })
  )

  it.effect("tell when a sweep that cannot be taken now can be tried again", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "24", "sweep-reason": "unavailable" }
      for (const [name, args, status, error, seconds] of [
        ["get_quote", asked, 422, "internal error", "24"],
        ["get_quote", asked, 503, "chain unavailable", "1"],
        ["submit_signed", signed, 400, "internal error", "24"]
      ] as const) {
        const result = yield* call(bare, name, args, answering(status, error, headers))
        assert.isTrue(result.isError)
        assert.include(textOf(result), "cannot take such a sweep at the moment")
        assert.include(textOf(result), `after ${seconds} seconds`)
      }
    })
  )

  it.effect("say why there is no quote, and what helps", () =>
    Effect.gen(function* () {
      for (const [reason, said, next] of [
        ["insufficient_balance", "holds less than the amount", "that the owner holds"],
        ["owner_is_a_contract", "is a contract", "stop"],
        ["fees_exceed_amount", "not less than the amount", "larger amountIn"]
      ] as const) {
        const refusing = answering(422, "internal error", { "sweep-reason": reason })
        const text = textOf(yield* call(bare, "get_quote", asked, refusing))
        assert.include(text, said)
        assert.include(text.split("Next: ")[1] ?? "", next)
        assert.notInclude(text, "masks")
      }
      assert.include(textOf(yield* call(bare, "get_quote", asked, answering(422, "internal error", {}))), "masks")
    })
  )

  it.effect("build Permit2's typed data of an order, without a network", () =>
    Effect.gen(function* () {
      const { order } = wireOffer(request)
      const spender = "0x00000000000000000000000000000000000b11d3"
      const result = yield* call(bare, "build_allowance_typeddata", { order, spender, chainId: 8453 })
      const typedData = result.structuredContent as Parameters<typeof hashTypedData>[0] & {
        readonly types: Record<string, ReadonlyArray<{ readonly name: string; readonly type: string }>>
      }
      assert.deepStrictEqual(JSON.parse(textOf(result)), typedData)
      assert.deepStrictEqual(Object.keys(typedData), ["domain", "types", "primaryType", "message"])
      assert.deepStrictEqual(typedData.message, {
        permitted: { token: order["tokenIn"], amount: order["amountIn"] },
        spender,
        nonce: order["nonce"],
        deadline: order["deadline"],
        witness: order
      })
      assert.match(hashTypedData(typedData), /^0x[0-9a-f]{64}$/)
      // The type as Permit2 puts it together from its stub and the witness's type string.
      const stub =
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,"
      const encoded = ["PermitWitnessTransferFrom", "SweepOrder", "TokenPermissions"]
        .map((name) => `${name}(${(typedData.types[name] ?? []).map((each) => `${each.type} ${each.name}`).join(",")})`)
        .join("")
      assert.strictEqual(keccak256(stringToHex(encoded)), keccak256(stringToHex(`${stub}${WITNESS_TYPE_STRING}`)))
    })
  )

  it.effect("write code from the arguments, and else from the environment, without a network", () =>
    Effect.gen(function* () {
      const fromEnvironment = textOf(yield* call({ ...full, domainName: "Renamed" }, "gen_integration_snippet", {}))
      assert.include(fromEnvironment, 'DOMAIN_NAME = "Renamed"')
      assert.include(fromEnvironment, `ORCHESTRATOR_URL = "https://sweep.test"`)
      assert.include(fromEnvironment, `BUILDER_API_KEY: string | undefined = "swp_key"`)
      assert.include(fromEnvironment, "SOURCE_CHAIN_ID = 8453")
      const fromArguments = textOf(
        yield* call(full, "gen_integration_snippet", {
          orchestratorUrl: "http://127.0.0.1:1/",
          builderApiKey: 'swp_"other',
          sweepRouter: "0x00000000000000000000000000000000000b11d3",
          sourceChainId: 10
        })
      )
      assert.include(fromArguments, `ORCHESTRATOR_URL = "http://127.0.0.1:1"`)
      assert.include(fromArguments, `BUILDER_API_KEY: string | undefined = "swp_\\"other"`)
      assert.include(fromArguments, `SWEEP_ROUTER: Hex | undefined = "0x00000000000000000000000000000000000b11d3"`)
      assert.include(fromArguments, "SOURCE_CHAIN_ID = 10")
    })
  )
})
