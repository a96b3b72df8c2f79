import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as LiFi from "../../../src/adapters/swap/LiFi.ts"
import * as RouteClaim from "../../../src/adapters/swap/RouteClaim.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { address, layer as chainsLayer } from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"
import { DIAMOND, liFiAnswer, liFiTerms, request } from "./serviceAnswers.ts"
import { base, behavesAsService, refusesChanges } from "./serviceSuite.ts"

const make = (baseUrl: string) =>
  LiFi.make({ baseUrl, apiKey: Redacted.make("k3y"), integrator: "sweeper", deadline: "200 millis" })

const transacting = (change: object) => {
  const answer = liFiAnswer(request)
  return { ...answer, transactionRequest: { ...answer.transactionRequest, ...change } }
}

behavesAsService({
  name: "lifi",
  make,
  honest: (asked) => () => ({ status: 200, body: liFiAnswer(asked) }),
  router: DIAMOND,
  refusals: [
    { status: 404, body: { code: 1002, message: "No available quotes", errors: {} } },
    { status: 400, body: { code: 1011, message: "invalid" } },
    { status: 400, body: { code: 1000, message: "anything else about the request" } },
    { status: 200, body: transacting({ data: "0x12345678" }) },
    { status: 200, body: transacting({ value: "0x1" }) },
    { status: 200, body: transacting({ gasLimit: "0xffffffffff" }) }
  ],
  lies: () => ({ status: 200, body: liFiAnswer(request, { ...liFiTerms(request), recipient: address(0x99) }) }),
  requests: 1
})

const decode = Schema.decodeUnknownSync(LiFi.Quote)
const honest = liFiAnswer(request)
const terms = liFiTerms(request)
const claimed = (answer: object) => LiFi.claimOf(request, decode(answer))
const estimate = (change: object) => claimed({ ...honest, estimate: { ...honest.estimate, ...change } })
const transaction = (change: object) =>
  claimed({ ...honest, transactionRequest: { ...honest.transactionRequest, ...change } })
const call = (change: Partial<typeof terms>) => claimed(liFiAnswer(request, { ...terms, ...change }))

refusesChanges("lifi", DIAMOND, () => claimed(honest), {
  "another chain": ({ amount }) => transaction({ chainId: 8453 + Number(amount) }),
  "another sender": ({ address }) => transaction({ from: address }),
  "another target": ({ address }) => transaction({ to: address }),
  "a value": ({ amount }) => transaction({ value: `0x${amount.toString(16)}` }),
  "endless gas": ({ amount }) => transaction({ gasLimit: `0x${(15_000_000n + amount).toString(16)}` }),
  "another spender": ({ address }) => estimate({ approvalAddress: address }),
  "another stated amount": ({ amount }) => estimate({ fromAmount: (1_000_000n + amount).toString() }),
  "a stated minimum above the real one": ({ amount }) => estimate({ toAmountMin: (1_980_000n + amount).toString() }),
  "an output that the minimum does not hold": ({ amount }) => estimate({ toAmount: (2_010_000n + amount).toString() }),
  "an output below the minimum": ({ amount }) => estimate({ toAmount: (amount % 1_980_000n).toString() }),
  "another function": ({ amount }) =>
    transaction({
      data: `0x${(amount % 2n ** 32n).toString(16).padStart(8, "0")}${honest.transactionRequest.data.slice(10)}`
    }),
  "surplus bytes": ({ amount }) =>
    transaction({ data: `${honest.transactionRequest.data}${amount.toString(16).padStart(64, "0")}` }),
  "calldata that is too long": () => transaction({ data: `${honest.transactionRequest.data}${"00".repeat(30_000)}` }),
  "another input": ({ address }) => call({ tokenIn: address }),
  "another output": ({ address }) => call({ tokenOut: address }),
  "native currency by the function only": () => call({ paysNative: true }),
  "native currency by the token only": () => call({ tokenOut: NATIVE }),
  "a larger amount": ({ amount }) => call({ amountIn: 1_000_000n + amount }),
  "a smaller amount": ({ amount }) => call({ amountIn: amount % 1_000_000n }),
  "another recipient": ({ address }) => call({ recipient: address }),
  "no recipient": () => call({ recipient: Address.zero }),
  "a low minimum": ({ amount }) => call({ minAmountOut: amount % 1_970_000n }),
  "a second deposit": () => call({ steps: 2, deposits: [true, true] }),
  "no deposit of the generic call": () => call({ steps: 2, deposits: [false, false], paysNative: undefined }),
  "a second deposit of the generic call": () => call({ steps: 2, deposits: [true, true], paysNative: undefined }),
  "another recipient of the generic call": ({ address }) =>
    call({ steps: 2, recipient: address, paysNative: undefined }),
  "no deposit": () => call({ steps: 2, deposits: [false, false] })
})

describe("LiFi", () => {
  it("accepts a fee step before the swap, also in the generic call", () => {
    const terms = liFiTerms(request, 2)
    for (const call of [terms, { ...terms, paysNative: undefined }]) {
      const claim = Result.getOrThrow(claimed(liFiAnswer(request, call)))
      assert.isUndefined(RouteClaim.objection(request, [DIAMOND], claim))
    }
  })

  it.effect("asks for the pair, with the key", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer({ status: 200, body: liFiAnswer({ ...request, tokenOut: NATIVE }) })
      const asked = { ...request, tokenOut: NATIVE }
      const routeOf = yield* (yield* make(url)).prepare(asked)
      yield* routeOf(asked)
      const [first] = yield* seen
      const { pathname, searchParams } = new URL(first?.path ?? "", url)
      assert.strictEqual(pathname, "/v1/quote")
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        fromChain: "8453",
        toChain: "8453",
        fromToken: request.tokenIn,
        toToken: Address.zero,
        fromAmount: "1000000",
        fromAddress: request.sender,
        toAddress: request.recipient,
        slippage: "0.01",
        skipSimulation: "true",
        integrator: "sweeper"
      })
      assert.strictEqual(first?.headers.get("x-lifi-api-key"), "k3y")
    }).pipe(Effect.provide([StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: base })]))
  )
})
