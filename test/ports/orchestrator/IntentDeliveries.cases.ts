/** Deliveries of intents: the part of the suite of {@link Intents} about looks at other chains. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { hash, submitted } from "../../support/IntentFixtures.ts"

export const deliveryCases = (stores: Layer.Layer<Intents, unknown>) => {
  it.effect("lists settled cross-chain intents whose look is due, longest due first", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const [index, id] of ["c", "b", "a", "same-chain"].entries()) {
        yield* submitted({ id, owner: index + 1, destChainId: id === "same-chain" ? 1 : 2 })
        yield* TestClock.adjust("10 millis")
        yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
      }
      yield* submitted({ id: "unsettled", owner: 9, destChainId: 2 })
      yield* submitted({ id: "elsewhere", owner: 10, destChainId: 3 })
      yield* intents.apply("elsewhere", [{ _tag: "SettledAtSource", txHash: hash("elsewhere") }])
      const due = (limit = 10, chainId = 1, destChainId = 2) =>
        Effect.map(intents.deliveriesDue(chainId, destChainId, limit), (all) =>
          all.map(({ intent, looks }) => [intent.id, looks])
        )
      expect(yield* due()).toEqual([
        ["c", 0],
        ["b", 0],
        ["a", 0]
      ])
      expect(yield* due(2)).toEqual([
        ["c", 0],
        ["b", 0]
      ])
      expect(yield* due(10, 2)).toEqual([])
      expect(yield* due(10, 1, 3)).toEqual([["elsewhere", 0]])
      yield* intents.postponeDeliveries([])
      yield* intents.apply("a", [{ _tag: "Delivered", txHash: hash("fill") }])
      yield* intents.postponeDeliveries([
        { id: "c", lookAtMs: 1_000 },
        { id: "b", lookAtMs: 500 },
        { id: "a", lookAtMs: 0 }
      ])
      expect(yield* due()).toEqual([])
      yield* TestClock.setTime(999)
      expect(yield* due()).toEqual([["b", 1]])
      yield* TestClock.setTime(1_000)
      expect(yield* due()).toEqual([
        ["b", 1],
        ["c", 1]
      ])
    }).pipe(Effect.provide(stores))
  )

  it.effect("lists deliveries without a transaction for a week, until their transaction is found", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const [index, id] of ["seen", "unseen", "other", "settled"].entries()) {
        yield* submitted({ id, owner: index + 1, destChainId: id === "other" ? 3 : 2 })
        yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
      }
      yield* intents.apply("seen", [{ _tag: "Delivered", txHash: hash("fill"), amountOut: 5n }])
      const delivered = yield* intents.apply("unseen", [{ _tag: "Delivered" }])
      expect(delivered.status).toBe("delivered")
      expect("deliveryTxHash" in delivered).toBe(false)
      yield* intents.apply("other", [{ _tag: "Delivered" }])
      const due = Effect.map(intents.fillsDue(1, 2, 10), (all) => all.map(({ intent, looks }) => [intent.id, looks]))
      expect(yield* due).toEqual([["unseen", 0]])
      expect(yield* intents.fillsDue(1, 2, 0)).toEqual([])
      yield* intents.postponeDeliveries([{ id: "unseen", lookAtMs: 60_000 }])
      expect(yield* due).toEqual([])
      yield* TestClock.setTime(60_000)
      expect(yield* due).toEqual([["unseen", 1]])
      yield* TestClock.setTime(7 * 86_400_000)
      expect(yield* due).toEqual([])
      yield* TestClock.setTime(7 * 86_400_000 - 1)
      expect(yield* due).toEqual([["unseen", 1]])

      yield* intents.noteFill("unseen", hash("late fill"), 2n ** 200n)
      yield* intents.noteFill("seen", hash("late fill"), 7n)
      yield* intents.noteFill("settled", hash("late fill"), 7n)
      const fills = Effect.forEach(["unseen", "seen", "settled"], (id) =>
        Effect.map(intents.find(id), (found) => {
          const { amountOut, deliveryTxHash } = Option.getOrThrow(found)
          return [deliveryTxHash, amountOut]
        })
      )
      expect(yield* fills).toEqual([
        [hash("late fill"), 2n ** 200n],
        [hash("fill"), 5n],
        [undefined, undefined]
      ])
      expect(yield* due).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
