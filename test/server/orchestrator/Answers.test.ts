/** Every success and every row of the spec's error table, over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { hashTypedData } from "viem"
import { TypedDataEncoder } from "ethers"
import { PortfolioUnavailable } from "../../../src/orchestrator/Portfolio.ts"
import { QuoteFailed } from "../../../src/orchestrator/Quoter.ts"
import { SubmissionRefused } from "../../../src/orchestrator/Intake.ts"
import { digest } from "../../../src/domain/SweepOrder.ts"
import { ScreeningBlocked } from "../../../src/ports/Screening.ts"
import { StoreUnavailable } from "../../../src/ports/Store.ts"
import {
  type Answer,
  DELEGATE,
  decodedRequest,
  health,
  ID,
  intent,
  offer,
  order,
  OUT,
  OWNER,
  quoteRequest,
  serve,
  submission,
  TOKEN,
  TX
} from "./Harness.ts"

const TOKEN_OF_OPERATOR = "operator-token"
const asOperator = { headers: { authorization: `Bearer ${TOKEN_OF_OPERATOR}` } }
const withOperator = { adminToken: Redacted.make(TOKEN_OF_OPERATOR) }
const storeDown = Effect.fail(new StoreUnavailable({ operation: "find", detail: "connection refused at 10.0.0.7" }))

const wireOrder = {
  owner: OWNER,
  tokenIn: TOKEN,
  amountIn: "25000000",
  feeAmount: "125000",
  builder: `0x${"0".repeat(40)}`,
  builderFee: "1",
  tokenOut: OUT,
  minAmountOut: (2n ** 200n).toString(),
  destination: OWNER,
  swapTarget: DELEGATE,
  swapCalldata: "0x04e45aaf",
  deadline: "1767226320",
  nonce: "3",
  destChainId: "8453"
}

/** Exactly this status and body, as JSON, with the headers that every answer has. */
const expectAnswer = (answer: Answer, status: number, body: unknown) => {
  assert.strictEqual(answer.status, status)
  assert.deepStrictEqual(answer.json, body)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
}

const expectError = (answer: Answer, status: number, error: string) => expectAnswer(answer, status, { error })

