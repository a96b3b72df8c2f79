import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as Fees from "../../../src/domain/Fees.ts"
import type { Tier } from "../../../src/domain/Tier.ts"
import { executionLimit } from "../../../src/domain/RelayGas.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import * as NextRoute from "../../../src/orchestrator/quote/NextRoute.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

const { WHOLE } = Quoting

/** The network fee of this much gas, and of wei beside it, at the scene's prices, in the token of the default request. */
const networkFee = (gas: bigint, beside = 0n) =>
  Fees.networkFee(defaults.fees, {
    cost: gas * Quoting.GAS_PRICE + beside,
    nativeUsd: Quoting.NATIVE_USD,
    tokenUsd: Quoting.USD,
    tokenDecimals: 18
  })

const protocolFee = (tier: Tier, subscriptionActive = false) =>
  Fees.protocolFee(defaults.fees, { amountIn: 100n * WHOLE, tier, subscriptionActive })

describe("gas", () => {
  it.effect("is assumed at first, and the order is priced again when the simulation differs by more than 10 %", () =>
    Effect.gen(function* () {
      for (const [gas, runs, priced] of [
        [225_000n, 1, 225_000n],
        [247_500n, 1, 225_000n],
        [202_500n, 1, 225_000n],
        [247_501n, 2, 247_501n],
        [202_499n, 2, 202_499n],
        [1_000_000n, 2, 1_000_000n]
      ] as const) {
        const scene = yield* Quoting.make()
        scene.script.gas = () => gas
        const { order } = yield* scene.quote()
        assert.strictEqual(scene.asked.simulated.length, runs, `at ${gas}`)
        assert.strictEqual(order.feeAmount, protocolFee("tier2") + networkFee(priced))
        assert.deepStrictEqual(scene.asked.simulated.at(-1), order)
        assert.strictEqual(scene.asked.created[0]?.gas, executionLimit(gas))
      }
    })
  )

  it.effect(
    "and wei that a rollup charges for the transaction's bytes are paid by the sweep, and kept for its limit",
    () =>
      Effect.gen(function* () {
        const scene = yield* Quoting.make()
        scene.script.charged = { dataGas: 40_000n, dataFee: 10n ** 14n }
        const { order } = yield* scene.quote()
        assert.strictEqual(scene.asked.simulated.length, 2)
        assert.strictEqual(order.feeAmount, protocolFee("tier2") + networkFee(265_000n, 10n ** 14n))
        assert.strictEqual(scene.asked.created[0]?.gas, executionLimit(225_000n) + 40_000n)
      })
  )

  it.effect("may cost up to the maximum of the request, as it is simulated", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => 1_000_000n
      const maximum = networkFee(1_000_000n)
      const { order } = yield* scene.quote({ maxNetworkFee: maximum })
      assert.strictEqual(order.feeAmount, protocolFee("tier2") + maximum)
      const refused = yield* Effect.flip(scene.quote({ maxNetworkFee: maximum - 1n }))
      assert.strictEqual(refused._tag === "QuoteFailed" ? refused.reason : refused._tag, "network_fee_above_maximum")
    })
  )

  it.effect("is assumed as it was last on the same chains for the same kind of account, by pair or by venue", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => 300_000n
      const simulations = Effect.fnUntraced(function* (quote: ReturnType<typeof scene.quote>) {
        const before = scene.asked.simulated.length
        yield* quote
        return scene.asked.simulated.length - before
      })
      assert.strictEqual(yield* simulations(scene.quote()), 2)
      assert.strictEqual(yield* simulations(scene.quote()), 1)
      assert.strictEqual(scene.asked.simulated.at(-1)?.feeAmount, protocolFee("tier2") + networkFee(300_000n))
      assert.strictEqual(yield* simulations(scene.quote({ tokenOut: NATIVE })), 1)
      assert.strictEqual(yield* simulations(scene.quote(Quoting.crossChain)), 2)
      const delegated = `0xef0100${Quoting.source.contracts.delegate.slice(2).toLowerCase()}` as const
      yield* (yield* scene.chain(Quoting.source.id)).setCode(Quoting.OWNER, delegated)
      assert.strictEqual(yield* simulations(scene.quote()), 2)
      // It is only assumed: a sweep that costs otherwise is priced by its own simulation.
      scene.script.gas = () => 200_000n
      assert.strictEqual(yield* simulations(scene.quote()), 2)
      assert.strictEqual(scene.asked.simulated.at(-1)?.feeAmount, protocolFee("tier2") + networkFee(200_000n))
    })
  )

  it.effect("of one costly sweep refuses no cheaper sweep of its kind", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => 5_000_000n
      yield* scene.quote()
      scene.script.gas = () => 225_000n
      // At 2 gwei and 2,000 dollars, five million gas cost 24 dollars with the margin.
      const { order } = yield* scene.quote({ amountIn: 10n * WHOLE })
      assert.strictEqual(scene.asked.simulated.at(-1)?.amountIn, 10n * WHOLE)
      assert.isBelow(Number(order.feeAmount), Number(2n * WHOLE))
    })
  )

  it.effect("and its price are stored with the value that the network fee covers", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => 300_000n
      scene.script.charged = { dataGas: 40_000n, dataFee: 10n ** 14n }
      yield* scene.quote()
      assert.deepStrictEqual(scene.asked.created[0]?.cover, {
        gas: 340_000n,
        gasPrice: Quoting.GAS_PRICE,
        value: ((340_000n * Quoting.GAS_PRICE + 10n ** 14n) * 12n) / 10n
      })
    })
  )

  it.effect("of the route that is offered is covered, although the fee was computed with that of another one", () =>
    Effect.gen(function* () {
      for (const [gas, charged] of [
        // The route for the second amount costs more, or less.
        [[300_000n, 900_000n], 900_000n],
        [[900_000n, 150_000n], 150_000n],
        // Another one for the third amount costs as little as the first one again. The fee covers it.
        [[300_000n, 500_000n, 300_000n], 500_000n],
        // The last one is not covered, and the second one is, which was charged too much.
        [[900_000n, 450_000n, 900_000n], 900_000n],
        // So is the first one.
        [[150_000n, 300_000n, 900_000n], 225_000n]
      ] as const) {
        const scene = yield* Quoting.make()
        scene.script.gas = (run) => gas[run] ?? gas.at(-1) ?? 0n
        const { order } = yield* scene.quote()
        const told = gas.join(", ")
        assert.strictEqual(order.feeAmount, protocolFee("tier2") + networkFee(charged), told)
        assert.strictEqual(scene.asked.simulated.length, 3, told)
        const { cover } = scene.asked.created[0] ?? {}
        assert.isDefined(cover)
        assert.isTrue(cover.gas * cover.gasPrice <= cover.value, told)
        const offered = scene.asked.simulated.find((each) => each.swapCalldata === order.swapCalldata)
        assert.deepStrictEqual(offered, order, told)
      }
    })
  )

  it.effect("that is far below the charged one refuses the quote for now, if no other pass is covered", () =>
    Effect.gen(function* () {
      for (const gas of [
        [300_000n, 900_000n, 300_000n],
        [900_000n, 150_000n, 900_000n]
      ]) {
        const scene = yield* Quoting.make()
        scene.script.gas = (run) => gas[run] ?? 0n
        const failed = yield* Effect.flip(scene.quote())
        assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "upstream_unavailable")
        assert.deepStrictEqual(scene.asked.created, [])
      }
    })
  )

  it.effect("of routes that each cost more than the one before refuses the quote for now", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = (run) => 300_000n * 2n ** BigInt(run)
      const failed = yield* Effect.flip(scene.quote())
      assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "upstream_unavailable")
      assert.strictEqual(scene.asked.simulated.length, 3)
      assert.deepStrictEqual(scene.asked.created, [])
    })
  )

  it.effect("is not simulated a third time when time is short, unless its fee is far above its cost", () =>
    Effect.gen(function* () {
      for (const [gas, expected] of [
        [[300_000n, 900_000n], "upstream_unavailable"],
        [[900_000n, 450_000n], protocolFee("tier2") + networkFee(900_000n)],
        [[900_000n, 150_000n, 150_000n], protocolFee("tier2") + networkFee(150_000n)],
        [[900_000n, 150_000n, 900_000n], "upstream_unavailable"]
      ] as const) {
        const scene = yield* Quoting.make()
        scene.script.gas = (run) => gas[run] ?? 0n
        scene.script.simulationMillis = NextRoute.LIMIT_MILLIS / 2
        const outcome = yield* scene.quote().pipe(
          Effect.map(({ order }) => order.feeAmount),
          Effect.catchTag("QuoteFailed", ({ reason }) => Effect.succeed(reason))
        )
        assert.strictEqual(outcome, expected)
        assert.strictEqual(scene.asked.simulated.length, gas.length)
      }
    })
  )

  it.effect("of a sweep that then costs more than it moves is refused", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.gas = () => 50_000_000n
      const failed = yield* Effect.flip(scene.quote())
      assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "fees_exceed_input")
      assert.deepStrictEqual(scene.asked.created, [])
    })
  )
})

