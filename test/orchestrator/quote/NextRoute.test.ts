import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { netOutput } from "../../../src/domain/RouteChoice.ts"
import * as NextRoute from "../../../src/orchestrator/quote/NextRoute.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import type { Route } from "../../../src/orchestrator/quote/Routing.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

const route = (provider: string, estimatedAmountOut: bigint, alternatives: ReadonlyArray<Route> = []): Route => ({
  provider,
  target: address(0x5a),
  calldata: "0x",
  estimatedAmountOut,
  guaranteedAmountOut: 1n,
  bridgeSeconds: 0,
  slippageBps: 50,
  sellsWhatArrives: false,
  passing: 0,
  alternatives
})

const swap = { chainId: 1, tokenIn: address(0xb1), showsOutput: true, until: NextRoute.LIMIT_MILLIS }

const reverted = new SimulationFailed({ detail: "SwapFailed", revert: "SwapFailed" })

/** A unit of gas is worth a unit of the output. */
const worth = { gasPrice: 1n, nativeUsd: 1n, outUsd: 1n, outDecimals: 18 }

/** An amount that arrives, without gas or with it, or a failure. */
type Outcome =
  | bigint
  | { readonly amountOut: bigint; readonly gas: bigint }
  | SimulationFailed
  | ChainUnavailable
  | QuoteFailed

/** Tries routes whose outcomes are amounts that arrive, or failures. Returns the providers tried, the result and the venues in the log. */
const tried = Effect.fnUntraced(function* (
  first: Route,
  outcomes: Readonly<Record<string, Outcome>>,
  {
    millis = 0,
    ...changes
  }: { readonly millis?: number; readonly showsOutput?: boolean; readonly worth?: typeof worth } = {}
) {
  const providers: Array<string> = []
  const blamed: Array<unknown> = []
  const logger = Logger.make(({ fiber, message }) => {
    assert.deepStrictEqual([message].flat(), ["route.undelivered"])
    blamed.push(fiber.getRef(References.CurrentLogAnnotations)["venue"])
  })
  const result = yield* NextRoute.firstDelivering({ ...swap, ...changes }, first, ({ provider }) =>
    Effect.gen(function* () {
      providers.push(provider)
      yield* TestClock.adjust(millis)
      const outcome = outcomes[provider] ?? 0n
      if (typeof outcome === "bigint") return { provider, simulated: { amountOut: outcome, gas: 0n, dataGas: 0n } }
      if ("amountOut" in outcome) return { provider, simulated: { ...outcome, dataGas: 0n } }
      return yield* outcome
    })
  ).pipe(Effect.provide(Logger.layer([logger])), Effect.result)
  return { providers, blamed, result }
})

/** The venues that failed, by the pass that was made. */
const failed = ({ result }: Effect.Success<ReturnType<typeof tried>>) =>
  result._tag === "Success" ? [...result.success.failed] : result.failure.message

const chosen = ({ result }: Effect.Success<ReturnType<typeof tried>>) =>
  result._tag === "Success" ? result.success.provider : result.failure.message

