/** Limits of the operator, from the desk to the relayer and back to the settings. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { LimitName } from "../../../src/domain/Limit.ts"
import { LimitDesk } from "../../../src/orchestrator/operate/LimitDesk.ts"
import { KeptOverrides } from "../../../src/runtime/KeptOverrides.ts"
import * as Limits from "../../../src/orchestrator/shared/Limits.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Overrides } from "../../../src/ports/shared/Overrides.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { overrides } from "../../support/Overrides.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const CHANGE = { actor: "admin-token", reason: "gas spikes" }

const choose = (limit: LimitName, wei: bigint | null, chainId = source.id) =>
  Effect.flatMap(LimitDesk, (desk) => desk.change({ chainId, limit }, wei, CHANGE))

/** One store of overrides for the desk and for the relayer. */
const layer = LimitDesk.layer.pipe(
  Layer.provideMerge(layerWith({})),
  Layer.provideMerge(Limits.layer),
  Layer.provideMerge(overrides)
)

describe("a limit of the operator", () => {
  it.effect("stops sending at once, and the setting holds again when it is cleared", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a" })
      const set = yield* choose("dailySpendCapWei", 0n)
      assert.deepInclude(set, { wei: 0n, configured: null })
      assert.deepInclude(set.chosen, { wei: 0n, ...CHANGE })
      assert.strictEqual((yield* relay).sent, 0)
      const kinds = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))
      assert.deepStrictEqual(yield* kinds, ["spend_cap"])
      const cleared = yield* choose("dailySpendCapWei", null)
      assert.deepInclude(cleared, { wei: null, configured: null, chosen: null })
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(yield* kinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is listed beside its setting, and recorded once", () =>
    Effect.gen(function* () {
      const { list } = yield* LimitDesk
      const before = yield* list
      assert.isTrue(before.every(({ chosen, configured, wei }) => chosen === null && wei === configured))
      for (const _ of [1, 2]) yield* choose("unlistedLossBudgetWei", 5n)
      yield* choose("maxFeePerGasWei", 9n)
      const changed = (yield* list).filter(({ chosen }) => chosen !== null)
      assert.deepStrictEqual(
        changed.map(({ subject, wei }) => [subject.chainId, subject.limit, wei]),
        [
          [source.id, "unlistedLossBudgetWei", 5n],
          [source.id, "maxFeePerGasWei", 9n]
        ]
      )
      assert.strictEqual((yield* Effect.flip(choose("maxFeePerGasWei", 1n, 99)))._tag, "UnsupportedChain")
      yield* choose("unlistedLossBudgetWei", null)
      assert.deepStrictEqual(
        (yield* Effect.flatMap(LaneBook, (book) => book.log(9))).map(({ action, details, subject }) => [
          action,
          subject,
          details["wei"]
        ]),
        [
          ["limit.cleared", `${source.id}:unlistedLossBudgetWei`, undefined],
          ["limit.set", `${source.id}:maxFeePerGasWei`, "9"],
          ["limit.set", `${source.id}:unlistedLossBudgetWei`, "5"]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a chain that is no longer served is listed, and can be cleared", () =>
    Effect.gen(function* () {
      const { all, set } = yield* Overrides
      const { list } = yield* LimitDesk
      const record = { actor: "admin-token", action: "limit.set", subject: "99:maxFeePerGasWei", details: {} }
      yield* set({ name: "limit:99:maxFeePerGasWei", value: "7", reason: "left behind" }, record)
      const former = Effect.map(list, (limits) => limits.filter(({ subject }) => subject.chainId === 99))
      const [found, ...others] = yield* former
      assert.deepInclude(found, { wei: 7n, configured: null, subject: { chainId: 99, limit: "maxFeePerGasWei" } })
      assert.deepInclude(found?.chosen, { actor: "admin-token", reason: "left behind" })
      assert.deepStrictEqual(others, [])
      assert.strictEqual((yield* Effect.flip(choose("maxFeePerGasWei", 1n, 99)))._tag, "UnsupportedChain")
      assert.deepInclude(yield* choose("maxFeePerGasWei", null, 99), { wei: null, chosen: null })
      assert.deepStrictEqual(yield* former, [])
      assert.deepStrictEqual(yield* all, [])
      assert.strictEqual((yield* Effect.flip(choose("maxFeePerGasWei", null, 99)))._tag, "UnsupportedChain")
    }).pipe(Effect.provide(layer))
  )

  it.effect("that a later release wrote is ignored", () =>
    Effect.gen(function* () {
      const { set } = yield* Overrides
      const record = { actor: "a", action: "limit.set", subject: "x", details: {} }
      for (const [name, value] of [
        [`limit:${source.id}:unknownWei`, "1"],
        [`limit:${source.id}:lossBudgetWei`, "a lot"]
      ] as const) {
        yield* set({ name, value, reason: "" }, record)
      }
      yield* Effect.flatMap(KeptOverrides, ({ refresh }) => refresh)
      assert.isTrue((yield* (yield* LimitDesk).list).every(({ chosen }) => chosen === null))
    }).pipe(Effect.provide(layer))
  )
})
