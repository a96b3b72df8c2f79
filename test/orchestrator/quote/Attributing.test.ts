import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as BuilderAttribution from "../../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as Address from "../../../src/domain/Address.ts"
import * as Attributing from "../../../src/orchestrator/quote/Attributing.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import * as FakeChain from "../../support/FakeChain.ts"
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

  it.effect("with an unknown key leave the quote unattributed", () =>
    unattributed((scene) => Ref.set(scene.attributions, { builders: new Map(), available: true }))
  )

  it.effect("whose backend does not answer leave it unattributed", () =>
    unattributed((scene) => Ref.update(scene.attributions, (state) => ({ ...state, available: false })))
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
