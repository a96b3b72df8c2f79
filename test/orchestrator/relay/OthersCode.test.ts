/** Sweeps that pay native currency to accounts whose code burns gas, or may begin to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { designator } from "../../../src/domain/Delegation.ts"
import { batchClass, classOf, firstClass } from "../../../src/domain/Exposure.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { address } from "../../support/FakeChain.ts"
import { source, type Sweep } from "../../support/RelayFixtures.ts"
import { layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { conclude, openOf, sumsOf } from "./concluded.ts"
import { wallet } from "./wallet.ts"

const FINNEY = 10n ** 15n
const GWEI = 10n ** 9n

/** Latest deadline, so that no sweep of a test expires. */
const LATE = 1_800_000_000n

const BATCH = batchClass(source.id)
const FIRST = firstClass(source.id, false)
const LISTED = classOf("listed", "all", source.id)
const UNLISTED = classOf("unlisted", "all", source.id)

const DESTINATION = address(0xdd)
const ofAccount = classOf("unlisted", "token_out", source.id, DESTINATION)

/** Fee of the sweep by which an owner gets its credit, and one of four times that. */
const PAID: FeeCover = { gas: 200_000n, gasPrice: 2n * GWEI, value: 480_000n * GWEI }
const DEAR: FeeCover = { gas: 800_000n, gasPrice: 2n * GWEI, value: 4n * PAID.value }

const layer = layerWith({ firstSweepsLossBudget: 10n * FINNEY })

const toNative = { tokenOut: NATIVE, destination: DESTINATION, deadline: LATE } as const

/** A sweep that pays the destination, whose network fee is four times what its owner has paid. */
const paying = (changes: Partial<Sweep> = {}): Sweep => ({
  id: "a",
  gas: 880_000n,
  cover: DEAR,
  order: toNative,
  ...changes
})

