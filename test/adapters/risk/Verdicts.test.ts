import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { ProviderUnavailable } from "../../../src/adapters/providers/ProviderUnavailable.ts"
import type { RiskService } from "../../../src/adapters/risk/RiskService.ts"
import * as Verdicts from "../../../src/adapters/risk/Verdicts.ts"
import type { Danger, Trial } from "../../../src/domain/TokenVerdict.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { address, chain, layer as fakeChain } from "../../support/FakeChain.ts"
import { isolated, series } from "../../support/Metrics.ts"

const TOKEN = address(0x71)
const environment = Layer.mergeAll(fakeChain({}), Logger.layer([]))

/** A service whose statement a test changes, and which counts its questions. */
const service = (name: string, initial: Danger | "fails" | "hangs") => {
  const state = { danger: initial, asked: 0 }
  const ask: RiskService["ask"] = () =>
    Effect.suspend(() => {
      state.asked += 1
      const { danger } = state
      if (danger === "hangs") return Effect.never
      if (danger === "fails") {
        return Effect.fail(new ProviderUnavailable({ provider: name, detail: "HTTP 500", reason: "failed" }))
      }
      return Effect.succeed({ source: name, danger, reasons: danger === "trap" ? ["is_honeypot"] : [] })
    })
  return { state, service: { name, ask } satisfies RiskService }
}

const judging = (options: Partial<Verdicts.Options>) =>
  Effect.map(
    Verdicts.make({ rules: [], services: [], ...options }),
    ({ judge }) =>
      (token = TOKEN) =>
        judge({ chainId: chain.id, token }).pipe(
          Effect.map((tierOf) => tierOf("tier2")),
          Effect.catchTag("TokenDeclined", ({ reason }) => Effect.succeed(reason))
        )
  )

describe("Verdicts", () => {
  it.effect("leave the tier of the list where nothing is asked", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* (yield* judging({}))(), "tier2")
    }).pipe(Effect.provide(environment))
  )

  it.effect("follow the operator's rules, whatever services say", () =>
    Effect.gen(function* () {
      const [a, b] = [service("a", "trap"), service("b", "trap")]
      const rule = { chainId: chain.id, token: TOKEN }
      const services = [a.service, b.service]
      assert.strictEqual(yield* (yield* judging({ services, rules: [{ ...rule, use: "deny" }] }))(), "denied")
      assert.strictEqual(yield* (yield* judging({ services, rules: [{ ...rule, use: "allow" }] }))(), "tier2")
      assert.strictEqual(
        yield* (yield* judging({ services, rules: [{ ...rule, use: "allow", tier: "tier1" }] }))(),
        "tier1"
      )
      assert.deepStrictEqual([a.state.asked, b.state.asked], [0, 0])
      assert.strictEqual(
        yield* (yield* judging({ services, rules: [{ ...rule, chainId: chain.id + 1, use: "allow" }] }))(),
        "risky"
      )
    }).pipe(Effect.provide(environment))
  )

  it.effect("do not ask about the native currency, its wrapped form and the stables", () =>
    Effect.gen(function* () {
      const { service: asked, state } = service("a", "trap")
      const judge = yield* judging({ services: [asked] })
      for (const token of [NATIVE, chain.wrappedNative, ...chain.stables]) {
        assert.strictEqual(yield* judge(token), "tier2")
      }
      assert.strictEqual(state.asked, 0)
    }).pipe(Effect.provide(environment))
  )

  it.effect("count no longer than the oldest opinion that another replica has asked for", () =>
    Effect.gen(function* () {
      const { service: fresh, state } = service("a", "none")
      const old: RiskService = {
        name: "b",
        ask: () => Effect.succeed({ source: "b", danger: "none", reasons: [], remainingMillis: 5_000 })
      }
      const judge = yield* judging({ services: [fresh, old] })
      yield* judge()
      yield* TestClock.adjust("4 seconds")
      yield* judge()
      assert.strictEqual(state.asked, 1)
      yield* TestClock.adjust("2 seconds")
      yield* judge()
      assert.strictEqual(state.asked, 2)
    }).pipe(Effect.provide(environment))
  )

  it.effect("are kept for their lifetime, and for 30 seconds if a source did not answer", () =>
    Effect.gen(function* () {
      const { service: asked, state } = service("a", "trap")
      const judge = yield* judging({ services: [asked], lifetime: "10 minutes" })
      assert.strictEqual(yield* judge(), "tier3")
      state.danger = "fails"
      assert.strictEqual(yield* judge(), "tier3")
      assert.strictEqual(state.asked, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* judge(), "tier2")
      assert.strictEqual(yield* judge(), "tier2")
      assert.strictEqual(state.asked, 2)
      state.danger = "trap"
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* judge(), "tier3")
    }).pipe(Effect.provide(environment))
  )

  it.effect(
    "count for 30 seconds after a trial without an answer, and for their lifetime after one that proved nothing",
    () =>
      Effect.gen(function* () {
        const state = { asked: 0, fails: true }
        const tryOut = () =>
          Effect.suspend((): Effect.Effect<Trial, { readonly message: string }> => {
            state.asked += 1
            return state.fails ? Effect.fail({ message: "HTTP 429" }) : Effect.succeed({ _tag: "Unproven" })
          })
        const judge = yield* judging({ tryOut, lifetime: "10 minutes" })
        assert.strictEqual(yield* judge(), "tier2")
        yield* TestClock.adjust("30 seconds")
        state.fails = false
        assert.strictEqual(yield* judge(), "tier2")
        assert.strictEqual(state.asked, 2)
        yield* TestClock.adjust("9 minutes")
        yield* judge()
        assert.strictEqual(state.asked, 2)
      }).pipe(Effect.provide(environment))
  )

  it.effect("wait 1.5 seconds for a silent source, and count the others", () =>
    Effect.gen(function* () {
      const services = [service("a", "hangs"), service("b", "suspicious")].map((each) => each.service)
      const judge = yield* judging({ services, tryOut: () => Effect.never })
      const judged = yield* Effect.forkChild(judge())
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual(yield* Fiber.join(judged), "tier3")
    }).pipe(Effect.provide(environment))
  )

  it.effect("decline what a trial proves and what two services call a trap, and count the reasons", () =>
    Effect.gen(function* () {
      const trapped: Trial = { _tag: "Trapped", at: "sell" }
      assert.strictEqual(yield* (yield* judging({ tryOut: () => Effect.succeed(trapped) }))(), "risky")
      const services = [service("a", "trap"), service("b", "trap")].map((each) => each.service)
      assert.strictEqual(yield* (yield* judging({ services }))(), "risky")
      const counted = yield* series("sweep_token_verdict_reasons_total")
      assert.include(counted, 'sweep_token_verdict_reasons_total{reason="trial:sell_fails"} 1')
    }).pipe(Effect.provide(environment), isolated)
  )
})
