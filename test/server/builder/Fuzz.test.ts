import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import * as OrchestratorOperations from "../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import { parts } from "../../ports/builder/OrchestratorOperations.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, CHAIN_ID, TOKEN } = Harness

interface Endpoint {
  readonly method: string
  readonly path: string
}

const endpoints: Array<Endpoint> = []
HttpApi.reflect(BuilderApi, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    endpoints.push({ method: endpoint.method, path: endpoint.path })
  }
})
const writes = endpoints.filter(({ method }) => method !== "GET")

interface Known {
  readonly builder: Effect.Success<ReturnType<typeof Harness.signUp>>
  /** A key with every scope, which is never revoked here. */
  readonly apiKey: string
}

/** Who asks. */
class Callers extends Context.Service<Callers, Known>()("sweep/test/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const builder = yield* Harness.signUp("Fuzzed")
      const { cookie } = yield* Harness.signUp("Integrator")
      const body = { name: "Fuzz", scopes: ["quote", "read"] }
      const made = yield* Harness.asBuilder(cookie)("POST /me/apikeys", { body })
      return { builder, apiKey: Harness.text(made, "apiKey") }
    })
  )
}

/** Statuses that each endpoint has answered in the tests of this file. */
const answered = new Map<string, Set<number>>()

/** Asks with every credential at once, so that no route stops at its door. `id` takes the place of the path's parameter. */
const ask = Effect.fnUntraced(function* (
  { method, path }: Endpoint,
  { headers, id, query = "", ...rest }: Harness.Ask & { readonly id: string; readonly query?: string }
) {
  const { apiKey, builder } = yield* Callers
  const answer = yield* asAdmin(`${method} ${path.replace(":id", id)}${query}`, {
    ...rest,
    headers: {
      // The other routes need the session that this one would end.
      ...(path === "/auth/logout" ? {} : { cookie: builder.cookie, origin: Harness.DASHBOARD }),
      "x-api-key": apiKey,
      ...headers
    }
  })
  const key = `${method} ${path}`
  answered.set(key, (answered.get(key) ?? new Set()).add(answer.status))
  assert.isBelow(answer.status, 500, `${key} ${answer.text}`)
})

/** A fresh webhook of the builder: each round removes one. */
const newWebhook = Effect.gen(function* () {
  const { builder } = yield* Callers
  const made = yield* Harness.asBuilder(builder.cookie)("POST /me/webhooks", {
    body: { url: "https://fuzz.example.com", events: [] }
  })
  return Harness.text(made, "webhook", "id")
})

/** Sends a body to every route that takes one, and names things that exist. */
const write = Effect.fnUntraced(function* (body: unknown) {
  const { builder } = yield* Callers
  const webhook = yield* newWebhook
  for (const endpoint of writes) {
    yield* ask(endpoint, { body, id: endpoint.path.startsWith("/me/webhooks/:id") ? webhook : builder.id })
  }
})

/** A body for each route that takes one, from which single fields are replaced. */
const hash = `0x${"ab".repeat(32)}`
const template: Readonly<Record<string, unknown>> = {
  message: "x",
  signature: "0x",
  id: "fuzz",
  name: "Fuzz",
  builderBps: 1,
  maxBuilderBps: 2,
  payoutAddress: FakeChain.address(0x61),
  builderId: "fuzz",
  sweepId: "fuzz_0",
  token: TOKEN,
  amount: "1",
  chainId: CHAIN_ID,
  txHash: hash,
  paidTxHash: hash,
  settledAtMs: 1,
  reason: "fuzz",
  key: "fuzz",
  minAmount: "0",
  suspended: false,
  payoutMode: "ledger",
  intentId: "fuzz",
  status: "submitted",
  occurredAtMs: 1,
  owner: TOKEN,
  sourceChainId: CHAIN_ID,
  destChainId: CHAIN_ID,
  crossChain: false,
  tokenIn: TOKEN,
  amountIn: "1",
  tokenOut: TOKEN,
  minAmountOut: "1",
  builderFee: "0",
  url: "https://fuzz.example.com",
  events: [],
  enabled: true,
  scopes: ["quote"]
}

const services = Callers.layer.pipe(
  Layer.provideMerge(Harness.layer({ operations: OrchestratorOperations.layer(parts) }))
)

layer(services, { excludeTestServices: true })("whatever is sent", (it) => {
  it.effect.prop(
    "any value in any field is answered, and never with 5xx",
    [Schema.Json, Schema.Literals(Object.keys(template))],
    // A suspension that is drawn would end the session, and close all later routes.
    ([json, field]) => write({ ...template, [field]: field === "suspended" && json === true ? [json] : json }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("text that PostgreSQL cannot hold is answered in any field, and never with 5xx", () =>
    Effect.gen(function* () {
      for (const text of ["\ud800", "half \udc00 a pair", "nul \u0000"]) {
        for (const field of Object.keys(template)) yield* write({ ...template, [field]: text })
      }
    })
  )

  it.effect.prop(
    "any text as body, parameter, cursor or header is answered, and never with 5xx",
    [Schema.String],
    ([text]) =>
      Effect.gen(function* () {
        const { builder } = yield* Callers
        const encoded = encodeURIComponent(text.toWellFormed()) || "%00"
        const header = encoded.slice(0, 500)
        const query = `?cursor=${encoded}&search=${encoded}&limit=2`
        for (const endpoint of endpoints) {
          const raw = endpoint.method === "GET" ? {} : { raw: text }
          yield* ask(endpoint, { ...raw, id: encoded, query })
          yield* ask(endpoint, { ...raw, id: builder.id, query })
          yield* ask(endpoint, {
            ...raw,
            id: encoded,
            headers: { "x-api-key": header, cookie: `sweep_session=${header}` }
          })
        }
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("and every route was open: none answered only that the caller may not", () =>
    Effect.sync(() => {
      const closed = endpoints
        .map(({ method, path }) => `${method} ${path}`)
        .filter((key) => [...(answered.get(key) ?? [])].every((status) => status === 401 || status === 403))
      assert.deepStrictEqual(closed, [])
    })
  )
})
