/** Pauses of the operator, from the desk to quotes and to the relayer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryOverrides from "../../../src/adapters/memory/orchestrator/Overrides.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { parse } from "../../../src/domain/Pause.ts"
import { PauseDesk } from "../../../src/orchestrator/operate/PauseDesk.ts"
import { KeptOverrides } from "../../../src/runtime/KeptOverrides.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Overrides } from "../../../src/ports/shared/Overrides.ts"
import * as Pauses from "../../../src/orchestrator/shared/Pauses.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const CHANGE = { actor: "admin-token", reason: "drill" }

const named = (name: string) => parse(name) ?? assert.fail(`${name} is no subject`)

const choose = (name: string, state: "paused" | "running" | "default") =>
  Effect.flatMap(PauseDesk, (desk) => desk.change(named(name), state, CHANGE))

const layer = Layer.provideMerge(PauseDesk.layer, layerWith({}))

describe("a pause of the operator", () => {
  it.effect("lets accepted sweeps wait, and they are sent after it", () =>
    Effect.gen(function* () {
      const { alertKinds, intent, sent, submit } = yield* scene
      const told: Array<string> = []
      const { order } = yield* submit({ id: "a" })
      const subjects = [
        "all",
        `chain:${source.id}`,
        `chain:${order.destChainId}`,
        `token:${source.id}:${order.tokenIn}`
      ]
      for (const subject of subjects) {
        yield* choose(subject, "paused")
        assert.strictEqual((yield* relay).sent, 0, subject)
        assert.strictEqual((yield* intent("a")).status, "submitted")
        told.push(...(yield* alertKinds))
        yield* choose(subject, "default")
        yield* TestClock.adjust("3 seconds")
      }
      assert.lengthOf(yield* sent, 0)
      assert.include(told, "relayer_paused")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends a pause of the settings until it is dropped, and every change is recorded once", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      const { list } = yield* PauseDesk
      const subject = `chain:${source.id}`
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* list, [
        { subject: named(subject), state: "paused", configured: "paused", chosen: null }
      ])
      for (const _ of [1, 2]) yield* choose(subject, "running")
      const [view] = yield* list
      assert.deepInclude(view, { state: "running", configured: "paused" })
      assert.deepInclude(view?.chosen, { state: "running", ...CHANGE })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.strictEqual((yield* choose(subject, "default")).state, "paused")
      assert.strictEqual((yield* Effect.flip(choose("chain:99", "paused")))._tag, "UnsupportedChain")
      assert.deepStrictEqual(
        (yield* Effect.flatMap(LaneBook, (book) => book.log(9))).map(({ action, subject }) => [action, subject]),
        [
          ["pause.default", subject],
          ["pause.running", subject]
        ]
      )
    }).pipe(Effect.provide(Layer.provideMerge(PauseDesk.layer, layerWith({ pausedChains: [source.id] }))))
  )

  it.effect("of the native currency is one in both forms, whichever form is named or was stored before", () =>
    Effect.gen(function* () {
      const { list } = yield* PauseDesk
      const overrides = yield* Overrides
      const { refresh } = yield* KeptOverrides
      const { of } = yield* Pauses.make
      const forms = [NATIVE, source.wrappedNative]
      const nameOf = (token: string) => `token:${source.id}:${token}`
      const wrapped = named(nameOf(source.wrappedNative))
      const store = (token: string, value: "paused" | "running") =>
        Effect.andThen(
          overrides.set(
            { name: `pause:${nameOf(token)}`, value, reason: "" },
            { actor: "an earlier release", action: `pause.${value}`, subject: nameOf(token), details: {} }
          ),
          refresh
        )
      const isPaused = Effect.map(
        Effect.forEach(forms, (tokenIn) =>
          of({ sourceChainId: source.id, destChainId: source.id, tokenIn, tokenOut: address(0x31) })
        ),
        (all) => all.every((subject) => subject !== undefined)
      )
      for (const stored of forms) {
        for (const named of forms) {
          for (const state of ["running", "default"] as const) {
            yield* store(stored, "paused")
            assert.deepInclude((yield* list)[0], { subject: wrapped, state: "paused" })
            assert.isTrue(yield* isPaused)
            assert.deepInclude(yield* choose(nameOf(named), state), { subject: wrapped, state: "running" })
            assert.isFalse(yield* isPaused, `${stored} ${named} ${state}`)
            yield* choose(nameOf(named), "default")
            assert.deepStrictEqual(yield* list, [])
          }
          yield* choose(nameOf(stored), "paused")
          yield* choose(nameOf(named), "paused")
          assert.lengthOf(yield* list, 1)
          yield* choose(nameOf(named), "default")
          assert.isFalse(yield* isPaused)
        }
      }
      // The form that is paused holds.
      for (const paused of forms) {
        for (const form of forms) yield* store(form, form === paused ? "paused" : "running")
        const [view, ...others] = yield* list
        assert.deepInclude(view, { subject: wrapped, state: "paused" })
        assert.strictEqual(view?.chosen?.state, "paused")
        assert.lengthOf(others, 0)
        assert.isTrue(yield* isPaused)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses quotes of what is paused, and of nothing else", () =>
    Effect.gen(function* () {
      const cases = [
        ["all", {}, "chain_paused"],
        [`chain:${Quoting.source.id}`, {}, "chain_paused"],
        [`chain:${Quoting.destination.id}`, Quoting.crossChain, "chain_paused"],
        [`token:${Quoting.source.id}:${Quoting.TOKEN}`, {}, "paused"],
        [`token:${Quoting.source.id}:${Quoting.STABLE}`, {}, "paused"],
        [`token:${Quoting.source.id}:${Quoting.source.wrappedNative}`, { tokenIn: NATIVE }, "paused"],
        [`token:${Quoting.source.id}:${NATIVE}`, { tokenIn: NATIVE }, "paused"],
        ["builder:bld_test", { apiKey: Quoting.KEY }, "paused"],
        ["builder:bld_test", {}, undefined],
        [`token:${Quoting.destination.id}:${Quoting.TOKEN}`, {}, undefined],
        [`chain:${Quoting.destination.id}`, {}, undefined]
      ] as const
      for (const [subject, request, reason] of cases) {
        const { pause, quote } = yield* Quoting.make()
        yield* pause(subject)
        const answer = yield* Effect.result(quote(request))
        const refusal = answer._tag === "Failure" ? answer.failure : undefined
        assert.strictEqual(refusal?._tag === "QuoteFailed" ? refusal.reason : undefined, reason, subject)
      }
    }).pipe(Effect.scoped)
  )
})

describe("replicas", () => {
  it.effect("follow a change within two seconds, also without its notice", () =>
    Effect.gen(function* () {
      const overrides = yield* Overrides
      const { current } = yield* KeptOverrides
      const record = { actor: "other", action: "pause.paused", subject: "all", details: {} }
      yield* overrides.set({ name: "pause:all", value: "paused", reason: "" }, record)
      assert.lengthOf(yield* current, 0)
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(yield* current, 1)
    }).pipe(
      Effect.provide(
        KeptOverrides.layer.pipe(
          Layer.provideMerge(
            Layer.effect(
              Overrides,
              Effect.map(Overrides, (own) => ({ ...own, changes: Stream.never }))
            ).pipe(Layer.provide(MemoryOverrides.layer))
          )
        )
      )
    )
  )
})
