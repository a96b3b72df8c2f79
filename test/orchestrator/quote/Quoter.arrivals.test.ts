/** Quotes by what arrives: fees that tokens take from transfers, and the tolerance of the minimum. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import * as Address from "../../../src/domain/Address.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"
import { isolated, series } from "../../support/Metrics.ts"
import { afterTransfer } from "../../support/QuotingScript.ts"

const UNLISTED = address(0xb9)

/** A scene in which the tokens of a swap take a part, and the input takes `plainBps` of a transfer as well. */
const taking = Effect.fnUntraced(function* (
  takenBps: number,
  plainBps?: number,
  options?: Parameters<typeof Quoting.make>[0]
) {
  const scene = yield* Quoting.make(options)
  scene.script.takenBps = takenBps
  if (plainBps !== undefined) {
    yield* Ref.update(scene.tokenRisk, (state) => ({
      ...state,
      tokens: state.tokens.map((token) =>
        token.address === Quoting.TOKEN ? { ...token, transferFeeBps: plainBps } : token
      )
    }))
  }
  return scene
})

const failureOf = (quote: ReturnType<Effect.Success<ReturnType<typeof Quoting.make>>["quote"]>) =>
  Effect.map(Effect.flip(quote), (failure) => (failure._tag === "QuoteFailed" ? failure.reason : failure._tag))

describe("a quote of tokens that take a fee from transfers", () => {
  for (const [where, plainBps] of [
    ["everywhere", 300],
    ["in pools only", undefined]
  ] as const) {
    it.effect(`promises what arrives, where the fee is taken ${where}`, () =>
      Effect.gen(function* () {
        const scene = yield* taking(300, plainBps)
        const { order, quote } = yield* scene.quote()
        const promised = BigInt(order.swapCalldata)
        assert.strictEqual(quote.estimatedAmountOut, afterTransfer(promised, 300))
        assert.strictEqual(quote.transferFeeBps, 300)
        assert.strictEqual(quote.minAmountOut, lessBps(quote.estimatedAmountOut, quote.slippageBps ?? 0))
        assert.strictEqual(order.minAmountOut, quote.minAmountOut)
      })
    )
  }

  it.effect("is rehearsed at once by what arrives where the fee is known before", () =>
    Effect.gen(function* () {
      const scene = yield* taking(300, 300)
      yield* scene.quote()
      assert.isTrue(
        scene.asked.simulated.every(({ minAmountOut, swapCalldata }) => minAmountOut < BigInt(swapCalldata))
      )
      assert.isAtMost(scene.asked.simulated.length, 2)
    })
  )

  it.effect("charges a network fee that is worth the gas once it has arrived and is sold", () =>
    Effect.gen(function* () {
      const network = Effect.fnUntraced(function* (takenBps: number, plainBps?: number) {
        const { quote } = yield* (yield* taking(takenBps, plainBps)).quote()
        return quote.feeBreakdown?.network.amount ?? 0n
      })
      const whole = yield* network(0)
      const inPools = yield* network(1_000)
      const everywhere = yield* network(1_000, 1_000)
      assert.isTrue(lessBps(inPools, 1_000) >= whole - 1n && inPools < (whole * 112n) / 100n)
      assert.isTrue(lessBps(lessBps(everywhere, 1_000), 1_000) >= whole - 2n && everywhere < (whole * 124n) / 100n)
    })
  )

  it.effect(
    "charges the usual network fee in a listed token that arrives whole, for an output that is not listed",
    () =>
      Effect.gen(function* () {
        const network = Effect.fnUntraced(function* (takenBps: number, tokenOut: Address.Address, plainBps?: number) {
          const scene = yield* taking(takenBps, plainBps)
          const { quote } = yield* scene.quote({ tokenOut })
          assert.strictEqual(quote.transferFeeBps ?? 0, takenBps)
          return quote.feeBreakdown?.network.amount ?? 0n
        })
        const whole = yield* network(0, UNLISTED)
        assert.strictEqual(yield* network(1_000, UNLISTED), whole)
        // The input may take it where the output is listed, or where a plain transfer shows that it takes some.
        assert.isAbove(Number(yield* network(1_000, Quoting.STABLE)), Number(whole))
        const taxed = yield* network(1_000, UNLISTED, 10)
        assert.isAbove(Number(lessBps(taxed, 10)), Number((whole * 110n) / 100n))
      })
  )

  it.effect("is refused above the operator's limit, and always with a limit of 0", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failureOf((yield* taking(1_001)).quote()), "token_declined")
      assert.strictEqual(yield* failureOf((yield* taking(2_000)).quote()), "simulation_failed")
      const none = yield* taking(100, undefined, { settings: { maxTransferFeeBps: 0 } })
      assert.strictEqual(yield* failureOf(none.quote()), "simulation_failed")
      assert.strictEqual(none.asked.simulated.length, 1)
    })
  )

  it.effect("says nothing of a difference that may be a price that moved, and promises no more than what arrives", () =>
    Effect.gen(function* () {
      const scene = yield* taking(9)
      const { order, quote } = yield* scene.quote()
      assert.isUndefined(quote.transferFeeBps)
      assert.strictEqual(quote.estimatedAmountOut, afterTransfer(BigInt(order.swapCalldata), 9))
      assert.strictEqual(scene.asked.simulated.length, 1)
    })
  )

  it.effect("is refused across chains, and for a builder that is paid from the ledger", () =>
    Effect.gen(function* () {
      const scene = yield* taking(100, 100)
      assert.strictEqual(yield* failureOf(scene.quote(Quoting.crossChain)), "token_declined")
      yield* scene.attributes({ payoutMode: "ledger" })
      assert.strictEqual(yield* failureOf(scene.quote({ apiKey: Quoting.KEY })), "token_declined")
      yield* scene.attributes({ payoutMode: "ledger", builderBps: 0 })
      assert.isDefined((yield* scene.quote({ apiKey: Quoting.KEY })).quote.builderId)
      yield* scene.attributes({ payoutMode: "onchain" })
      assert.isTrue((yield* scene.quote({ apiKey: Quoting.KEY })).order.builderFee > 0n)
    })
  )

  it.effect("has no builder, and is counted, if only the chain of the builder's wallet makes the ledger pay it", () =>
    Effect.gen(function* () {
      const scene = yield* taking(100, 100)
      const walletChainId = Quoting.crossChain.destChainId
      yield* scene.attributes({ walletChainId })
      const { order, quote } = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(order.builder, Address.zero)
      assert.strictEqual(order.builderFee, 0n)
      assert.notProperty(quote, "builderId")
      assert.notProperty(scene.asked.created[0], "attributed")
      assert.deepStrictEqual(yield* series("sweep_quotes_unattributed_total"), [
        'sweep_quotes_unattributed_total{cause="wallet_chain"} 1'
      ])
      // There the builder chose the ledger itself, or there is nothing to owe.
      yield* scene.attributes({ payoutMode: "ledger", walletChainId })
      assert.strictEqual(yield* failureOf(scene.quote({ apiKey: Quoting.KEY })), "token_declined")
      yield* scene.attributes({ walletChainId, builderBps: 0 })
      assert.strictEqual((yield* scene.quote({ apiKey: Quoting.KEY })).quote.builderId, "bld_test")
    }).pipe(isolated)
  )
})

