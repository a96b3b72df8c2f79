/** Contract of every {@link LastPrices}. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { LastPrices } from "../../../src/ports/orchestrator/LastPrices.ts"
import { address } from "../../support/IntentFixtures.ts"

const TOKEN = address(0xb1)

export const suite = (adapter: string, stores: Layer.Layer<LastPrices, unknown>): void => {
  describe(`${adapter} LastPrices`, () => {
    it.effect("keeps the newest price of each token, whoever writes last", () =>
      Effect.gen(function* () {
        const { keep, read } = yield* LastPrices
        expect(yield* read(1)).toEqual(new Map())
        const newest = { price: 2n ** 200n, atMs: 2_000 }
        yield* keep(1, TOKEN, { price: 7n, atMs: 1_000 })
        yield* keep(1, TOKEN, newest)
        yield* keep(1, TOKEN, { price: 8n, atMs: 1_500 })
        yield* keep(2, TOKEN, { price: 9n, atMs: 1 })
        yield* keep(1, address(0xb2), { price: 1n, atMs: 3_000 })
        expect(yield* read(1)).toEqual(
          new Map([
            [TOKEN, newest],
            [address(0xb2), { price: 1n, atMs: 3_000 }]
          ])
        )
        expect(yield* read(2)).toEqual(new Map([[TOKEN, { price: 9n, atMs: 1 }]]))
      }).pipe(Effect.provide(stores))
    )

    it.effect("replaces a price of a clock that ran ahead, whose time has not come", () =>
      Effect.gen(function* () {
        const { keep, read } = yield* LastPrices
        yield* keep(3, TOKEN, { price: 7n, atMs: Date.UTC(2200, 0) })
        yield* keep(3, TOKEN, { price: 8n, atMs: 2_000 })
        yield* keep(3, TOKEN, { price: 9n, atMs: 1_000 })
        expect(yield* read(3)).toEqual(new Map([[TOKEN, { price: 8n, atMs: 2_000 }]]))
      }).pipe(Effect.provide(stores))
    )
  })
}
