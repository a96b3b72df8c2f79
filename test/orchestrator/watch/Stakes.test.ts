/** Settlement waits for as many blocks as the value of the sweeps needs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { PricesState } from "../../../src/adapters/memory/orchestrator/Prices.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { DEADLINE, destination, START, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

/** Three blocks are enough for up to 1,000 dollars. */
const byValue = (client: ChainClient): ChainClient => ({
  ...client,
  chain: { ...client.chain, confirmationsByValue: [{ aboveUsd: 1_000, confirmations: 5 }] }
})

const USDC = address(0xd1)
const DOLLAR = 1_000_000n

/** Sends sweeps that deliver at least so many USDC each, mines them, and returns how many blocks each status took. */
const settledAfter = Effect.fnUntraced(function* (minimums: ReadonlyArray<bigint>, tokenOut = USDC) {
  const the = yield* scene
  const intents = yield* Effect.forEach(minimums, (minAmountOut, index) =>
    the.submit({ id: `s${index}`, owner: index + 1, order: { tokenOut, minAmountOut } })
  )
  yield* relay
  const [attempt] = (yield* the.pending).attempts
  yield* the.mineLane({
    hash: attempt?.hash ?? "0x",
    logs: intents.map((intent) => sweptLog(intent, { amountOut: intent.order.minAmountOut }))
  })
  for (let blocks = 1; ; blocks++) {
    yield* tick
    if ((yield* the.intent("s0")).status === "delivered") return blocks
    if (blocks > 10) return yield* Effect.die("never settled")
    yield* the.bury(1)
  }
})

describe("a transaction", () => {
  it.effect.each([
    { name: "worth little", minimums: [1_000n * DOLLAR], blocks: 3 },
    { name: "worth more", minimums: [1_000n * DOLLAR + 1n], blocks: 5 },
    { name: "whose sweeps are worth more together", minimums: [600n * DOLLAR, 600n * DOLLAR], blocks: 5 }
  ])("$name settles after $blocks blocks", ({ blocks, minimums }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* settledAfter(minimums), blocks)
    }).pipe(Effect.provide(layerOnNodes(byValue)))
  )

  it.effect.each([
    { value: 1_000n * DOLLAR, blocks: 3 },
    { value: 1_000n * DOLLAR + 1n, blocks: 5 }
  ])("of a stranger that settles a sweep of $value units counts after $blocks blocks", ({ blocks, value }) =>
    Effect.gen(function* () {
      const the = yield* scene
      const intent = yield* the.submit({ id: "a", order: { tokenOut: USDC, minAmountOut: value } })
      yield* the.chain.mine([{ hash: hash("stranger"), logs: [sweptLog(intent, { amountOut: value })] }])
      the.state.spentNonces.add(intent.order.nonce)
      // The watcher looks at a sweep that nobody sends once a confirmed block is after its deadline.
      yield* the.chain.mine([], DEADLINE - START + 1n)
      let depth = 2
      for (; depth < 10 && (yield* the.intent("a")).status !== "delivered"; depth++) {
        yield* the.chain.mine()
        yield* tick
      }
      // Two blocks after the deadline's are confirmed with it, so the depth is at least 4.
      assert.strictEqual(depth, Math.max(blocks, 4))
    }).pipe(Effect.provide(layerOnNodes(byValue)))
  )

  it.effect.each([
    { value: 1_000n * DOLLAR, blocks: 3 },
    { value: 1_000n * DOLLAR + 1n, blocks: 5 }
  ])("whose sweep delivers $value units on another chain settles after $blocks blocks", ({ blocks, value }) =>
    Effect.gen(function* () {
      const the = yield* sentSweep({
        // The order itself guarantees nothing on another chain. The quote does.
        order: { tokenOut: USDC, minAmountOut: 0n, destChainId: BigInt(destination.id) },
        quote: { minAmountOut: value }
      })
      yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
      let depth = 1
      for (; depth < 10; depth++) {
        yield* tick
        if ((yield* the.status) === "settled_source") break
        yield* the.bury(1)
      }
      assert.strictEqual(depth, blocks)
    }).pipe(Effect.provide(layerOnNodes(byValue)))
  )

  it.effect("of unknown value waits the longest", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* settledAfter([1n], address(0x77)), 5)
    }).pipe(Effect.provide(layerOnNodes(byValue)))
  )

  it.effect("waits the longest while there are no prices", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(PricesState, (state) => Ref.update(state, (prices) => ({ ...prices, available: false })))
      assert.strictEqual(yield* settledAfter([1n]), 5)
    }).pipe(Effect.provide(layerOnNodes(byValue)))
  )

  it.effect("on a chain without rules waits for its confirmations", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* settledAfter([10n ** 18n]), 3)
    }).pipe(Effect.provide(layer))
  )
})
