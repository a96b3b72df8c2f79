/** Rules of the protocol fee, and the port that knows the subscribers, as quotes apply them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Claim, Subscriptions } from "../../../src/ports/orchestrator/Subscriptions.ts"
import * as Quoting from "../../support/Quoting.ts"

/** Of 100 tokens at one dollar each. */
const bps = (rate: bigint) => (Quoting.request.amountIn * rate) / 10_000n

const protocolOf = (scene: Effect.Success<ReturnType<typeof Quoting.make>>, changes = {}) =>
  Effect.map(scene.quote(changes), ({ quote }) => quote.feeBreakdown?.protocol.amount)

describe("a quote's protocol fee", () => {
  it.effect("follows the most specific rule", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({
        settings: {
          feeRules: [
            { chainId: Quoting.source.id, protocolBps: 10 },
            { builderId: Quoting.attribution.builderId, protocolBps: 3 },
            { chainId: Quoting.source.id, tokenIn: Quoting.TOKEN, destChainId: 999, protocolBps: 77 }
          ]
        }
      })
      assert.strictEqual(yield* protocolOf(scene), bps(10n))
      assert.strictEqual(yield* protocolOf(scene, { subscriptionActive: true }), bps(5n))
      assert.strictEqual(yield* protocolOf(scene, { apiKey: Quoting.KEY }), bps(3n))
    })
  )

  it.effect("is bounded in dollars", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ settings: { feeRules: [{ maxUsd: Quoting.USD / 10n }] } })
      assert.strictEqual(yield* protocolOf(scene), Quoting.WHOLE / 10n)
    })
  )

  it.effect("is lower for whom the port takes for a subscriber, whatever the request says", () => {
    const claims: Array<Claim> = []
    return Effect.gen(function* () {
      const scene = yield* Quoting.make()
      assert.strictEqual(yield* protocolOf(scene, { userId: "subscriber" }), bps(25n))
      assert.strictEqual(yield* protocolOf(scene, { userId: "other", subscriptionActive: true }), bps(50n))
      assert.deepStrictEqual(claims, [
        { userId: "subscriber", subscriptionActive: false },
        { userId: "other", subscriptionActive: true }
      ])
    }).pipe(
      Effect.provideService(Subscriptions, {
        isActive: ({ subscriptionActive, userId }) =>
          Effect.sync(() => {
            claims.push({ subscriptionActive, userId })
            return userId === "subscriber"
          })
      })
    )
  })
})
