/** Transaction counts that lanes sign with, while one of two endpoints lies. */
import { assert, describe, it } from "@effect/vitest"
import { Context, type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Address } from "../../../src/domain/Address.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { attempt, hash } from "../../support/IntentFixtures.ts"
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

const unavailable = (detail: string, isContradiction = false) =>
  new ChainUnavailable({ chainId: source.id, method: "a read of two endpoints", detail, isContradiction })

/** Two endpoints. `asked` notes each transaction count of the newest block that is read from the second one. */
const endpoints = (said: Said, asked: Array<string> = []) =>
  layerOnNodes((client): ChainClient => ({
    ...client,
    transactionCount: (address, block) =>
      Effect.flatMap(Second, (isSecond) => {
        if (isSecond && block === "latest") asked.push(address)
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
        return yield* unavailable("first and second gave different answers", true)
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

/** Stores transactions of the lane with these nonces, as another process, or this one before its restart. They are mined. */
const mined = Effect.fnUntraced(function* (lane: Address, from: bigint, count: number) {
  const transactions = yield* RelayTransactions
  for (let index = 0; index < count; index++) {
    const { attempts, id } = yield* transactions.allocate({
      chainId: source.id,
      lane,
      chainNonce: from,
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`of another process ${nonce}`))
    })
    const inclusion = { hash: attempts[0]?.hash ?? "0x", blockNumber: 1n, blockHash: hash("block") } as const
    yield* transactions.finalize([{ id, inclusion }])
  }
})

describe("a transaction count that mined transactions explain", () => {
  it.effect("is used after a restart, although the other endpoint is stalled", () =>
    Effect.gen(function* () {
      const { lane, nonces, submit } = yield* handles
      yield* mined(lane, 40n, 1)
      yield* submit({ id: "a" })
      yield* relay
      assert.deepStrictEqual(yield* nonces, [41])
    }).pipe(Effect.provide(endpoints({ first: 41n, second: 3n })))
  )

  it.effect("is used although another process sent them and the other endpoint is stalled", () => {
    const said: Said = {}
    return Effect.gen(function* () {
      const { alertKinds, lane, nonces, submit } = yield* handles
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      yield* mined(lane, 1n, 20)
      Object.assign(said, { first: 21n, second: 0n })
      yield* TestClock.adjust("10 seconds")
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      assert.deepStrictEqual(yield* nonces, [0, 21])
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(endpoints(said)))
  })
})

it.effect("a false count that was accepted once does not explain the next one", () => {
  const said: Said = { first: 1_000n, second: "silent" }
  const asked: Array<string> = []
  return Effect.gen(function* () {
    const { nonces, submit, unfinished } = yield* handles
    const transactions = yield* RelayTransactions
    yield* submit({ id: "a", owner: 1 })
    yield* relay
    assert.deepStrictEqual(yield* nonces, [1_000])
    for (const { id } of yield* unfinished) yield* transactions.finalize([{ id }])
    Object.assign(said, { first: undefined, second: undefined })
    yield* TestClock.adjust("1 minute")
    yield* submit({ id: "b", owner: 2 })
    yield* relay
    said.first = 900n
    asked.length = 0
    yield* TestClock.adjust("1 minute")
    yield* submit({ id: "c", owner: 3 })
    yield* relay
    assert.isAbove(asked.length, 0)
    assert.isTrue((yield* nonces).every((nonce) => nonce < 10))
  }).pipe(Effect.provide(endpoints(said, asked)))
})

describe("the alert about transaction counts that contradict each other", () => {
  it.effect("names the endpoints after a minute, and ends when they agree again", () => {
    const said: Said = { first: 1_000n }
    return Effect.gen(function* () {
      const { alertKinds, submit } = yield* handles
      const { list } = yield* Alerts
      const look = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), Effect.ignore(relay))
      yield* submit({ id: "a" })
      yield* look(0)
      yield* look("50 seconds")
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* look("10 seconds")
      assert.deepStrictEqual(yield* alertKinds, ["nonce_doubted"])
      const [alert] = yield* list
      assert.strictEqual(alert?.severity, "critical")
      assert.include(String(alert?.details["detail"]), "first and second")
      said.first = undefined
      // An alert that was renewed a moment ago stands until it is old.
      yield* look("1 second")
      yield* look("61 seconds")
      yield* look("61 seconds")
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(endpoints(said)))
  })

  it.effect("is a warning for a lane that continues with its last count, and needs two endpoints to end", () => {
    const said: Said = {}
    return Effect.gen(function* () {
      const { alertKinds, submit } = yield* handles
      const { list } = yield* Alerts
      let owner = 0
      const sweepAfter = Effect.fnUntraced(function* (time: Duration.Input) {
        yield* TestClock.adjust(time)
        owner++
        yield* submit({ id: `of ${owner}`, owner })
        yield* relay
      })
      yield* sweepAfter(0)
      said.first = 1_000n
      yield* sweepAfter("3 seconds")
      yield* sweepAfter("60 seconds")
      assert.deepStrictEqual(
        (yield* list).map(({ kind, severity }) => [kind, severity]),
        [["nonce_doubted", "warning"]]
      )
      // The endpoint that lies is the second one from now on.
      Object.assign(said, { first: undefined, second: 1_000n })
      yield* sweepAfter("30 seconds")
      yield* sweepAfter("30 seconds")
      assert.deepStrictEqual(yield* alertKinds, ["nonce_doubted"])
      said.second = undefined
      for (const time of ["10 seconds", "30 seconds", "30 seconds"] as const) yield* sweepAfter(time)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(endpoints(said)))
  })

  it.effect("is not raised by silence", () =>
    Effect.gen(function* () {
      const { alertKinds, submit } = yield* handles
      yield* submit({ id: "a" })
      for (const time of [0, 61_000, 61_000]) {
        yield* TestClock.adjust(time)
        yield* Effect.ignore(relay)
      }
      assert.deepStrictEqual(yield* alertKinds, [])
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