describe("a venue that failed", () => {
  const other = address(0x5b)
  const service = { provider: "other", target: other, amountOut: 1_000n, minAmountOut: 990n, gas: 1n, passing: 0 }
  const targets = (scene: Effect.Success<ReturnType<typeof Quoting.make>>) =>
    scene.asked.simulated.map(({ swapTarget }) => swapTarget)

  it.effect("is tried last when the order is priced again, and is the one that is offered if no other delivers", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.alternatives = [{ ...service, calldata: "0x77" }]
      scene.script.reverting = new Set([Quoting.TARGET])
      // It costs otherwise in each pass.
      scene.script.gas = (run) => [300_000n, 300_000n, 900_000n][run] ?? 900_000n
      assert.strictEqual((yield* scene.quote()).quote.provider, "other")
      assert.deepStrictEqual(targets(scene), [Quoting.TARGET, other, other, other])
      // The next quote knows nothing of it.
      scene.script.reverting = new Set()
      assert.strictEqual((yield* scene.quote()).quote.provider, "venue")
      const revived = yield* Quoting.make()
      revived.script.alternatives = [{ ...service, calldata: "0x77" }]
      revived.script.reverting = new Set([Quoting.TARGET])
      revived.script.gas = (run) => {
        revived.script.reverting = new Set(run < 1 ? [Quoting.TARGET] : [other])
        return 300_000n
      }
      assert.strictEqual((yield* revived.quote()).quote.provider, "venue")
      assert.deepStrictEqual(targets(revived), [Quoting.TARGET, other, other, Quoting.TARGET])
    })
  )

  it.effect("is tried last also if it is the only one that sells what arrives of a token with a fee on transfer", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* Ref.update(scene.tokenRisk, (state) => ({
        ...state,
        tokens: state.tokens.map((token) =>
          token.address === Quoting.TOKEN ? { ...token, transferFeeBps: 300 } : token
        )
      }))
      scene.script.takenBps = 300
      scene.script.alternatives = [{ ...service, calldata: "0x1000" }]
      scene.script.reverting = new Set([Quoting.TARGET])
      scene.script.gas = () => 300_000n
      assert.strictEqual((yield* scene.quote()).quote.provider, "other")
      assert.deepStrictEqual(targets(scene), [Quoting.TARGET, other, other])
    })
  )
})

