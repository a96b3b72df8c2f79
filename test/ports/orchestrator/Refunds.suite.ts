/** Contract of every store of {@link Refunds}, together with the states of intents that show them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { RefundLine } from "../../../src/domain/BridgeRefund.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { type NewRefund, Refunds } from "../../../src/ports/orchestrator/Refunds.ts"
import { address, hash, submitted } from "../../support/IntentFixtures.ts"

const owed = (id: string, change: Partial<NewRefund> = {}): NewRefund => ({
  id,
  chainId: 1,
  account: address(1),
  token: address(0xa),
  amount: 2n ** 200n,
  notBefore: 100,
  ...change
})

const line = (seed: string, change: Partial<RefundLine> = {}): RefundLine => ({
  txHash: hash(seed),
  blockNumber: 10n,
  logIndex: 3,
  entry: 2,
  token: address(0xa),
  account: address(1),
  amount: 2n ** 200n,
  ...change
})

export const suite = (adapter: string, stores: Layer.Layer<Intents | Refunds, unknown>): void => {
  describe(`${adapter} Refunds`, () => {
    it.effect("lists all refunds of the accounts that have one whose look is due, without those that are too old", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const due = (limit = 10, chainId = 1, sinceMs = 0) =>
          Effect.map(refunds.due(chainId, limit, sinceMs), (all) => all.map(({ id }) => id))
        yield* refunds.expect(owed("b", { notBefore: 200 }))
        yield* refunds.expect(owed("a"))
        yield* refunds.expect(owed("a", { amount: 1n, account: address(9) }))
        yield* refunds.expect(owed("c", { account: address(2) }))
        yield* refunds.expect(owed("elsewhere", { chainId: 2 }))
        expect(yield* refunds.due(1, 10, 0)).toEqual(
          [
            ["a", 1, 100],
            ["c", 2, 100],
            ["b", 1, 200]
          ].map(([id, account, notBefore]) => ({
            id,
            account: address(Number(account)),
            token: address(0xa),
            amount: 2n ** 200n,
            notBefore,
            looks: 0
          }))
        )
        expect(yield* due(10, 2)).toEqual(["elsewhere"])
        expect(yield* due(1)).toEqual(["a", "b"])
        expect(yield* due(10, 1, 100_001)).toEqual(["b"])
        yield* refunds.postpone([])
        yield* refunds.postpone([
          { id: "a", searchFrom: 2n ** 40n, lookAtMs: 1_000 },
          { id: "c", searchFrom: 7n, lookAtMs: 1_000 }
        ])
        expect(yield* due()).toEqual(["a", "b"])
        expect((yield* refunds.due(1, 10, 0))[0]).toMatchObject({ searchFrom: 2n ** 40n, looks: 1 })
        yield* refunds.postpone([{ id: "b", searchFrom: 7n, lookAtMs: 2_000 }])
        expect(yield* due()).toEqual([])
        yield* TestClock.setTime(1_000)
        expect(yield* due()).toEqual(["a", "c", "b"])
      }).pipe(Effect.provide(stores))
    )

    it.effect("records a payment once, whole or not at all", () =>
      Effect.gen(function* () {
        const { due, expect: owe, note } = yield* Refunds
        for (const id of ["a", "b", "c", "d"]) yield* owe(owed(id))
        expect(yield* note(1, { line: line("first"), ids: ["a"] })).toBe(true)
        // The same payment, for another deposit of the same amount.
        expect(yield* note(1, { line: line("first"), ids: ["b"] })).toBe(false)
        // Another payment, for a deposit that was returned already.
        expect(yield* note(1, { line: line("second"), ids: ["a"] })).toBe(false)
        expect(yield* note(1, { line: line("second"), ids: ["b", "a"] })).toBe(false)
        expect(yield* note(2, { line: line("second"), ids: ["b"] })).toBe(false)
        expect(yield* note(1, { line: line("second"), ids: ["unknown", "b"] })).toBe(false)
        expect(yield* note(1, { line: line("second"), ids: ["b", "c"] })).toBe(true)
        expect(yield* note(1, { line: line("second"), ids: ["d"] })).toBe(false)
        // Another entry of the same log.
        expect(yield* note(1, { line: line("second", { entry: 4 }), ids: ["d"] })).toBe(true)
        expect(yield* due(1, 10, 0)).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    it.effect("records a payment for one of many that claim it at once", () =>
      Effect.gen(function* () {
        const { expect: owe, note } = yield* Refunds
        const ids = Array.from({ length: 8 }, (_, index) => `id-${index}`)
        yield* Effect.forEach(ids, (id) => owe(owed(id)))
        const claimed = yield* Effect.forEach(ids, (id) => note(1, { line: line("one"), ids: [id] }), {
          concurrency: "unbounded"
        })
        expect(claimed.filter((won) => won)).toHaveLength(1)
      }).pipe(Effect.provide(stores))
    )

    it.effect("shows the token that arrived instead of the wanted one", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { noteInstead } = yield* Refunds
        for (const [index, id] of ["a", "b", "c"].entries()) {
          yield* submitted({ id, owner: index + 1, destChainId: 2 })
          yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
        }
        const arrived = { token: address(0xb), amount: 2n ** 200n }
        yield* noteInstead("a", arrived)
        yield* noteInstead("a", { token: address(0xc), amount: 1n })
        yield* noteInstead("b", arrived)
        const shown = Effect.map(intents.states(["a", "b", "c"]), (all) =>
          all.map(({ arrivedInstead, id }) => [id, arrivedInstead]).toSorted()
        )
        // Until the delivery is proved, nothing arrived.
        expect(yield* shown).toEqual(["a", "b", "c"].map((id) => [id, undefined]))
        yield* intents.apply("a", [{ _tag: "Delivered", txHash: hash("fill") }])
        yield* intents.apply("b", [{ _tag: "Delivered" }])
        yield* intents.noteFill("b", hash("fill"))
        yield* intents.apply("c", [{ _tag: "Delivered", txHash: hash("fill"), amountOut: 3n }])
        expect(yield* shown).toEqual([
          ["a", arrived],
          ["b", arrived],
          ["c", undefined]
        ])
        const [state] = yield* intents.states(["b"])
        expect(state?.deliveryTxHash).toBe(hash("fill"))
        expect(state).not.toHaveProperty("amountOut")
      }).pipe(Effect.provide(stores))
    )

    it.effect("shows the payment in the state of its intent", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const refunds = yield* Refunds
        for (const [index, id] of ["a", "b"].entries()) {
          yield* submitted({ id, owner: index + 1, destChainId: 2 })
          yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
          yield* refunds.expect(owed(id))
          yield* intents.apply(id, [{ _tag: "Failed", reason: "bridge_refunded" }])
        }
        yield* refunds.note(1, { line: line("leaf"), ids: ["a"] })
        const states = new Map((yield* intents.states(["a", "b"])).map((state) => [state.id, state]))
        expect(states.get("a")?.refund).toEqual({ token: address(0xa), amount: 2n ** 200n, txHash: hash("leaf") })
        expect(states.get("b")).toMatchObject({ status: "failed", failureReason: "bridge_refunded" })
        expect(states.get("b")).not.toHaveProperty("refund")
      }).pipe(Effect.provide(stores))
    )
  })
}