describe("POST /quote", () => {
  it.effect("200: quote, order and everything to sign", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const answer = yield* post("/quote", quoteRequest)
      const { EIP712Domain, SweepOrder } = (answer.json as Wire).signing.typedData.types
      expectAnswer(answer, 200, {
        quote: {
          id: ID,
          crossChain: false,
          expiresAtMs: 1_767_225_720_000,
          total: "125001",
          settlementAddress: DELEGATE,
          sourceChainId: 8453,
          estimatedAmountOut: (2n ** 201n).toString(),
          minAmountOut: (2n ** 200n).toString(),
          provider: "test",
          estimatedSeconds: 6
        },
        order: wireOrder,
        signing: {
          typedData: {
            domain: { name: "Service", version: "1", chainId: 8453, verifyingContract: OWNER },
            types: { EIP712Domain, SweepOrder },
            primaryType: "SweepOrder",
            message: wireOrder
          },
          authorization: { address: DELEGATE, chainId: 8453, nonce: "7" }
        }
      })
      assert.deepStrictEqual(Object.keys((answer.json as Wire).order), Object.keys(wireOrder))
    })
  )

  it.effect("the typed data means the same to eth_signTypedData_v4, ethers and cast as to the contracts", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const { typedData } = ((yield* post("/quote", quoteRequest)).json as Wire).signing
      const expected = digest(order(decodedRequest), { name: "Service", chainId: 8453 })
      assert.strictEqual(hashTypedData(typedData), expected)
      const { EIP712Domain, ...types } = typedData.types
      assert.strictEqual(EIP712Domain?.length, 4)
      assert.strictEqual(TypedDataEncoder.hash(typedData.domain, types, typedData.message), expected)

      const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
      const cast = yield* Effect.promise(async () => {
        const process = Bun.spawn(
          [
            "node_modules/@foundry-rs/cast-linux-amd64/bin/cast",
            "wallet",
            "sign",
            "--private-key",
            key,
            "--data",
            JSON.stringify(typedData)
          ],
          { stdout: "pipe", stderr: "pipe" }
        )
        return { signature: (await new Response(process.stdout).text()).trim(), code: await process.exited }
      })
      assert.strictEqual(cast.code, 0)
      const { privateKeyToAccount } = yield* Effect.promise(() => import("viem/accounts"))
      assert.strictEqual(cast.signature, yield* Effect.promise(() => privateKeyToAccount(key).sign({ hash: expected })))
    })
  )

  it.effect("422: invalid JSON body", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const body of ["", " ", "{", "{'a':1}", "undefined", "{}{}", "\u0000"]) {
        expectError(yield* post("/quote", body), 422, "invalid JSON body")
      }
    })
  )

  it.effect("422: schema failures, unmasked, every one of them", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      expectError(
        yield* post("/quote", { ...quoteRequest, owner: "0x12", amountIn: "-1", tier: "tier9" }),
        422,
        "owner: expected an address: 0x followed by 40 hex digits; " +
          "amountIn: expected a non-negative integer as a decimal string; " +
          "tier: expected one of tier1, tier2, tier3"
      )
    })
  )

  it.effect("422 masked: the quote cannot be made, and the log says why", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({
        quote: () => Effect.fail(new QuoteFailed({ reason: "token_declined", detail: "takes 5 % on transfer" }))
      })
      const answer = yield* post("/quote", quoteRequest)
      expectError(answer, 422, "internal error")
      const line = logs.find(({ message }) => message.includes("takes 5 % on transfer"))
      assert.strictEqual(line?.annotations["requestId"], answer.headers.get("x-request-id"))
      assert.strictEqual(line?.annotations["failure"], "token_declined")
    })
  )

  it.effect("403: sanctions block, without an address", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({ quote: () => Effect.fail(new ScreeningBlocked({ cause: "listed" })) })
      expectError(yield* post("/quote", quoteRequest), 403, "request blocked by sanctions screening")
    })
  )

  it.effect("500 masked: a defect, whose cause is logged with the request's id", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({ quote: () => Effect.die(new Error("secret detail")) })
      const answer = yield* post("/quote", quoteRequest)
      expectError(answer, 500, "internal error")
      const line = logs.find(({ message }) => message.includes("secret detail"))
      assert.strictEqual(line?.level, "Error")
      assert.strictEqual(line?.annotations["requestId"], answer.headers.get("x-request-id"))
    })
  )

  it.effect("500 masked: a use case that throws", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        quote: () => {
          throw new TypeError("secret detail")
        }
      })
      expectError(yield* post("/quote", quoteRequest), 500, "internal error")
    })
  )

  it.effect("500 masked: an answer that does not fit the contract", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        quote: (request) => Effect.succeed({ ...offer(request), order: { ...order(request), amountIn: -1n } })
      })
      expectError(yield* post("/quote", quoteRequest), 500, "internal error")
    })
  )
})

interface Wire {
  readonly order: object
  readonly signing: {
    readonly typedData: {
      readonly domain: {
        readonly name: string
        readonly version: string
        readonly chainId: number
        readonly verifyingContract: `0x${string}`
      }
      readonly types: Record<string, Array<{ name: string; type: string }>>
      readonly primaryType: string
      readonly message: Record<string, string>
    }
  }
}

