/** GoPlus and honeypot.is, against a stub that speaks their recorded shapes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as GoPlus from "../../../src/adapters/risk/GoPlus.ts"
import * as HoneypotIs from "../../../src/adapters/risk/HoneypotIs.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"

const TOKEN = FakeChain.address(0xab)
const environment = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, Logger.layer([]))

const services = {
  goplus: Effect.flatMap(StubServer, ({ url }) => GoPlus.make({ baseUrl: url })),
  honeypot: Effect.flatMap(StubServer, ({ url }) => HoneypotIs.make({ baseUrl: url }))
}

const gopluses = (facts: object, token: string = TOKEN.toLowerCase()): Answer => ({
  status: 200,
  body: { code: 1, message: "OK", result: { [token]: facts } }
})

const clean = { is_honeypot: "0", buy_tax: "0", sell_tax: "0", transfer_pausable: "0", is_blacklisted: "0" }

const report = (changes: object = {}): Answer => ({
  status: 200,
  body: {
    summary: { risk: "low", riskLevel: 1, flags: [] },
    simulationSuccess: true,
    honeypotResult: { isHoneypot: false },
    simulationResult: { buyTax: 0, sellTax: 0.5, transferTax: 0 },
    ...changes
  }
})

const asks = (name: keyof typeof services, answer: Answer, chainId = 8453) =>
  Effect.gen(function* () {
    const service = yield* services[name]
    yield* (yield* StubServer).answer(answer)
    const { danger, reasons, source } = yield* service.ask(chainId, TOKEN)
    assert.strictEqual(source, service.name)
    return [danger, ...reasons]
  })

/** An answer that GoPlus has not completed. */
const partly = (facts: object): Answer => ({
  status: 200,
  body: { code: 2, message: "partial", result: { [TOKEN.toLowerCase()]: facts } }
})

describe("GoPlus", () => {
  it.effect.each<readonly [string, Answer, ReadonlyArray<string>]>([
    ["a clean token", gopluses(clean), ["none"]],
    ["a honeypot", gopluses({ ...clean, is_honeypot: "1" }), ["trap", "is_honeypot"]],
    ["a tax of a half", gopluses({ ...clean, sell_tax: "0.5" }), ["trap", "sell_tax"]],
    ["a tax of a tenth", gopluses({ ...clean, buy_tax: "0.1" }), ["suspicious", "buy_tax"]],
    ["a token that can be paused", gopluses({ ...clean, transfer_pausable: "1" }), ["suspicious", "transfer_pausable"]],
    [
      "a trusted token that can be paused",
      gopluses({ ...clean, transfer_pausable: "1", is_blacklisted: "1", trust_list: "1" }),
      ["none"]
    ],
    [
      "a fake",
      gopluses({ ...clean, fake_token: { true_token_address: "0x", value: "1" } }),
      ["suspicious", "fake_token"]
    ],
    [
      "a fake, by a number",
      gopluses({ ...clean, fake_token: { true_token_address: "0x", value: 1 } }),
      ["suspicious", "fake_token"]
    ],
    ["a token without facts", gopluses({}), ["unknown"]],
    ["a clean token in a partial answer", partly(clean), ["unknown"]],
    ["a honeypot in a partial answer", partly({ ...clean, is_honeypot: "1" }), ["trap", "is_honeypot"]],
    ["a token that a partial answer lacks", { status: 200, body: { code: 2, message: "", result: {} } }, ["unknown"]],
    ["unknown taxes", gopluses({ ...clean, buy_tax: "", sell_tax: "many" }), ["none"]],
    [
      "facts of another token",
      gopluses({ ...clean, is_honeypot: "1" }, FakeChain.address(1).toLowerCase()),
      ["unknown"]
    ],
    ["a chain that it does not support", { status: 200, body: { code: 2018, message: "unsupported" } }, ["unknown"]],
    ["no contract", { status: 200, body: { code: 2020, message: "no contract", result: null } }, ["unknown"]]
  ])("says of %s what it knows", ([, answer, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asks("goplus", answer), expected)
    }).pipe(Effect.provide(environment))
  )

  it.effect("asks for the token on its chain, and keeps the pause that a body asks for", () =>
    Effect.gen(function* () {
      const service = yield* services.goplus
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: { code: 4029, message: "too many requests" } })
      assert.include((yield* Effect.flip(service.ask(8453, TOKEN))).message, "rate limited")
      yield* answer(gopluses(clean))
      assert.strictEqual((yield* Effect.flip(service.ask(8453, TOKEN))).reason, "waiting")
      yield* TestClock.adjust("60 seconds")
      yield* service.ask(8453, TOKEN)
      assert.deepStrictEqual(
        (yield* seen).map(({ path }) => path),
        Array.from({ length: 2 }, () => `/api/v1/token_security/8453?contract_addresses=${TOKEN.toLowerCase()}`)
      )
    }).pipe(Effect.provide(environment))
  )
})

