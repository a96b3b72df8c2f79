import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as ZeroX from "../../../src/adapters/swap/ZeroX.ts"
import { address, layer as chainsLayer } from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"
import { ALLOWANCE_HOLDER, request, zeroXAnswer, zeroXTerms } from "./serviceAnswers.ts"
import { base, behavesAsService, refusesChanges } from "./serviceSuite.ts"

const make = (baseUrl: string) => ZeroX.make({ baseUrl, apiKey: Redacted.make("k3y"), deadline: "200 millis" })

const transacting = (change: object) => {
  const answer = zeroXAnswer(request)
  return { ...answer, transaction: { ...answer.transaction, ...change } }
}

behavesAsService({
  name: "0x",
  make,
  honest: (asked) => () => ({ status: 200, body: zeroXAnswer(asked) }),
  router: ALLOWANCE_HOLDER,
  refusals: [
    { status: 200, body: { liquidityAvailable: false, zid: "0x1" } },
    { status: 400, body: { name: "TOKEN_NOT_SUPPORTED", message: "k3y", data: { zid: "0x1" } } },
    { status: 422, body: { name: "SELL_AMOUNT_TOO_SMALL", message: "k3y" } },
    { status: 400, body: { name: "ANYTHING_ELSE_ABOUT_THE_REQUEST", message: "k3y" } },
    { status: 200, body: transacting({ data: "0x12345678" }) },
    { status: 200, body: transacting({ value: "1" }) },
    { status: 200, body: transacting({ gas: "15000001" }) }
  ],
  lies: () => ({ status: 200, body: zeroXAnswer(request, { ...zeroXTerms(request), recipient: address(0x99) }) }),
  requests: 1
})

const decode = Schema.decodeUnknownSync(ZeroX.Quote)

/** The claim of an answer with a change. */
const claimed = (answer: object, change: object = {}) => {
  const quote = decode({ ...answer, ...change })
  if (!quote.liquidityAvailable) throw new Error("no liquidity")
  return ZeroX.claimOf(request, quote)
}

const honest = zeroXAnswer(request)
const terms = zeroXTerms(request)
const transaction = (change: object) => claimed(honest, { transaction: { ...honest.transaction, ...change } })
const call = (change: Partial<typeof terms>) => claimed(zeroXAnswer(request, { ...terms, ...change }))

refusesChanges("0x", ALLOWANCE_HOLDER, () => claimed(honest), {
  "another target": ({ address }) => transaction({ to: address }),
  "a value": ({ amount }) => transaction({ value: amount.toString() }),
  "another spender": ({ address }) => claimed(honest, { allowanceTarget: address }),
  "another function": ({ amount }) =>
    transaction({
      data: `0x${(amount % 2n ** 32n).toString(16).padStart(8, "0")}${honest.transaction.data.slice(10)}`
    }),
  "surplus bytes": ({ amount }) =>
    transaction({ data: `${honest.transaction.data}${amount.toString(16).padStart(64, "0")}` }),
  "calldata that is too long": () => transaction({ data: `${honest.transaction.data}${"00".repeat(30_000)}` }),
  "endless gas": ({ amount }) => transaction({ gas: (15_000_000n + amount).toString() }),
  "another stated input": ({ address }) => claimed(honest, { sellToken: address }),
  "another stated output": ({ address }) => claimed(honest, { buyToken: address }),
  "another stated amount": ({ amount }) => claimed(honest, { sellAmount: (1_000_000n + amount).toString() }),
  "a stated minimum above the real one": ({ amount }) =>
    claimed(honest, { minBuyAmount: (1_980_000n + amount).toString() }),
  "an output that the minimum does not hold": ({ amount }) =>
    claimed(honest, { buyAmount: (2_010_000n + amount).toString() }),
  "an output below the minimum": ({ amount }) => claimed(honest, { buyAmount: (amount % 1_980_000n).toString() }),
  "another operator": ({ address }) => call({ operator: address }),
  "another input": ({ address }) => call({ tokenIn: address }),
  "a larger amount": ({ amount }) => call({ amountIn: 1_000_000n + amount }),
  "a smaller amount": ({ amount }) => call({ amountIn: amount % 1_000_000n }),
  "another output": ({ address }) => call({ tokenOut: address }),
  "another recipient": ({ address }) => call({ recipient: address }),
  "the sender as recipient": () => call({ recipient: request.sender }),
  "a low minimum": ({ amount }) => call({ minAmountOut: amount % 1_970_000n })
})

describe("ZeroX", () => {
  it.effect("asks for the pair, with the key", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer({ status: 200, body: zeroXAnswer(request) })
      const routeOf = yield* (yield* make(url)).prepare(request)
      yield* routeOf(request)
      const [asked] = yield* seen
      const { pathname, searchParams } = new URL(asked?.path ?? "", url)
      assert.strictEqual(pathname, "/swap/allowance-holder/quote")
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        chainId: "8453",
        sellToken: request.tokenIn,
        buyToken: request.tokenOut,
        sellAmount: "1000000",
        taker: request.sender,
        recipient: request.recipient,
        slippageBps: "100"
      })
      assert.strictEqual(asked?.headers.get("0x-api-key"), "k3y")
      assert.strictEqual(asked?.headers.get("0x-version"), "v2")
    }).pipe(Effect.provide([StubServer.layer, FetchHttpClient.layer, chainsLayer({ chain: base })]))
  )
})