describe("a settled owner whose destination burns the gas of its next sweep", () => {
  it.effect("gets neither credit nor rise, and loses no more than the budget of unlisted sweeps", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.sweptBefore(1, PAID)
      yield* the.chain.setCode(DESTINATION, "0x60")
      yield* the.submit(paying())
      assert.strictEqual((yield* relay).sent, 1)
      for (const key of [UNLISTED, ofAccount]) assert.isTrue((yield* openOf(key)) > 0n, key)
      assert.isUndefined(yield* sumsOf(BATCH))

      const cost = yield* conclude(the, "reverted", FINNEY)
      for (const key of [UNLISTED, ofAccount]) assert.strictEqual((yield* sumsOf(key))?.hour.lost, cost, key)
      assert.isUndefined(yield* sumsOf(LISTED))
      assert.isUndefined(yield* sumsOf(classOf("listed", "owner", source.id, address(1))))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is unlisted also while the code is away, if its quote met the code", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.sweptBefore(1, PAID)
      yield* the.submit(paying({ runsOthersCode: true }))
      assert.strictEqual((yield* relay).sent, 1)
      assert.isTrue((yield* openOf(ofAccount)) > 0n)
      const cost = yield* conclude(the, "reverted", FINNEY)
      assert.strictEqual((yield* sumsOf(UNLISTED))?.hour.lost, cost)
      assert.isUndefined(yield* sumsOf(LISTED))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is booked as it was reserved by a process that has not sent it", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.sweptBefore(1, PAID)
      yield* the.chain.setCode(DESTINATION, "0x60")
      yield* the.submit(paying())
      assert.strictEqual((yield* relay).sent, 1)
      const cost = yield* Effect.provide(conclude(the, "reverted", FINNEY), Layer.fresh(Watcher.layerOnDemand))
      for (const key of [UNLISTED, ofAccount]) assert.strictEqual((yield* sumsOf(key))?.hour.lost, cost, key)
      assert.isUndefined(yield* sumsOf(LISTED))
    }).pipe(Effect.provide(layer))
  )

  it.effect("reserves the budget of first sweeps as well until one of its sweeps has settled", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.chain.setCode(DESTINATION, designator(address(0x99)))
      yield* the.submit(paying())
      assert.strictEqual((yield* relay).sent, 1)
      for (const key of [FIRST, UNLISTED, ofAccount]) assert.isTrue((yield* openOf(key)) > 0n, key)
      yield* conclude(the, "reverted", FINNEY)
      for (const key of [FIRST, UNLISTED, ofAccount]) assert.strictEqual(yield* openOf(key), 0n, key)
      assert.isTrue(((yield* sumsOf(ofAccount))?.hour.lost ?? 0n) > 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits in its next claim once the losses of the account that it pays use up its budget", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const OTHER = address(0xde)
      for (const owner of [1, 2, 3]) yield* the.sweptBefore(owner, PAID)
      for (const each of [DESTINATION, OTHER]) yield* the.chain.setCode(each, "0x60")
      yield* the.submit(paying())
      assert.strictEqual((yield* relay).sent, 1)
      yield* conclude(the, "reverted", 3n * FINNEY)
      yield* the.submit(paying({ id: "same", owner: 2, gas: 220_000n, order: { ...toNative, nonce: 2n } }))
      yield* the.submit(
        paying({ id: "other", owner: 3, gas: 220_000n, order: { ...toNative, destination: OTHER, nonce: 3n } })
      )
      assert.strictEqual((yield* relay).sent, 1)
      assert.isUndefined((yield* the.intent("same")).txHash)
      assert.isDefined((yield* the.intent("other")).txHash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("shares its transaction with a listed sweep of its own, which counts for no unlisted class", () =>
    Effect.gen(function* () {
      const the = yield* wallet([paying({ gas: 220_000n, cover: PAID }), { id: "listed", order: { deadline: LATE } }])
      yield* the.sweptBefore(1, PAID)
      yield* the.chain.setCode(DESTINATION, "0x60")
      assert.strictEqual((yield* relay).sent, 2)
      const [only, ...others] = yield* the.unfinished
      assert.lengthOf(others, 0)
      assert.deepStrictEqual(only?.intentIds.toSorted(), ["a", "listed"])
      const { reserved } = yield* Exposures
      const classes = yield* reserved(["a", "listed"])
      assert.include(classes.get("a") ?? [], UNLISTED)
      assert.notInclude(classes.get("listed") ?? [], UNLISTED)
    }).pipe(Effect.provide(layer))
  )

  it.effect("shares no transaction with listed sweeps", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.chain.setCode(DESTINATION, "0x60")
      const small = { gas: 220_000n, cover: PAID }
      yield* the.submit(paying({ id: "before", owner: 1, ...small }))
      yield* the.submit({ id: "honest", owner: 2, order: { nonce: 2n } })
      yield* the.submit(paying({ id: "after", owner: 3, ...small, order: { ...toNative, nonce: 3n } }))
      assert.strictEqual((yield* relay).sent, 3)
      const carried = (yield* the.unfinished).map(({ intentIds }) => intentIds.toSorted())
      assert.deepStrictEqual(carried.toSorted(), [["after", "before"], ["honest"]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is rehearsed in two blocks", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const blocks: Array<string | undefined> = []
      yield* the.chain.setCode(DESTINATION, "0x60")
      yield* the.chain.onSimulate((calls, options) =>
        Effect.sync(() => {
          blocks.push(options?.within?.block)
          return calls.map(() => ({ success: true, returnData: `0x${"1".padStart(64, "0")}`, gasUsed: 150_000n }))
        })
      )
      yield* the.submit(paying())
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(blocks.toSorted(), ["next", "other"])
    }).pipe(Effect.provide(layer))
  )
})

describe("a settled owner whose destination has no code of strangers", () => {
  const open = Effect.fnUntraced(function* (cover: FeeCover, code: `0x${string}`) {
    const the = yield* scene
    yield* the.sweptBefore(1, PAID)
    yield* the.chain.setCode(DESTINATION, code)
    yield* the.submit(paying({ gas: 220_000n, cover }))
    assert.strictEqual((yield* relay).sent, 1)
    assert.isUndefined(yield* sumsOf(UNLISTED))
    return yield* sumsOf(BATCH)
  })

  it.effect("reserves nothing within what it has paid", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* open(PAID, "0x"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("reserves nothing with the chain's delegate as that code", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* open(PAID, designator(source.contracts.delegate)))
    }).pipe(Effect.provide(layer))
  )

  it.effect("reserves what is beyond it, since code may appear before the transaction is in a block", () =>
    Effect.gen(function* () {
      assert.isTrue(((yield* open(DEAR, "0x"))?.open ?? 0n) > 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("may rise to four times of it in a sweep that pays no native currency", () =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.sweptBefore(1, PAID)
      yield* the.submit(paying({ order: { deadline: LATE } }))
      assert.strictEqual((yield* relay).sent, 1)
      assert.isUndefined(yield* sumsOf(BATCH))
    }).pipe(Effect.provide(layer))
  )
})

describe("accounts that receive native currency", () => {
  it.effect("are read in the request that reads the owners", () => {
    const asked: Array<ReadonlyArray<string>> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      accounts: (addresses) => Effect.suspend(() => (asked.push(addresses), client.accounts(addresses)))
    }))
    return Effect.gen(function* () {
      const the = yield* scene
      yield* the.submit({ id: "a", owner: 1, order: { ...toNative, nonce: 1n } })
      yield* the.submit({ id: "b", owner: 2, order: { ...toNative, nonce: 2n } })
      yield* the.submit({ id: "c", owner: 3, order: { nonce: 3n } })
      assert.strictEqual((yield* relay).sent, 3)
      assert.lengthOf(yield* the.unfinished, 1)
      assert.deepStrictEqual(asked, [[address(1), address(2), address(3), DESTINATION]])
    }).pipe(Effect.provide(nodes))
  })
})

describe("an owner without a settled sweep", () => {
  it.effect.each(["0x", "0x60"] as const)("waits after two failures in a day, if it pays code %s", (code) =>
    Effect.gen(function* () {
      const the = yield* scene
      yield* the.chain.setCode(DESTINATION, code)
      for (const [index, id] of ["a", "b", "c"].entries()) {
        yield* the.submit({ id, owner: 1, order: { ...toNative, nonce: BigInt(index) } })
        const { sent } = yield* relay
        assert.strictEqual(sent, index < 2 ? 1 : 0, id)
        yield* conclude(the, "reverted", FINNEY / 10n)
        // The authorization of a failed sweep stays.
        yield* the.chain.setCode(address(1), designator(source.contracts.delegate))
        yield* TestClock.adjust("31 minutes")
      }
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: 1_000n * FINNEY })))
  )
})
