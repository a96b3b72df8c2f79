import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as BuilderAttribution from "../../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as Address from "../../../src/domain/Address.ts"
import * as Attributing from "../../../src/orchestrator/quote/Attributing.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { isolated, series } from "../../support/Metrics.ts"
import * as Quoting from "../../support/Quoting.ts"
import { urgentOnly } from "../../support/UrgentScreening.ts"

const { WHOLE, source } = Quoting

describe("builders", () => {
  it.effect("get their markup at their own address, in the sweep itself, unless told otherwise", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order, quote } = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(order.builder, Quoting.PAYOUT)
      assert.strictEqual(order.builderFee, (100n * WHOLE * 30n) / 10_000n)
      assert.strictEqual(quote.builderId, "bld_test")
      assert.strictEqual(quote.total, order.feeAmount + order.builderFee)
      assert.deepStrictEqual(scene.asked.created[0]?.attributed, { builderId: "bld_test", payoutMode: "onchain" })
    })
  )

  it.effect("of the ledger are paid by way of the operator's vault", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.attributes({ payoutMode: "ledger" })
      const { order } = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(order.builder, source.builderVault)
      assert.deepStrictEqual(scene.asked.created[0]?.attributed, { builderId: "bld_test", payoutMode: "ledger" })
    })
  )

  it.effect(
    "with a contract wallet of another chain are paid by way of the vault, since the address may be a stranger's",
    () =>
      Effect.gen(function* () {
        const scene = yield* Quoting.make()
        yield* scene.attributes({ payoutMode: "onchain", walletChainId: Quoting.crossChain.destChainId })
        const { order, quote } = yield* scene.quote({ apiKey: Quoting.KEY })
        assert.strictEqual(order.builder, source.builderVault)
        assert.strictEqual(order.builderFee, (100n * WHOLE * 30n) / 10_000n)
        assert.strictEqual(quote.builderId, "bld_test")
        assert.deepStrictEqual(scene.asked.created[0]?.attributed, { builderId: "bld_test", payoutMode: "ledger" })
        yield* scene.attributes({ payoutMode: "onchain", walletChainId: source.id })
        assert.strictEqual((yield* scene.quote({ apiKey: Quoting.KEY })).order.builder, Quoting.PAYOUT)
      })
  )

  it.effect("never take more than their cap", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.attributes({ builderBps: 5_000, maxBuilderBps: 50 })
      const { order } = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(order.builderFee, (100n * WHOLE * 50n) / 10_000n)
      yield* scene.attributes({ builderBps: 30, maxBuilderBps: 0 })
      const free = yield* scene.quote({ apiKey: Quoting.KEY })
      assert.strictEqual(free.order.builderFee, 0n)
      assert.strictEqual(free.quote.builderId, "bld_test")
    })
  )

  const unattributed = Effect.fnUntraced(function* (
    trouble: (scene: Effect.Success<ReturnType<typeof Quoting.make>>) => Effect.Effect<unknown>
  ) {
    const scene = yield* Quoting.make()
    yield* trouble(scene)
    const { order, quote } = yield* scene.quote({ apiKey: Quoting.KEY })
    assert.strictEqual(order.builder, Address.zero)
    assert.strictEqual(order.builderFee, 0n)
    assert.notProperty(quote, "builderId")
    assert.notProperty(scene.asked.created[0], "attributed")
  })

  const counted = series("sweep_quotes_unattributed_total")

  it.effect("with an unknown key leave the quote unattributed", () =>
    Effect.gen(function* () {
      yield* unattributed((scene) => Ref.set(scene.attributions, { builders: new Map(), available: true }))
      assert.deepStrictEqual(yield* counted, [])
    }).pipe(isolated)
  )

  it.effect.each<readonly [string, string]>([
    ["empty", ""],
    ["of two lines", "swp_1\nx-admin: 1"],
    ["beyond ASCII", "swp_\u00e9\u2603"],
    ["of 20,000 characters", "a".repeat(20_000)]
  ])("with a key %s leave the quote unattributed, and the backend is not asked", ([, apiKey]) =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* Ref.update(scene.attributions, (state) => ({ ...state, available: false }))
      const { order, quote } = yield* scene.quote({ apiKey })
      assert.strictEqual(order.builderFee, 0n)
      assert.notProperty(quote, "builderId")
      assert.deepStrictEqual(yield* counted, [])
    }).pipe(isolated)
  )

  it.effect("are found by a key with white space around it", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      assert.strictEqual((yield* scene.quote({ apiKey: `${Quoting.KEY}\n` })).quote.builderId, "bld_test")
    })
  )

  it.effect("whose backend does not answer leave it unattributed, and are counted", () =>
    Effect.gen(function* () {
      yield* unattributed((scene) => Ref.update(scene.attributions, (state) => ({ ...state, available: false })))
      assert.deepStrictEqual(yield* counted, ['sweep_quotes_unattributed_total{cause="unavailable"} 1'])
    }).pipe(isolated)
  )

  it.effect("are attributed while screening has no requests left for quotes", () =>
    Effect.gen(function* () {
      const attribute = yield* Attributing.make
      const found = yield* Priority.at("quote")(attribute(FakeChain.client({}), Quoting.KEY))
      assert.strictEqual(found?.address, Quoting.PAYOUT)
    }).pipe(
      Effect.provide(
        Layer.merge(urgentOnly, BuilderAttribution.layer({ builders: new Map([[Quoting.KEY, Quoting.attribution]]) }))
      )
    )
  )

  it.effect("whose payout address is sanctioned leave it unattributed", () =>
    unattributed((scene) =>
      Effect.sync(() => {
        scene.script.listed = new Set([Quoting.PAYOUT])
      })
    )
  )
})