describe("POST /intents", () => {
  it.effect("201: accepted", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      expectAnswer(yield* post("/intents", submission), 201, { id: ID, status: "submitted" })
    })
  )

  it.effect("201: with the transaction's hash when there is one already", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        submit: ({ quoteId }) => Effect.succeed({ id: quoteId, status: "submitted", txHash: TX })
      })
      expectAnswer(yield* post("/intents", submission), 201, { id: ID, status: "submitted", txHash: TX })
    })
  )

  it.effect("hands over what was signed, with yParity 0 when there is none", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { post } = yield* serve({
        submit: (given) => {
          seen.push(given)
          return Effect.succeed({ id: given.quoteId, status: "submitted" })
        }
      })
      yield* post("/intents", submission)
      assert.deepStrictEqual(seen, [
        {
          quoteId: ID,
          signature: submission.signature,
          authorization: { ...submission.authorization, nonce: 7n, yParity: 0 }
        }
      ])
    })
  )

  const reasons = [
    "unknown_quote",
    "expired_quote",
    "already_submitted",
    "screening_blocked",
    "wrong_authorization_chain",
    "wrong_delegate",
    "no_set_code_support",
    "bad_signature",
    "bad_authorization"
  ] as const
  it.effect("400 masked: every reason to refuse", () =>
    Effect.gen(function* () {
      for (const reason of reasons) {
        const { logs, post } = yield* serve({
          submit: () => Effect.fail(new SubmissionRefused({ reason, detail: "the detail" }))
        })
        expectError(yield* post("/intents", submission), 400, "internal error")
        assert.isTrue(logs.some(({ annotations }) => annotations["failure"] === reason))
      }
    })
  )

  it.effect("400 masked: a quote id that cannot be one", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const quoteId of ["", "1", "' OR 1=1", `${ID}0`, "\u0000"]) {
        expectError(yield* post("/intents", { ...submission, quoteId }), 400, "internal error")
      }
    })
  )

  it.effect("422: authorization absent or malformed", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const { authorization, ...rest } = submission
      expectError(yield* post("/intents", rest), 422, "authorization: missing")
      expectError(
        yield* post("/intents", { ...rest, authorization: { ...authorization, r: "0x", chainId: null } }),
        422,
        "authorization.chainId: expected a number or a string; authorization.r: expected at most 32 bytes as 0x-prefixed hex"
      )
      expectError(yield* post("/intents", "nope"), 422, "invalid JSON body")
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({ submit: () => storeDown })
      expectError(yield* post("/intents", submission), 503, "internal error")
      assert.isTrue(logs.some(({ message }) => message.includes("10.0.0.7")))
    })
  )
})

describe("GET /intents/:id", () => {
  it.effect("200: only what there is", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call(`/intents/${ID}`), 200, { id: ID, status: "submitted", crossChain: false })
      expectAnswer(yield* call(`/intents/${ID.toUpperCase()}`), 200, { id: ID, status: "submitted", crossChain: false })
    })
  )

  it.effect("200: hashes and the reason of a failure", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({
        find: () =>
          Effect.succeed(
            Option.some({
              ...intent,
              status: "failed" as const,
              txHash: TX,
              deliveryTxHash: TX,
              failureReason: "reverted" as const,
              failureDetail: "not told"
            })
          )
      })
      expectAnswer(yield* call(`/intents/${ID}`), 200, {
        id: ID,
        status: "failed",
        txHash: TX,
        crossChain: false,
        failureReason: "reverted",
        deliveryTxHash: TX
      })
    })
  )

  it.effect("404: unknown, also when it cannot be an id", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ find: (id) => (id === ID ? Effect.succeedNone : Effect.die(`asked for ${id}`)) })
      for (const id of [ID, "nope", "1", "%00", "%27", "..%2f", "a".repeat(4_000), "%E0%A4%A", "%"]) {
        expectError(yield* call(`/intents/${id}`), 404, "not found")
      }
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ find: () => storeDown })
      expectError(yield* call(`/intents/${ID}`), 503, "internal error")
    })
  )
})

