/** Transaction counts that lanes sign with, while one of two endpoints lies. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

/** True for requests to the second endpoint. */
const Second = Context.Reference<boolean>("test/Second", { defaultValue: () => false })

/** Transaction counts that the endpoints name. Undefined: the true one. */
interface Said {
  first?: bigint | undefined
  second?: bigint | "silent" | undefined
}

const unavailable = (detail: string) =>
  new ChainUnavailable({ chainId: source.id, method: "a read of two endpoints", detail })

/** Two endpoints. `asked` notes each transaction count that is read from the second one. */
const endpoints = (said: Said, asked: Array<string> = []) =>
  layerOnNodes((client): ChainClient => ({
    ...client,
    transactionCount: (address, block) =>
      Effect.flatMap(Second, (isSecond) => {
        if (isSecond) asked.push(address)
        const count = isSecond ? said.second : said.first
        if (count === "silent") return unavailable("no answer")
        return count === undefined ? client.transactionCount(address, block) : Effect.succeed(count)
      }),
    corroborated: (read, comparison) =>
      Effect.gen(function* () {
        const isSame = comparison?.isSame ?? Object.is
        const first = yield* read
        const second = yield* Effect.result(Effect.provideService(read, Second, true))
        if (second._tag === "Failure" || isSame(first, second.success)) return first
        return yield* unavailable("first and second gave different answers")
      })
  }))

const handles = Effect.map(scene, (the) => ({
  ...the,
  nonces: Effect.map(the.unfinished, (all) => all.map(({ nonce }) => Number(nonce)))
}))

describe("a transaction count that is too high", () => {
  it.effect("keeps a lane that was never used from sending, until the endpoints agree", () => {
    const said: Said = { first: 1_000n }
    return Effect.gen(function* () {
      const { intent, nonces, submit } = yield* handles
      yield* submit({ id: "a" })
      yield* Effect.ignore(relay)
      assert.deepStrictEqual(yield* nonces, [])
      assert.strictEqual((yield* intent("a")).status, "submitted")
      said.first = undefined
      yield* TestClock.adjust("10 seconds")
      yield* relay
      assert.deepStrictEqual(yield* nonces, [0])
    }).pipe(Effect.provide(endpoints(said)))
  })

  it.effect("changes nothing for a lane that has sent before", () => {
    const said: Said = {}
    return Effect.gen(function* () {
      const { nonces, submit } = yield* handles
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      said.first = 1_000n
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      yield* TestClock.adjust("3 seconds")
      yield* submit({ id: "c", owner: 3 })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* nonces, [0, 1, 2])
    }).pipe(Effect.provide(endpoints(said)))
  })

  it.effect("by a little is not used: the lower one of two endpoints is", () => {
    const said: Said = {}
    return Effect.gen(function* () {
      const { nonces, submit } = yield* handles
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      Object.assign(said, { first: 9n, second: 1n })
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      assert.deepStrictEqual(yield* nonces, [0, 1])
    }).pipe(Effect.provide(endpoints(said)))
  })
})

describe("a transaction count above the stored nonces", () => {
  it.effect("is used if a second endpoint names it, too", () => {
    const said: Said = {}
    return Effect.gen(function* () {
      const { nonces, submit } = yield* handles
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      Object.assign(said, { first: 5n, second: 5n })
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      assert.deepStrictEqual(yield* nonces, [0, 5])
    }).pipe(Effect.provide(endpoints(said)))
  })

  it.effect("is used if the other endpoint is silent, which stops no chain", () =>
    Effect.gen(function* () {
      const { nonces, submit } = yield* handles
      yield* submit({ id: "a" })
      yield* relay
      assert.deepStrictEqual(yield* nonces, [7])
    }).pipe(Effect.provide(endpoints({ first: 7n, second: "silent" })))
  )
})

it.effect("ordinary sweeps ask no second endpoint, one after the other or together", () => {
  const asked: Array<string> = []
  return Effect.gen(function* () {
    const { bury, mineLane, submit, unfinished } = yield* handles
    yield* submit({ id: "first", owner: 1 })
    yield* relay
    assert.lengthOf(asked, 1)
    for (const [index, id] of ["a", "b", "c"].entries()) {
      const [sent] = yield* unfinished
      yield* mineLane({ hash: sent?.attempts[0]?.hash ?? "0x", status: "reverted", logs: [] }, BigInt(index))
      yield* bury(3)
      yield* tick
      yield* TestClock.adjust("5 seconds")
      yield* submit({ id, owner: index + 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }
    assert.lengthOf(asked, 1)
    for (const owner of [7, 8, 9]) {
      yield* submit({ id: `together ${owner}`, owner })
      yield* relay
    }
    assert.lengthOf(asked, 1)
  }).pipe(Effect.provide(endpoints({}, asked)))
})
