/** Contract of every store of heartbeats. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Heartbeats } from "../../../src/ports/orchestrator/Heartbeats.ts"

export const suite = (adapter: string, stores: Layer.Layer<Heartbeats, unknown>) =>
  describe(`Heartbeats on ${adapter}`, () => {
    it.live("knows the age of the last heartbeat of each post", () =>
      Effect.gen(function* () {
        const { ages, beat } = yield* Heartbeats
        assert.strictEqual((yield* ages).size, 0)
        yield* beat([{ role: "api" }, { role: "relay", chainId: 8453 }])
        yield* beat([])
        yield* Effect.sleep("60 millis")
        yield* beat([{ role: "api" }])
        const known = yield* ages
        assert.sameMembers([...known.keys()], ["api", "relay:8453"])
        assert.isAtLeast(known.get("relay:8453") ?? 0, 50)
        assert.isBelow(known.get("api") ?? Infinity, known.get("relay:8453") ?? 0)
      }).pipe(Effect.provide(stores))
    )

    it.live("takes heartbeats of many processes at once", () =>
      Effect.gen(function* () {
        const { ages, beat } = yield* Heartbeats
        const posts = [1, 2, 3, 4].map((chainId) => ({ role: "watch" as const, chainId }))
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          (index) => beat(index % 2 === 0 ? posts : posts.toReversed()),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* ages).size, posts.length)
      }).pipe(Effect.provide(stores))
    )
  })
