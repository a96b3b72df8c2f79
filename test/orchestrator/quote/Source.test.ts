import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NATIVE } from "../../../src/domain/Token.ts"
import { silent } from "../../support/RelayScene.ts"
import * as Quoting from "../../support/Quoting.ts"

const { OWNER, STABLE, TOKEN, WHOLE, destination, source } = Quoting

describe("the source chain", () => {
  const placed = Effect.fnUntraced(function* (
    facts: {
      readonly hint?: string
      readonly sourceChainId?: number
      readonly codeOn: ReadonlyArray<number>
      readonly balances?: Record<number, bigint>
      /** A chain whose node fails. */
      readonly failing?: number
    },
    defaultSourceChain?: number
  ) {
    const scene = yield* Quoting.make({ settings: { defaultSourceChain } })
    for (const id of [source.id, destination.id]) {
      yield* (yield* scene.chain(id)).setCode(TOKEN, facts.codeOn.includes(id) ? "0x60" : "0x")
    }
    if (facts.failing !== undefined) yield* (yield* scene.chain(facts.failing)).fail("code")
    scene.script.balances = new Map(Object.entries(facts.balances ?? {}).map(([id, held]) => [Number(id), held]))
    const { route: _hint, ...unhinted } = Quoting.request
    const request = {
      ...unhinted,
      ...(facts.hint === undefined ? {} : { route: facts.hint }),
      ...(facts.sourceChainId === undefined ? {} : { sourceChainId: facts.sourceChainId })
    }
    return yield* scene.service.quote({ ...request, tokenOut: STABLE, destChainId: destination.id }).pipe(
      Effect.map(({ quote }) => quote.sourceChainId),
      Effect.catchTags({
        QuoteFailed: ({ reason }) => Effect.succeed(reason),
        RequestRefused: ({ message }) => Effect.succeed(message)
      })
    )
  })
  const both = [source.id, destination.id]
  const funded = { [source.id]: 100n * WHOLE }

  it.effect("is the hint's, by name or id, whatever the chains hold", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* placed({ hint: "source->destination", codeOn: [] }), source.id)
      assert.strictEqual(yield* placed({ hint: " SOURCE -> 2", codeOn: both }), source.id)
      assert.strictEqual(yield* placed({ hint: "1->2", codeOn: both }), source.id)
      assert.strictEqual(yield* placed({ hint: "destination->2", codeOn: [source.id] }), destination.id)
    })
  )

  it.effect("is sourceChainId, whatever the chains hold", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* placed({ sourceChainId: source.id, codeOn: [destination.id] }), source.id)
      assert.strictEqual(
        yield* placed({ sourceChainId: destination.id, codeOn: both, balances: funded }),
        destination.id
      )
      assert.strictEqual(yield* placed({ sourceChainId: 99, codeOn: both, balances: funded }), "unsupported_chain")
    })
  )

  it.effect("is not guessed where the hint is wrong", () =>
    Effect.gen(function* () {
      const expected = "route: expected <source>-><destination> with names or ids of served chains: source, destination"
      assert.strictEqual(yield* placed({ hint: "mars->destination", codeOn: both, balances: funded }), expected)
      assert.strictEqual(yield* placed({ hint: "source", codeOn: both, balances: funded }), expected)
      assert.strictEqual(
        yield* placed({ hint: "source->source", codeOn: both }),
        "route: the destination is chain 1, and destChainId is 2"
      )
      assert.strictEqual(
        yield* placed({ hint: "source->destination", sourceChainId: destination.id, codeOn: both }),
        "route: the source is chain 1, and sourceChainId is 2"
      )
    })
  )

  it.effect(
    "is the only one that has the token, else the only one where the owner has the amount, else the default",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* placed({ codeOn: [destination.id] }), destination.id)
        assert.strictEqual(yield* placed({ codeOn: both, balances: funded }), source.id)
        assert.strictEqual(yield* placed({ codeOn: both }, destination.id), destination.id)
        assert.strictEqual(yield* placed({ codeOn: both, balances: funded }, destination.id), source.id)
        assert.strictEqual(yield* placed({ hint: " ", codeOn: both, balances: funded }), source.id)
      })
  )

  it.effect("cannot be guessed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* placed({ codeOn: [] }), "unsupported_chain")
      assert.strictEqual(yield* placed({ codeOn: both }), "unsupported_chain")
      assert.strictEqual(yield* placed({ codeOn: both }, 77), "unsupported_chain")
    })
  )

  it.effect("is another than a chain that does not answer, if the owner holds the amount there", () =>
    Effect.gen(function* () {
      const failing = destination.id
      assert.strictEqual(yield* placed({ codeOn: both, balances: funded, failing }), source.id)
      assert.strictEqual(yield* placed({ codeOn: [source.id], balances: funded, failing }), source.id)
    })
  )

  it.effect("is unavailable, not unknown, while a chain that could be it does not answer", () =>
    Effect.gen(function* () {
      const failing = destination.id
      assert.strictEqual(yield* placed({ codeOn: [], failing }), "chain_unavailable")
      // Its token is not proof: the owner may hold the amount on the other chain.
      assert.strictEqual(yield* placed({ codeOn: [source.id], failing }), "chain_unavailable")
      assert.strictEqual(yield* placed({ codeOn: [source.id], failing }, source.id), "chain_unavailable")
    })
  )

  it.effect.each(["source->source", undefined])(
    "is reported silent within the limit of a response, hinted %s",
    (route) =>
      Effect.gen(function* () {
        const scene = yield* Quoting.make({
          nodes: (client) => (client.chain.id === source.id ? silent(client) : client)
        })
        scene.script.unscreened = new Set([source.id])
        yield* (yield* scene.chain(destination.id)).setCode(TOKEN, "0x")
        const { route: _, ...unhinted } = Quoting.request
        const request = route === undefined ? unhinted : { ...unhinted, route }
        const asking = yield* Effect.forkChild(Effect.flip(scene.service.quote(request)))
        yield* TestClock.adjust("3500 millis")
        const failed = yield* Fiber.join(asking)
        assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "chain_unavailable")
      })
  )

  it.effect("is hinted and silent: a listed owner is still refused as listed", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ nodes: silent })
      scene.script.listed = new Set([OWNER])
      const asking = yield* Effect.forkChild(Effect.flip(scene.quote()))
      yield* TestClock.adjust("3500 millis")
      assert.strictEqual((yield* Fiber.join(asking))._tag, "ScreeningBlocked")
    })
  )

  it.effect("of native currency is where the owner holds it", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* (yield* scene.chain(destination.id)).setBalance(OWNER, WHOLE)
      const { route: _hint, ...unhinted } = Quoting.request
      const { quote } = yield* scene.service.quote({ ...unhinted, tokenIn: NATIVE, amountIn: WHOLE })
      assert.strictEqual(quote.sourceChainId, destination.id)
    })
  )
})
