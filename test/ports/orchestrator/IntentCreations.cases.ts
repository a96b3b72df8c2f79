/** Cases of the contract of intents about the quotes of a wallet, which are stored at the same moment. */
import { expect, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Option } from "effect"
import { Intents, type NewIntent } from "../../../src/ports/orchestrator/Intents.ts"
import { hash, newIntent, submission } from "../../support/IntentFixtures.ts"

const byNonce = ({ order: one }: NewIntent, { order: other }: NewIntent) => Number(one.nonce - other.nonce)

export const creationCases = (stores: Layer.Layer<Intents, unknown>) => {
  it.effect("stores quotes of one moment, and refuses only those that exist", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* intents.create(newIntent({ id: "old", nonce: 5n }))
      const given = [
        ...Array.from({ length: 150 }, (_, index) => newIntent({ id: `new-${index}`, nonce: 100n + BigInt(index) })),
        newIntent({ id: "twice", nonce: 6n }),
        { ...newIntent({ id: "twice", nonce: 7n }), orderDigest: hash("x") },
        newIntent({ id: "spent", nonce: 5n })
      ]
      const exits = yield* Effect.forEach(given, (intent) => Effect.exit(intents.create(intent)), {
        concurrency: "unbounded"
      })
      const stored = given.filter((_, index) => Exit.isSuccess(exits[index] ?? Exit.void))
      const ids = [...Array.from({ length: 150 }, (_, index) => `new-${index}`), "twice"]
      expect(stored.map(({ quote }) => quote.id)).toEqual(ids)
      expect((yield* intents.findAll(ids)).toSorted(byNonce)).toMatchObject(stored.toSorted(byNonce))
    }).pipe(Effect.provide(stores))
  )

  it.effect("stores any text of a caller beside other quotes", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const given = [newIntent({ id: "a" }), { ...newIntent({ id: "b", owner: 2 }), userId: "half \ud83d" }]
      yield* Effect.forEach(given, intents.create, { concurrency: "unbounded" })
      expect((yield* intents.findAll(["a", "b"])).length).toBe(2)
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps that a sweep runs code of strangers, and tells it of no other one and in no quote", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* intents.create({ ...newIntent({ id: "a" }), runsOthersCode: true })
      yield* intents.create(newIntent({ id: "b" }))
      const marked = Option.getOrThrow(yield* intents.find("a"))
      expect(marked.runsOthersCode).toBe(true)
      expect(marked.quote).toEqual(newIntent({ id: "a" }).quote)
      expect((yield* intents.quotes(["a"])).get("a")).toEqual(newIntent({ id: "a" }).quote)
      expect(Option.getOrThrow(yield* intents.find("b"))).not.toHaveProperty("runsOthersCode")
      expect((yield* intents.submit("a", submission())).runsOthersCode).toBe(true)
    }).pipe(Effect.provide(stores))
  )
}