describe("GoPlus with an access token", () => {
  const asked = (apiKey: Redacted.Redacted | undefined, times: number) =>
    Effect.gen(function* () {
      const { answer, url } = yield* StubServer
      yield* answer(gopluses(clean))
      const { ask } = yield* GoPlus.make({ baseUrl: url, apiKey })
      return yield* Effect.forEach(Array.from({ length: times }), () => Effect.result(ask(8453, TOKEN)), {
        concurrency: 8
      })
    })

  it.effect("is asked as often as it answers, and else 30 times a minute", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* asked(Redacted.make("token"), 35)).every(({ _tag }) => _tag === "Success"))
      assert.strictEqual((yield* asked(undefined, 35)).filter(({ _tag }) => _tag === "Success").length, 30)
    }).pipe(Effect.provide(environment))
  )

  it.effect.each([4010, 4012, 4023, 5000])("has failed where the body has the code %i", (code) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(asks("goplus", { status: 200, body: { code, message: "no" } }))
      assert.strictEqual(failure._tag === "ProviderUnavailable" && failure.reason, "failed")
    }).pipe(Effect.provide(environment))
  )
})

describe("honeypot.is", () => {
  it.effect.each<readonly [string, Answer, ReadonlyArray<string>]>([
    ["a clean token", report(), ["none"]],
    ["a honeypot", report({ honeypotResult: { isHoneypot: true, honeypotReason: "x" } }), ["trap", "isHoneypot"]],
    ["a tax of a half", report({ simulationResult: { buyTax: 0, sellTax: 50, transferTax: 0 } }), ["trap", "sellTax"]],
    ["a tax of a tenth", report({ simulationResult: { buyTax: 10 } }), ["suspicious", "buyTax"]],
    ["a risky token", report({ summary: { risk: "high" } }), ["suspicious", "risk"]],
    ["a failed simulation", report({ simulationSuccess: false }), ["unknown"]],
    ["nothing", { status: 200, body: {} }, ["unknown"]],
    ["a token without a pair", { status: 404, body: { error: "no pair" } }, ["unknown"]],
    ["an address that is no token", { status: 400, body: { error: "no token" } }, ["unknown"]]
  ])("says of %s what it knows", ([, answer, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asks("honeypot", answer), expected)
    }).pipe(Effect.provide(environment))
  )

  it.effect("is not asked about chains that it does not know", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asks("honeypot", { status: 500 }, 42161), ["unknown"])
      assert.deepStrictEqual(yield* (yield* StubServer).seen, [])
    }).pipe(Effect.provide(environment))
  )
})

describe.each(["goplus", "honeypot"] as const)("%s", (name) => {
  it.effect.each<readonly [string, Answer]>([
    ["429", { status: 429, headers: { "Retry-After": "30" } }],
    ["500", { status: 500 }],
    ["a refused key", { status: 401 }],
    ["no JSON", { status: 200, body: "<html>" }],
    ["JSON of another shape", { status: 200, body: { code: "1", result: [], honeypotResult: { isHoneypot: "no" } } }],
    ["a redirect", { status: 302, headers: { Location: "http://127.0.0.1:9/" } }]
  ])("fails on %s", ([, answer]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(asks(name, answer)))._tag, "ProviderUnavailable")
    }).pipe(Effect.provide(environment))
  )

  it.effect("fails when the service is silent", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(Effect.flip(asks(name, { status: 200, silent: true })))
      yield* Effect.yieldNow
      yield* TestClock.adjust("2500 millis")
      assert.include((yield* Fiber.join(asked)).message, "no answer")
    }).pipe(Effect.provide(environment))
  )

  it.effect("is asked no more after quotes of five tokens that waited 1.5 seconds in vain", () =>
    Effect.gen(function* () {
      const { ask } = yield* services[name]
      const waited = Effect.fnUntraced(function* (quote: number) {
        const asked = yield* Effect.forkChild(
          Effect.timeout(ask(8453, FakeChain.address(quote)), "1500 millis").pipe(Effect.flip)
        )
        yield* Effect.yieldNow
        yield* TestClock.adjust("1500 millis")
        return yield* Fiber.join(asked)
      })
      for (let quote = 1; quote <= 5; quote++) yield* waited(quote)
      const refusal = yield* waited(6)
      assert.deepInclude(refusal, { _tag: "ProviderUnavailable", reason: "waiting" })
    }).pipe(
      Effect.provideService(
        HttpClient.HttpClient,
        HttpClient.make(() => Effect.never)
      ),
      Effect.provide([StubServer.layer, Logger.layer([])])
    )
  )
})
