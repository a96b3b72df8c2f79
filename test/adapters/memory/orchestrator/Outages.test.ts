import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Ref } from "effect"
import * as MemoryBalances from "../../../../src/adapters/memory/orchestrator/Balances.ts"
import * as MemoryBuilderAttribution from "../../../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as MemoryPrices from "../../../../src/adapters/memory/orchestrator/Prices.ts"
import * as MemoryScreening from "../../../../src/adapters/memory/shared/Screening.ts"
import * as MemoryTokenRisk from "../../../../src/adapters/memory/orchestrator/TokenRisk.ts"
import { Balances } from "../../../../src/ports/orchestrator/Balances.ts"
import { BuilderAttribution } from "../../../../src/ports/orchestrator/BuilderAttribution.ts"
import { Prices } from "../../../../src/ports/orchestrator/Prices.ts"
import { Screening } from "../../../../src/ports/shared/Screening.ts"
import { TokenRisk } from "../../../../src/ports/orchestrator/TokenRisk.ts"
import * as FakeChain from "../../../support/FakeChain.ts"

const account = FakeChain.address(1)
const token = { chainId: 1, address: account, tier: "tier2", symbol: "A", decimals: 6 } as const

const memory = Layer.mergeAll(
  MemoryScreening.layer(),
  MemoryTokenRisk.layer({ tokens: [token] }),
  MemoryPrices.layer(),
  MemoryBalances.layer(),
  MemoryBuilderAttribution.layer()
)

/** One question to each adapter, by the tag of what it answers with. */
const answers = Effect.gen(function* () {
  const tag = <A, R>(asked: Effect.Effect<A, { readonly _tag: string }, R>) =>
    Effect.match(asked, { onFailure: (error) => error._tag, onSuccess: () => "answered" })
  return [
    yield* tag(Screening.use((screening) => screening.clear(1, [account]))),
    yield* tag(TokenRisk.use((risk) => risk.screenInput({ chainId: 1, token: account, owner: account, amount: 1n }))),
    yield* tag(Prices.use((prices) => prices.usd(1, [token]))),
    yield* tag(Balances.use((balances) => balances.on(1, account))),
    yield* tag(BuilderAttribution.use((builders) => builders.resolve(Redacted.make("key"))))
  ]
})

/** Turns every adapter off or on. */
const setAvailable = Effect.fnUntraced(function* (available: boolean) {
  yield* Ref.update(yield* MemoryScreening.ScreeningState, (state) => ({ ...state, available }))
  yield* Ref.update(yield* MemoryTokenRisk.TokenRiskState, (state) => ({ ...state, available }))
  yield* Ref.update(yield* MemoryPrices.PricesState, (state) => ({ ...state, available }))
  yield* Ref.update(yield* MemoryBalances.BalancesState, (state) => ({ ...state, available }))
  yield* Ref.update(yield* MemoryBuilderAttribution.BuilderAttributionState, (state) => ({ ...state, available }))
})

describe("memory adapters", () => {
  it.effect("fail as their port does while they are turned off, and answer again afterwards", () =>
    Effect.gen(function* () {
      const fine = Array.from({ length: 5 }, () => "answered")
      assert.deepStrictEqual(yield* answers, fine)
      yield* setAvailable(false)
      assert.deepStrictEqual(yield* answers, [
        "ScreeningBlocked",
        "ChainUnavailable",
        "PricesUnavailable",
        "BalancesUnavailable",
        "AttributionUnavailable"
      ])
      yield* setAvailable(true)
      assert.deepStrictEqual(yield* answers, fine)
    }).pipe(Effect.provide(memory))
  )

  it.effect("share one state in a layer, so that a test's changes reach what it tests", () =>
    Effect.gen(function* () {
      const state = yield* MemoryScreening.ScreeningState
      yield* Ref.update(state, (before) => ({ ...before, listed: new Set([account]) }))
      const blocked = yield* Effect.flip(Screening.use((screening) => screening.clear(1, [account])))
      assert.strictEqual(blocked.cause, "listed")
    }).pipe(Effect.provide(memory))
  )
})