describe("the tolerance of a route whose call is fixed", () => {
  it.effect("is that of its minimum beside what is expected, and not the one that was asked for", () =>
    Effect.gen(function* () {
      for (const [delivered, expected] of [
        ["0x2710", 10],
        // 5 units less than promised.
        ["0x270b", 5],
        // The minimum.
        ["0x2706", undefined]
      ] as const) {
        const scene = yield* Quoting.make()
        scene.script.takenBps = 0
        scene.script.reverting = new Set([Quoting.TARGET])
        const amounts = { amountOut: 10_000n, minAmountOut: 9_990n, gas: 1n, passing: 0 }
        scene.script.alternatives = [{ ...amounts, provider: "other", target: address(0x5b), calldata: delivered }]
        const { quote } = yield* scene.quote({ slippageBps: 50 })
        assert.deepStrictEqual([quote.provider, quote.minAmountOut, quote.slippageBps], ["other", 9_990n, expected])
      }
      const scene = yield* Quoting.make()
      const { quote } = yield* scene.quote({ ...Quoting.crossChain, slippageBps: 50 })
      assert.strictEqual(quote.estimatedAmountOut - quote.minAmountOut, Quoting.BRIDGE_SURPLUS)
      assert.strictEqual(quote.slippageBps, 1)
    })
  )
})
