import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import * as OrchestratorOperations from "../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import { parts } from "../../ports/builder/OrchestratorOperations.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, CHAIN_ID, TOKEN } = Harness

const endpoints: Array<{ readonly method: string; readonly path: string }> = []
HttpApi.reflect(BuilderApi, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    endpoints.push({ method: endpoint.method, path: endpoint.path })
  }
})
const writes = endpoints.filter(({ method }) => method !== "GET")

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
  enabled: true
}

layer(Harness.layer({ operations: OrchestratorOperations.layer(parts) }), { excludeTestServices: true })(
  "whatever is sent",
  (it) => {
    it.effect.prop(
      "any value in any field is answered, and never with 5xx",
      [Schema.Json, Schema.Literals(Object.keys(template))],
      ([json, field]) =>
        Effect.gen(function* () {
          for (const { method, path } of writes) {
            const answer = yield* asAdmin(`${method} ${path.replace(":id", "fuzz")}`, {
              body: { ...template, [field]: json }
            })
            assert.isBelow(answer.status, 500, `${method} ${path} ${answer.text}`)
          }
        }),
      { arbitrary: { runs: 40 }, timeout: 120_000 }
    )

    it.effect("text that PostgreSQL cannot hold is answered in any field, and never with 5xx", () =>
      Effect.gen(function* () {
        for (const text of ["\ud800", "half \udc00 a pair", "nul \u0000"]) {
          for (const field of Object.keys(template)) {
            for (const { method, path } of writes) {
              const answer = yield* asAdmin(`${method} ${path.replace(":id", "fuzz")}`, {
                body: { ...template, [field]: text }
              })
              assert.isBelow(answer.status, 500, `${method} ${path} ${field} ${answer.text}`)
            }
          }
        }
      })
    )

    it.effect.prop(
      "any text as body, parameter, cursor or header is answered, and never with 5xx",
      [Schema.String],
      ([text]) =>
        Effect.gen(function* () {
          const encoded = encodeURIComponent(text.toWellFormed()) || "%00"
          const header = encoded.slice(0, 500)
          for (const { method, path } of endpoints) {
            const query = `?cursor=${encoded}&search=${encoded}&limit=2`
            const answer = yield* asAdmin(`${method} ${path.replace(":id", encoded)}${query}`, {
              ...(method === "GET" ? {} : { raw: text }),
              headers: { "x-api-key": header, cookie: `sweep_session=${header}` }
            })
            assert.isBelow(answer.status, 500, `${method} ${path} ${answer.text}`)
          }
        }),
      { arbitrary: { runs: 40 }, timeout: 120_000 }
    )
  }
)
