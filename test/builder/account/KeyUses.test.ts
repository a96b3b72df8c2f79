/** Uses of API keys are noted beside the quotes: neither a slow store nor many quotes hold anybody up. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { KeyUses } from "../../../src/builder/account/KeyUses.ts"
import { DEFAULT_KEY } from "../../../src/domain/ApiKey.ts"
import { ApiKeys, type StoredApiKey } from "../../../src/ports/builder/ApiKeys.ts"
import { FirstSteps } from "../../../src/ports/builder/FirstSteps.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { hash } from "../../support/IntentFixtures.ts"

const keyOf = (name: string, lastUsedAtMs?: number): StoredApiKey => ({
  ...DEFAULT_KEY,
  scopes: ["quote"],
  hash: hash(name),
  prefix: name,
  createdAtMs: 0,
  ...(lastUsedAtMs === undefined ? {} : { lastUsedAtMs })
})

/** The uses that were noted, by stores that do what the test says. */
const noting = Effect.fnUntraced(function* (store: {
  readonly noteUse?: Effect.Effect<void, StoreUnavailable>
  readonly noteQuote?: Effect.Effect<void, StoreUnavailable>
}) {
  const noted: Array<string> = []
  const note = (name: string, atMs: number) =>
    Effect.sync(() => {
      noted.push(`${name} ${atMs}`)
    })
  const layer = KeyUses.layer.pipe(
    Layer.provide([
      Layer.mock(ApiKeys)({ noteUse: (key, atMs) => Effect.andThen(store.noteUse ?? Effect.void, note(key, atMs)) }),
      Layer.mock(FirstSteps)({
        noteQuote: (id, atMs) => Effect.andThen(store.noteQuote ?? Effect.void, note(id, atMs))
      })
    ])
  )
  const uses = Context.get(yield* Layer.build(layer), KeyUses)
  const use = (key: StoredApiKey, isQuote = false, builderId = "ann") => uses.note({ builderId, key, isQuote })
  /** Lets the background go on until it waits. */
  const settle = Effect.repeat(Effect.yieldNow, { times: 50 })
  return { noted, settle, use }
})

it.effect("a use is noted at most once a minute, and a first quote besides", () =>
  Effect.gen(function* () {
    const { noted, settle, use } = yield* noting({})
    yield* TestClock.setTime(100_000)
    yield* use(keyOf("new"))
    yield* use(keyOf("recent", 40_001))
    yield* use(keyOf("old", 40_000))
    yield* settle
    assert.deepStrictEqual(noted, [`${hash("new")} 100000`, `${hash("old")} 100000`])
    yield* use(keyOf("recent", 40_001), true)
    yield* use(keyOf("other", 40_001), true, "bob")
    yield* settle
    yield* use(keyOf("recent", 40_001), true)
    yield* settle
    const quote = (builderId: string) => [`${builderId} 100000`, `${hash("recent")} 100000`]
    assert.deepStrictEqual(noted.slice(2, 4), quote("ann"))
    assert.strictEqual(noted.filter((each) => each === "ann 100000").length, 1)
  })
)

it.effect("a store that hangs holds up no use and is given up, and a store that fails loses one note", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    let calls = 0
    const store = Effect.suspend(() => {
      calls++
      if (calls === 1) return Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      return calls === 2 ? Effect.fail(new StoreUnavailable({ operation: "test", detail: "down" })) : Effect.void
    })
    const { noted, settle, use } = yield* noting({ noteUse: store })
    // Each of these returns at once, also those beyond the number that can wait.
    for (let n = 0; n < 400; n++) yield* use(keyOf(`key ${n}`))
    yield* Deferred.await(asked)
    yield* settle
    assert.deepStrictEqual(noted, [])
    yield* TestClock.adjust("5 seconds")
    yield* Effect.repeat(settle, { times: 200 })
    assert.isAbove(noted.length, 200)
    assert.isBelow(noted.length, 260)
    yield* use(keyOf("key 0"))
    yield* settle
    assert.strictEqual(noted.at(-1), `${hash("key 0")} 5000`)
  })
)

it.effect("many uses of one key at once are noted once", () =>
  Effect.gen(function* () {
    const { noted, settle, use } = yield* noting({})
    for (let n = 0; n < 100; n++) yield* use(keyOf("busy"))
    yield* settle
    assert.lengthOf(noted, 1)
  })
)
