/** Requests to the sources of routes in one quote. Services limit how many they answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { ROUTES_PER_QUOTE } from "../../../src/adapters/swap/HttpVenue.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import * as Quoting from "../../support/Quoting.ts"
import * as Unlisted from "./unlistedScene.ts"

describe("a quote", () => {
  it.effect("asks a service for as many routes as it answers at most", () =>
    Effect.gen(function* () {
      const scene = yield* Unlisted.make(300n)
      // The lane is known, and costs more than what is assumed of one that is not.
      scene.script.gas = () => 400_000n
      yield* scene.quote()
      // No source has a price of the token, so its sale tells one.
      const prices = new Map([
        [NATIVE, Quoting.NATIVE_USD],
        [Quoting.STABLE, Quoting.USD / 10n ** 12n]
      ])
      yield* Ref.update(scene.prices, (state) => ({ ...state, prices: new Map([[Quoting.source.id, prices]]) }))
      const before = scene.asked.swaps.length
      const runs = scene.asked.simulated.length
      const asked = () => scene.asked.swaps.slice(before).filter(({ withoutServices }) => withoutServices !== true)
      // The second route, of the cost that the exchanges tell, is missing. Each pass costs otherwise than it was charged for.
      const none = new NoRoute({ detail: "none" })
      Object.defineProperty(scene.script, "routingFails", { get: () => (asked().length === 2 ? none : undefined) })
      scene.script.gas = (run) => [300_000n, 200_000n, 200_000n][run - runs] ?? 200_000n
      yield* scene.quote({ tokenIn: Unlisted.UNLISTED, amountIn: 1_000n * Quoting.WHOLE })
      assert.strictEqual(scene.asked.simulated.length - runs, 3)
      assert.strictEqual(asked().length, ROUTES_PER_QUOTE)
    })
  )
})
