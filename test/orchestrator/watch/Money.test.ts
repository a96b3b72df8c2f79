/** Earnings and costs are counted at the prices of the settlement, also if no source answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as MoneyBook from "../../../src/adapters/memory/orchestrator/MoneyBook.ts"
import { PricesState } from "../../../src/adapters/memory/orchestrator/Prices.ts"
import { added, NONE } from "../../../src/domain/Money.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { MoneyBook as Port } from "../../../src/ports/orchestrator/MoneyBook.ts"
import { address } from "../../support/FakeChain.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { booked, relay, tick } from "../../support/SentSweep.ts"

const USDC = address(0xd1)

/** One dollar for a unit of USDC, and 2,000 for one of the chain's currency. */
const PRICES = new Map([
  [USDC, 10n ** 18n],
  [NATIVE, 2_000n * 10n ** 18n]
])

/** A batch of two sweeps of which the first settles, for a fee of two dollars. Returns the sums. */
const concluded = Effect.fnUntraced(function* (available: boolean) {
  const the = yield* scene
  yield* Effect.flatMap(PricesState, (state) => Ref.set(state, { prices: new Map([[source.id, PRICES]]), available }))
  const order = { tokenIn: USDC, feeAmount: 2_000_000n, amountIn: 100_000_000n }
  const intent = yield* the.submit({ id: "a", owner: 1, order })
  yield* the.submit({ id: "b", owner: 2, order })
  yield* relay
  const [attempt] = (yield* the.pending).attempts
  yield* the.mineLane({ hash: attempt?.hash ?? "0x", logs: [sweptLog(intent)] })
  yield* the.bury(source.confirmations)
  yield* tick
  return (yield* (yield* Port).since(0)).chains.reduce(added, NONE)
})

/** Dollars that accruals are booked with. */
const accrued = Effect.map(booked, (messages) =>
  messages.flatMap((message) => (message._tag === "Accrual" ? [message.accrual.usd] : []))
)

describe("a concluded transaction", () => {
  const world = Layer.merge(layer, MoneyBook.layer)

  it.effect("is counted in dollars: fees, gas of what settled, and gas of what did not", () =>
    Effect.gen(function* () {
      const { failed, failures, fees, gas, sweeps, unpricedSweeps, unpricedWei } = yield* concluded(true)
      assert.deepStrictEqual(
        { failed, fees, sweeps, unpricedSweeps, unpricedWei },
        {
          failed: 1,
          fees: 2n * 10n ** 18n,
          sweeps: 1,
          unpricedSweeps: 0,
          unpricedWei: 0n
        }
      )
      assert.deepStrictEqual(yield* accrued, ["0.0025"])
      // Both have the same gas limit.
      assert.isTrue(gas > 0n && gas - failures <= 2_000n && failures - gas <= 2_000n)
    }).pipe(Effect.provide(world))
  )

  it.effect("settles without prices, and counts what had none", () =>
    Effect.gen(function* () {
      const { fees, gas, sweeps, unpricedSweeps, unpricedWei } = yield* concluded(false)
      assert.deepStrictEqual({ fees, gas, sweeps, unpricedSweeps }, { fees: 0n, gas: 0n, sweeps: 1, unpricedSweeps: 1 })
      assert.isTrue(unpricedWei > 0n)
      assert.deepStrictEqual(yield* accrued, [undefined])
    }).pipe(Effect.provide(world))
  )
})