describe("portfolio", () => {
  const token = {
    chainId: 8453,
    address: TOKEN,
    symbol: "USDC",
    name: "USD Coin",
    decimals: 6,
    balance: (2n ** 255n).toString(),
    priceUsd: "1.000000",
    valueUsd: null,
    tier: "tier1"
  }
  const view = { owner: OWNER, totalUsd: "1.000000", updatedAtMs: 5 }

  it.effect("200", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call(`/portfolio/${OWNER}`), 200, { ...view, tokens: [token] })
      expectAnswer(yield* call(`/portfolio/${OWNER.toLowerCase()}/sweepable`), 200, {
        ...view,
        tokens: [
          {
            ...token,
            sweepable: true,
            reason: null,
            delegation: "none",
            estimatedNetAmount: "12",
            estimatedNetUsd: "0.900000"
          }
        ]
      })
    })
  )

  it.effect("422: not an address, unmasked", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const path of ["/portfolio/0x12", "/portfolio/vitalik.eth/sweepable", `/portfolio/0x${"a".repeat(9_000)}`]) {
        expectError(yield* call(path), 422, "owner: expected an address: 0x followed by 40 hex digits")
      }
      expectError(yield* call(`/portfolio/0x${"0".repeat(40)}`), 422, "owner: must not be the zero address")
    })
  )

  it.effect("502 masked: an upstream failed", () =>
    Effect.gen(function* () {
      const down = () => Effect.fail(new PortfolioUnavailable({ detail: "provider said 500" }))
      const { call, logs } = yield* serve({ portfolio: down, sweepable: down })
      expectError(yield* call(`/portfolio/${OWNER}`), 502, "internal error")
      expectError(yield* call(`/portfolio/${OWNER}/sweepable`), 502, "internal error")
      assert.strictEqual(logs.filter(({ message }) => message.includes("provider said 500")).length, 2)
    })
  )
})

describe("operator routes", () => {
  const routes = [
    ["POST", "/watch/tick"],
    ["GET", "/admin/health"],
    ["GET", "/admin/alerts"]
  ] as const

  it.effect("200 with the token, however the scheme is written", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      expectAnswer(yield* call("/watch/tick", { method: "POST", ...asOperator }), 200, {
        transactions: 1,
        rebroadcast: 2,
        replaced: 3,
        settledSource: 4,
        delivered: 5,
        failed: 6,
        outboxDelivered: 7,
        unavailableChains: [8]
      })
      expectAnswer(yield* call("/admin/health", { headers: { authorization: `bearer ${TOKEN_OF_OPERATOR}` } }), 200, {
        ...health,
        chains: [{ ...health.chains[0], blockNumber: "12" }],
        lanes: [{ ...health.lanes[0], balance: "1000000000000000000" }]
      })
      expectAnswer(yield* call("/admin/alerts", asOperator), 200, [
        {
          id: "1",
          severity: "critical",
          kind: "lane_low",
          message: "fund the lane",
          sinceMs: 7,
          details: { balance: "1", low: true, n: 2 }
        }
      ])
    })
  )

  it.effect("401 without it, or with another", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      const credentials = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        `Bearer ${TOKEN_OF_OPERATOR}x`,
        `Bearer ${TOKEN_OF_OPERATOR.slice(1)}`
      ]
      credentials.push(`Basic ${TOKEN_OF_OPERATOR}`, TOKEN_OF_OPERATOR, `Bearer ${"x".repeat(5_000)}`)
      for (const [method, path] of routes) {
        for (const authorization of credentials) {
          const answer = yield* call(path, { method, headers: authorization === "" ? {} : { authorization } })
          expectError(answer, 401, "unauthorized")
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        }
      }
    })
  )

  it.effect("401 for everybody when no token, or an empty one, is configured", () =>
    Effect.gen(function* () {
      for (const adminToken of [undefined, Redacted.make("")]) {
        const { call } = yield* serve({}, { adminToken })
        for (const [method, path] of routes) {
          expectError(yield* call(path, { method }), 401, "unauthorized")
          expectError(yield* call(path, { method, headers: { authorization: "Bearer " } }), 401, "unauthorized")
          expectError(
            yield* call(path, { method, headers: { authorization: "Bearer undefined" } }),
            401,
            "unauthorized"
          )
        }
      }
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ tick: storeDown, alerts: storeDown }, withOperator)
      expectError(yield* call("/watch/tick", { method: "POST", ...asOperator }), 503, "internal error")
      expectError(yield* call("/admin/alerts", asOperator), 503, "internal error")
    })
  )
})

describe("GET /healthz", () => {
  it.effect("200, without a credential", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call("/healthz"), 200, { ok: true })
    })
  )
})