describe("the next route", () => {
  const three = route("a", 100n, [route("b", 95n), route("c", 90n)])

  it.effect("is not tried if the best one delivers", () =>
    Effect.gen(function* () {
      const outcome = yield* tried(three, { a: 100n })
      assert.deepStrictEqual([outcome.providers, outcome.blamed, chosen(outcome)], [["a"], [], "a"])
    })
  )

  it.effect("is tried when the rehearsal of the one before it fails, and the venue is named in the log", () =>
    Effect.gen(function* () {
      const outcome = yield* tried(three, { a: reverted, b: reverted, c: 90n })
      assert.deepStrictEqual([outcome.providers, outcome.blamed, chosen(outcome)], [["a", "b", "c"], ["a", "b"], "c"])
      const refused = new QuoteFailed({ reason: "no_route", detail: "too long" })
      assert.strictEqual(chosen(yield* tried(three, { a: refused, b: 95n })), "b")
    })
  )

  it.effect("is tried when the one before it pays less than it promised and than the next one promises", () =>
    Effect.gen(function* () {
      const outcome = yield* tried(three, { a: 92n, b: 95n })
      assert.deepStrictEqual([outcome.providers, outcome.blamed, chosen(outcome)], [["a", "b"], ["a"], "b"])
      // It pays the most after all.
      const kept = yield* tried(three, { a: 92n, b: 80n })
      assert.deepStrictEqual([kept.providers, kept.blamed, chosen(kept)], [["a", "b"], ["a", "b"], "a"])
      assert.deepStrictEqual((yield* tried(three, { a: 96n })).providers, ["a"])
      // A rehearsal on one chain does not show what arrives on another.
      assert.deepStrictEqual((yield* tried(three, { a: 0n }, { showsOutput: false })).providers, ["a"])
    })
  )

  it.effect("is passed over if it promises no more than what was delivered, and the ones behind it are not", () =>
    Effect.gen(function* () {
      const short = yield* tried(route("a", 100n, [route("b", 85n), route("c", 95n)]), { a: 90n, c: 95n })
      assert.deepStrictEqual([short.providers, chosen(short)], [["a", "c"], "c"])
      const failed = yield* tried(route("a", 100n, [route("b", 60n), route("c", 50n), route("d", 99n)]), {
        a: reverted,
        b: 60n,
        d: 99n
      })
      assert.deepStrictEqual([failed.providers, failed.blamed, chosen(failed)], [["a", "b", "d"], ["a"], "d"])
      // A rehearsal on one chain does not show what arrives on another.
      const bridged = yield* tried(
        route("a", 100n, [route("b", 60n), route("c", 99n)]),
        { a: reverted, b: 0n },
        { showsOutput: false }
      )
      assert.deepStrictEqual([bridged.providers, chosen(bridged)], [["a", "b"], "b"])
    })
  )

  it.effect("is not tried after a delivery if it promises so much more than the first one that it does not last", () =>
    Effect.gen(function* () {
      const routes = route("a", 100n, [route("b", 95n), route("c", 104n)])
      assert.deepStrictEqual((yield* tried(routes, { a: 96n })).providers, ["a"])
      assert.deepStrictEqual((yield* tried(routes, { a: reverted, b: 95n })).providers, ["a", "b"])
      assert.deepStrictEqual((yield* tried(routes, { a: reverted, b: reverted, c: 104n })).providers, ["a", "b", "c"])
    })
  )

  it.effect("is compared by what it delivers less the worth of its gas", () =>
    Effect.gen(function* () {
      const costly = route("a", 100n, [
        { ...route("b", 102n), gas: 10n },
        { ...route("c", 99n), gas: 1n }
      ])
      const short = yield* tried(costly, { a: 99n }, { worth })
      assert.deepStrictEqual([short.providers, chosen(short)], [["a"], "a"])
      const failed = yield* tried(
        costly,
        { a: reverted, b: { amountOut: 102n, gas: 10n }, c: { amountOut: 99n, gas: 1n } },
        { worth }
      )
      assert.deepStrictEqual([failed.providers, chosen(failed)], [["a", "b", "c"], "c"])
      // The rehearsal shows that it takes more gas than its venue expects.
      const dear = yield* tried(costly, { a: 90n, b: { amountOut: 102n, gas: 13n }, c: 80n }, { worth })
      assert.deepStrictEqual([dear.providers, chosen(dear)], [["a", "b", "c"], "a"])
      // By the output alone without prices.
      assert.strictEqual(chosen(yield* tried(costly, { a: 99n, b: 102n })), "b")
    })
  )

  it.effect("is not tried if all would fail alike", () =>
    Effect.gen(function* () {
      const failures = [
        new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "down" }),
        new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" }),
        new QuoteFailed({ reason: "fee_limit", detail: "high" })
      ]
      for (const failure of failures) {
        const outcome = yield* tried(three, { a: failure, b: 95n })
        assert.deepStrictEqual([outcome.providers, chosen(outcome)], [["a"], failure.message])
      }
    })
  )

  it.effect("is not begun late, and the failure of the first one is the answer if none delivers", () =>
    Effect.gen(function* () {
      const other = new SimulationFailed({ detail: "other" })
      const all = { a: reverted, b: other, c: other }
      const failed = yield* tried(three, all)
      assert.deepStrictEqual([failed.blamed, chosen(failed)], [["a", "b", "c"], reverted.message])
      const slow = yield* tried(three, all, { millis: NextRoute.LIMIT_MILLIS / 2 })
      assert.deepStrictEqual(slow.providers, ["a", "b"])
    })
  )

  it.effect("is not blamed for an output that arrives on another chain", () =>
    Effect.gen(function* () {
      const bridged = yield* tried(three, { a: reverted, b: 0n }, { showsOutput: false })
      assert.deepStrictEqual([bridged.blamed, chosen(bridged), failed(bridged)], [["a"], "b", ["a"]])
    })
  )

  it.effect("leaves the names of the venues of which no route delivered, without the one that is chosen", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(failed(yield* tried(three, { a: 100n })), [])
      assert.deepStrictEqual(failed(yield* tried(three, { a: reverted, b: reverted, c: 90n })), ["a", "b"])
      assert.deepStrictEqual(failed(yield* tried(three, { a: 92n, b: 95n })), ["a"])
      assert.deepStrictEqual(failed(yield* tried(three, { a: 92n, b: 80n })), ["b"])
      const spent = new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" })
      assert.deepStrictEqual(failed(yield* tried(three, { a: 92n, b: spent })), [])
      const attempts = ["a", "b", "a", "c"].map((provider, at) => ({
        route: route(provider, 100n),
        outcome:
          at === 0
            ? Result.fail(reverted)
            : Result.succeed({ simulated: { amountOut: BigInt(101 - at), gas: 0n, dataGas: 0n } })
      }))
      assert.deepStrictEqual([...NextRoute.failedVenues(swap, attempts, "b")], ["a", "c"])
      const paid = attempts.with(2, { route: route("a", 99n), outcome: attempts[2]?.outcome ?? Result.fail(reverted) })
      assert.deepStrictEqual([...NextRoute.failedVenues(swap, paid, "b")], ["c"])
    })
  )

  const Paid = Schema.Struct({
    promised: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
    paid: Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))
  })

  it.effect.prop("never chooses a route that delivers less than one before it", [Paid, Paid, Paid], (plans) =>
    Effect.gen(function* () {
      const names = ["a", "b", "c"]
      const [first, ...others] = plans.map(({ promised }, index) => route(names[index] ?? "", BigInt(promised)))
      if (first === undefined) return
      const outcomes = Object.fromEntries(
        plans.map(({ paid }, index) => [names[index], paid === undefined ? reverted : BigInt(paid)])
      )
      const outcome = yield* tried({ ...first, alternatives: others }, outcomes)
      const delivered = outcome.providers.flatMap((name) =>
        typeof outcomes[name] === "bigint" ? [outcomes[name]] : []
      )
      if (outcome.result._tag === "Failure") assert.deepStrictEqual(delivered, [])
      else {
        const { amountOut } = outcome.result.success.simulated
        assert.isTrue(delivered.every((amount) => amount <= amountOut))
        const { failed, provider } = outcome.result.success
        assert.isFalse(failed.has(provider))
        assert.isTrue([...failed].every((name) => outcome.providers.includes(name)))
        assert.isTrue(
          outcome.providers.every((name) => outcomes[name] !== reverted || failed.has(name) || name === provider)
        )
      }
    })
  )
})

