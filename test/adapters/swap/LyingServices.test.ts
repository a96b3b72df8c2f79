/** Services that lie, die and lag, with arbitrary answers: no route of theirs differs from the request in what the owner signs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Result, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { decodeFunctionData } from "viem"
import * as KyberSwap from "../../../src/adapters/swap/KyberSwap.ts"
import * as LiFi from "../../../src/adapters/swap/LiFi.ts"
import * as ZeroX from "../../../src/adapters/swap/ZeroX.ts"
import { marketAggregator } from "../../../src/devnet/market/contracts.generated.ts"
import * as Faults from "../../../src/devnet/market/Faults.ts"
import * as RouteAnswers from "../../../src/devnet/market/RouteAnswers.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { SwapRequest, SwapRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address, chain, layer as chainsLayer } from "../../support/FakeChain.ts"

const base = { ...chain, id: 8453, name: "base" }

const request: SwapRequest = {
  chainId: base.id,
  tokenIn: address(0x11),
  tokenOut: address(0x12),
  amountIn: 1_000_000n,
  sender: address(0x21),
  recipient: address(0x22),
  slippageBps: 100,
  deadline: 1_900_000_000n
}

const key = Redacted.make("k3y")
const SERVICES = {
  "0x": { make: ZeroX.make({ apiKey: key }), router: "0x0000000000001fF3684f28c67538d4D072C22734" },
  kyberswap: { make: KyberSwap.make(), router: "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5" },
  lifi: { make: LiFi.make({ apiKey: key }), router: "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE" }
} as const
type Name = keyof typeof SERVICES
const NAMES: ReadonlyArray<Name> = ["0x", "kyberswap", "lifi"]

const offerOf = (name: Name): RouteAnswers.Offer => {
  const target = Address.of(SERVICES[name].router)
  return {
    ...request,
    amountOut: 2_000_000n,
    minAmountOut: 1_980_000n,
    spender: target,
    target,
    hops: [{ token: request.tokenIn, router: address(0x31), amountAt: 4n, data: "0x12345678" }]
  }
}

const answerOf = (name: Name, isBuilding: boolean, fault: Faults.Fault | undefined): unknown => {
  const offer = offerOf(name)
  if (name === "0x") return RouteAnswers.zeroX(offer, fault)
  if (name === "lifi") return RouteAnswers.liFi(offer, fault)
  return isBuilding ? RouteAnswers.kyberBuilt(offer, fault) : RouteAnswers.kyberRoutes(offer)
}

/** A change of one value of an answer, or of one word in its bytes. */
interface Change {
  readonly place: number
  readonly word: number
  readonly value: string | number | null
}

const WORD = 64

/** Replaces a word of bytes, after the selector. */
const withWord = (bytes: string, { value, word }: Change): string => {
  const words = Math.floor((bytes.length - 10) / WORD)
  const at = 10 + (word % words) * WORD
  const text = typeof value === "string" && value.startsWith("0x") ? value.slice(2) : String(value ?? 0)
  return (
    bytes.slice(0, at) +
    text
      .replaceAll(/[^0-9a-f]/gi, "0")
      .slice(-WORD)
      .padStart(WORD, "0") +
    bytes.slice(at + WORD)
  )
}

/** The answer with a change at one of its leaves. */
const changed = (answer: unknown, change: Change): unknown => {
  let leaves = 0
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value !== "object") leaves++
    return value
  })
  let at = 0
  return JSON.parse(
    JSON.stringify(answer, (_, value: unknown) => {
      if (typeof value === "object" || at++ !== change.place % leaves) return value
      return typeof value === "string" && value.length > 10 + WORD ? withWord(value, change) : change.value
    })
  )
}

const Fault: Schema.Schema<Faults.Fault | undefined> = Schema.Union([
  Schema.Undefined,
  Schema.TaggedStruct("Lie", { about: Schema.Literals(Faults.LIES) }),
  Schema.TaggedStruct("Down", { status: Schema.Literals([429, 500, 503, 200, 404]) }),
  Schema.TaggedStruct("Nonsense", {}),
  Schema.TaggedStruct("Late", {}),
  Schema.TaggedStruct("Cut", {})
])

const Value = Schema.Union([
  Schema.Null,
  Schema.Literals([Faults.STRANGER, request.tokenIn, request.recipient, "0", "1", "999999", "0x"] as const),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))
])
const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Changes = Schema.NullOr(Schema.Struct({ place: Place, word: Place, value: Value }))