describe("a quote by a route whose call is fixed", () => {
  it.effect("promises no more than what arrives in the rehearsal, and keeps its call and minimum", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order, quote } = yield* scene.quote()
      const promised = BigInt(order.swapCalldata)
      // The scripted rehearsal delivers the minimum: 1 % less than the venue promises.
      assert.strictEqual(order.minAmountOut, promised - promised / 100n)
      assert.strictEqual(quote.estimatedAmountOut, order.minAmountOut)
      assert.strictEqual(quote.minAmountOut, order.minAmountOut)
      // A rehearsal on one chain does not show what arrives on another.
      const crossed = yield* scene.quote(Quoting.crossChain)
      assert.isTrue(crossed.quote.estimatedAmountOut > crossed.quote.minAmountOut)
    })
  )
})

describe("the tolerance of a quote", () => {
  it.effect("follows impact and volatility, and the minimum is what it says", () =>
    Effect.gen(function* () {
      const scene = yield* taking(0)
      const quoted = (moves: number) =>
        Effect.gen(function* () {
          yield* Ref.set(scene.moves, new Map([[Quoting.TOKEN, moves]]))
          const { order, quote } = yield* scene.quote()
          assert.strictEqual(order.minAmountOut, lessBps(quote.estimatedAmountOut, quote.slippageBps ?? 0))
          return quote.slippageBps
        })
      // The impact of the scripted venue is 20.
      assert.deepStrictEqual([yield* quoted(0), yield* quoted(40), yield* quoted(400)], [35, 71, 100])
    })
  )

  it.effect("is that of the request, else the fixed one of the operator", () =>
    Effect.gen(function* () {
      const fixed = yield* taking(0, undefined, { settings: { slippage: { ...defaults.slippage, fixedBps: 33 } } })
      assert.strictEqual((yield* fixed.quote()).quote.slippageBps, 33)
      assert.strictEqual((yield* fixed.quote({ slippageBps: 400 })).quote.slippageBps, 400)
    })
  )
})