describe("the worth of gas", () => {
  it("is told in the output, by what the route pays for the value that it sells", () => {
    // 500,000 gas at 1 gwei are 0.0005 of the native currency, a dollar. 100 dollars are sold for 100,000,000 units.
    const prices = { gasPrice: 10n ** 9n, nativeUsd: 2_000n * Quoting.USD, paidUsd: 100n * Quoting.USD }
    const net = (promised: bigint) =>
      netOutput({ amountOut: promised, gas: 500_000n }, NextRoute.gasWorth(prices, route("a", promised)))
    assert.strictEqual(net(100_000_000n), 99_000_000n)
    assert.strictEqual(net(0n), 0n)
  })
})

describe("a quote", () => {
  it.effect("is made by the next venue when the best one's order reverts", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const target = address(0x5b)
      const amounts = { amountOut: 1_000n, minAmountOut: 990n, gas: 1n, passing: 0 }
      scene.script.alternatives = [{ ...amounts, provider: "other", target, calldata: "0x77" }]
      assert.strictEqual((yield* scene.quote()).quote.provider, "venue")
      scene.script.reverting = new Set([Quoting.TARGET])
      const { order, quote } = yield* scene.quote()
      // The scripted rehearsal delivers the minimum.
      assert.deepStrictEqual([quote.provider, quote.minAmountOut, quote.estimatedAmountOut], ["other", 990n, 990n])
      assert.deepStrictEqual([order.swapTarget, order.swapCalldata, order.minAmountOut], [target, "0x77", 990n])
      scene.script.reverting = new Set([Quoting.TARGET, target])
      assert.strictEqual((yield* Effect.flip(scene.quote()))._tag, "QuoteFailed")
    })
  )
})