const bodyOf = (name: Name, isBuilding: boolean, fault: Faults.Fault | undefined, change: Change | null) => {
  const honest = answerOf(name, isBuilding, fault)
  const text = JSON.stringify(change === null ? honest : changed(honest, change))
  if (fault?._tag === "Nonsense") return "<html>"
  return fault?._tag === "Cut" ? text.slice(0, text.length / 2) : text
}

/** The outside world: one service with a fault. A late one never answers. */
const world = (name: Name, fault: Faults.Fault | undefined, change: Change | null) =>
  Layer.merge(
    chainsLayer({ chain: base }),
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((asked) => {
        if (fault?._tag === "Late") return Effect.never
        const status = fault?._tag === "Down" ? fault.status : 200
        const body = bodyOf(name, asked.method === "POST", fault, change)
        return Effect.succeed(HttpClientResponse.fromWeb(asked, new Response(body, { status })))
      })
    )
  )

/** The route that the service offers within any deadline, if it offers one. */
const routed = Effect.fnUntraced(function* (name: Name, fault: Faults.Fault | undefined, change: Change | null) {
  const ask = Effect.gen(function* () {
    const source = yield* SERVICES[name].make
    const routeOf = yield* source.prepare(request)
    const fiber = yield* Effect.forkChild(Effect.result(routeOf(request)))
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(fiber)
  })
  return yield* ask.pipe(Effect.provide(world(name, fault, change)), Effect.scoped)
})

/** The terms that the owner would sign, read by another decoder than the service's. */
const signedTerms = ({ calldata }: SwapRoute) => {
  const { abi } = marketAggregator
  const call = decodeFunctionData({ abi, data: calldata })
  switch (call.functionName) {
    case "exec": {
      const [, tokenIn, amountIn, , data] = call.args
      const settling = decodeFunctionData({ abi, data })
      if (settling.functionName !== "execute") throw new Error("no settlement")
      const [{ buyToken, minAmountOut, recipient }] = settling.args
      return { tokenIn, amountIn, tokenOut: buyToken, recipient, minAmountOut }
    }
    case "swap": {
      const { amount, dstReceiver, dstToken, minReturnAmount, srcToken } = call.args[0].desc
      return {
        tokenIn: srcToken,
        amountIn: amount,
        tokenOut: dstToken,
        recipient: dstReceiver,
        minAmountOut: minReturnAmount
      }
    }
    case "swapTokensSingleV3ERC20ToERC20": {
      const [, , , recipient, minAmountOut, step] = call.args
      return {
        tokenIn: step.sendingAssetId,
        amountIn: step.fromAmount,
        tokenOut: step.receivingAssetId,
        recipient,
        minAmountOut
      }
    }
    default:
      throw new Error(`another call: ${call.functionName}`)
  }
}

const assertMatches = (name: Name, route: SwapRoute): void => {
  const { minAmountOut, ...terms } = signedTerms(route)
  const { amountIn, recipient, tokenIn, tokenOut } = request
  assert.strictEqual(route.target, Address.of(SERVICES[name].router))
  assert.deepStrictEqual(
    {
      ...terms,
      tokenIn: Address.of(terms.tokenIn),
      tokenOut: Address.of(terms.tokenOut),
      recipient: Address.of(terms.recipient)
    },
    { tokenIn, amountIn, tokenOut, recipient }
  )
  assert.isTrue(minAmountOut > 0n && route.minAmountOut > 0n && route.minAmountOut <= route.amountOut)
}

describe("services that lie, die and lag", () => {
  it.effect.prop(
    "offer nothing that differs from the request",
    [Schema.Literals(NAMES), Fault, Changes],
    ([name, fault, change]) =>
      Effect.gen(function* () {
        const found = yield* routed(name, fault, change)
        if (Result.isSuccess(found)) assertMatches(name, found.success)
      }),
    { arbitrary: { runs: 300 } }
  )

  for (const name of NAMES) {
    it.effect(`${name} offers a route if it is honest`, () =>
      Effect.gen(function* () {
        const found = yield* routed(name, undefined, null)
        if (Result.isFailure(found)) throw new Error(found.failure.message)
        assertMatches(name, found.success)
      })
    )

    // The chain is a part of LI.FI's answers alone, and a promise that the calldata keeps is the rehearsal's to judge.
    const lies = Faults.LIES.filter((about) => about !== "output" && (about !== "chain" || name === "lifi"))
    // KyberSwap's answer has no allowance of its own: its router is approved.
    for (const about of lies.filter((lie) => lie !== "spender" || name !== "kyberswap")) {
      it.effect(`${name} offers none with a lie about the ${about}`, () =>
        Effect.gen(function* () {
          assert.isTrue(Result.isFailure(yield* routed(name, { _tag: "Lie", about }, null)))
        })
      )
    }
  }
})
