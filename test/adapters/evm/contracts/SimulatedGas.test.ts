/** Gas of simulated orders, beside the receipts of the same sweeps, on both nodes of the local network. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Case, label } from "../../../../bench/gas-estimates/Cases.ts"
import { BOUNDS, failed, measure, outside } from "../../../../bench/gas-estimates/Measure.ts"
import { TestNetwork } from "../../../support/Network.ts"

const plain: Case = {
  kind: "swap",
  tokenIn: "DAI",
  tokenOut: "USDC",
  amount: 50n * 10n ** 18n,
  rest: 0n,
  history: "none",
  nonce: 0n,
  builder: "none",
  destination: "new"
}

/** Each kind of sweep, and each thing that costs or refunds gas of its own. */
const NAMED: ReadonlyArray<Case> = [
  plain,
  { ...plain, rest: 50n * 10n ** 18n },
  { ...plain, history: "transactions" },
  { ...plain, history: "delegated", nonce: 1n },
  { ...plain, history: "delegated elsewhere" },
  { ...plain, tokenIn: "USDT", amount: 50n * 10n ** 6n },
  { ...plain, builder: "new" },
  { ...plain, tokenOut: "ETH" },
  { ...plain, tokenIn: "ETH", amount: 5n * 10n ** 16n, rest: 10n ** 16n },
  { ...plain, tokenIn: "WETH", tokenOut: "ETH", amount: 10n ** 17n },
  { ...plain, tokenIn: "USDT", tokenOut: "DAI", amount: 50n * 10n ** 6n },
  { ...plain, kind: "bridge", tokenOut: "DAI" },
  { ...plain, kind: "bridge", tokenOut: "DAI", history: "delegated", nonce: 1n },
  { ...plain, kind: "bridge", tokenIn: "ETH", tokenOut: "ETH", amount: 10n ** 17n },
  { ...plain, kind: "swap, then bridge" },
  { ...plain, kind: "swap, then bridge", tokenIn: "ETH", tokenOut: "WBTC", amount: 10n ** 18n }
]

/** Random sweeps in addition. `./sweep bench gas-estimates` measures hundreds. */
const RANDOM = { count: 16, batches: 2, seed: "gate" }

describe.each(["anvil", "edr"] as const)("simulated gas on %s", (program) => {
  it.live(`is between that of the receipt and ${BOUNDS.to} % more, and a batch costs no more than its sweeps`, () =>
    Effect.gen(function* () {
      const { batches, singles } = yield* measure(yield* TestNetwork, { ...RANDOM, program, named: NAMED })
      assert.lengthOf(singles, NAMED.length + RANDOM.count)
      assert.deepStrictEqual(
        singles.filter(outside).map((single) => `${single.percent.toFixed(2)} %: ${label(single.case)}`),
        []
      )
      assert.lengthOf(batches, RANDOM.batches)
      assert.deepStrictEqual(batches.filter(failed), [])
    }).pipe(Effect.provide(Layer.fresh(TestNetwork.layer({ node: program, filler: false }))))
  )
})
