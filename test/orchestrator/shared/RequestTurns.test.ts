import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { LATE_MILLIS, MOST_REST_MILLIS, MOST_WAITING, SPACING_MILLIS } from "../../../src/domain/FairTurns.ts"
import { type Asker, type Swap, RequestTurns } from "../../../src/orchestrator/shared/RequestTurns.ts"
import { Intents as IntentsPort } from "../../../src/ports/orchestrator/Intents.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { LoopDelay } from "../../../src/runtime/LoopDelay.ts"
import { address, chain as template } from "../../support/FakeChain.ts"
import * as EventLoop from "../../support/EventLoop.ts"

const LISTED = address(0xa1)
const STABLE = address(0xa2)
const UNLISTED = address(0xa3)
const LISTED_SWAP: Swap = { tokenIn: LISTED, tokenOut: STABLE, destChainId: 1 }

const chain = {
  ...template,
  id: 1,
  tokens: [LISTED, STABLE].map((token) => ({
    chainId: 1,
    address: token,
    symbol: "LST",
    name: "Listed",
    decimals: 18,
    extensions: { tier: "tier1" as const }
  }))
}

const PAYER = address(1)

/** Turns of a process that is as late as the test says. `lookups`: owners that the store was asked about. */
const make = Effect.fnUntraced(function* (options: { readonly isDown?: boolean } = {}) {
  const delay = { millis: 0 }
  const lookups: Array<Address.Address> = []
  const layer = RequestTurns.layerNoDeps.pipe(
    Layer.provide([
      Layer.succeed(LoopDelay, { millis: () => delay.millis, measured: (effect) => effect }),
      Chains.layer([chain]),
      Layer.effect(
        IntentsPort,
        Effect.map(IntentsPort, (stored) => ({
          ...stored,
          hasSettled: (owner: Address.Address) => {
            lookups.push(owner)
            return options.isDown === true
              ? Effect.fail(new StoreUnavailable({ operation: "hasSettled", detail: "turned off" }))
              : Effect.succeed(owner === PAYER)
          }
        }))
      ).pipe(Layer.provide(Intents.layer))
    ])
  )
  const context = yield* Layer.build(layer)
  const turns = yield* Effect.provideContext(RequestTurns, context)
  /** A request that runs until the test ends it. */
  const ask = Effect.fnUntraced(function* ({
    network = "net",
    owner = address(9),
    ...swap
  }: Partial<Swap> & Partial<Omit<Asker, "swaps">> = {}) {
    const began = yield* Deferred.make<void>()
    const finish = yield* Deferred.make<void>()
    const fiber = yield* turns
      .take({ owner, network, swaps: [LISTED_SWAP, { ...LISTED_SWAP, ...swap }] })(
        Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(finish))
      )
      .pipe(Effect.forkChild)
    yield* EventLoop.settled
    return {
      fiber,
      hasBegun: Deferred.isDone(began),
      finish: Effect.andThen(Deferred.succeed(finish, undefined), Fiber.await(fiber))
    }
  })
  /** Makes the process late, with one request of an unlisted token under way. */
  const crowd = Effect.gen(function* () {
    const flood = yield* ask({ tokenIn: UNLISTED, network: "flood" })
    delay.millis = 2 * LATE_MILLIS
    yield* TestClock.adjust("1 second")
    yield* ask({ owner: PAYER, network: "honest" })
    yield* TestClock.adjust("300 millis")
    yield* ask({ owner: PAYER, network: "honest" })
    return flood
  })
  return { ask, crowd, delay, lookups }
})

/** A clock by which the spacing of two owners passes at each look, as on a machine that other processes keep busy. */
const leaping = (clock: Clock.Clock): Clock.Clock => {
  let looks = 0n
  return Object.assign(Object.create(clock), {
    monotonicTimeNanos: Effect.map(
      clock.monotonicTimeNanos,
      (now) => now + BigInt(SPACING_MILLIS) * 1_000_000n * looks++
    )
  })
}

describe("turns", () => {
  it.effect("come at once while the process keeps up, and one owner in a while is looked up for the next time", () =>
    Effect.gen(function* () {
      const { ask, lookups } = yield* make()
      for (const owner of [address(2), address(3), address(2)]) {
        assert.isTrue(yield* (yield* ask({ owner })).hasBegun)
      }
      assert.deepStrictEqual(lookups, [address(2)])
      yield* TestClock.adjust("100 millis")
      yield* ask({ owner: address(3) })
      assert.deepStrictEqual(lookups, [address(2), address(3)])
    }).pipe(Effect.scoped)
  )

  it.effect("of new owners who come at once begin one after another beside one who paid", () =>
    Effect.gen(function* () {
      const { ask } = yield* make()
      yield* ask({ owner: PAYER })
      yield* ask({ owner: PAYER })
      const first = yield* ask({ owner: address(2) })
      const second = yield* ask({ owner: address(3) })
      assert.isTrue(yield* first.hasBegun)
      assert.isFalse(yield* second.hasBegun)
      assert.isTrue(yield* (yield* ask({ owner: PAYER })).hasBegun)
      yield* TestClock.adjust(SPACING_MILLIS)
      assert.isTrue(yield* second.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("come at once for an owner who paid before, and others wait, while the process is late", () =>
    Effect.gen(function* () {
      const { ask, crowd } = yield* make()
      const flood = yield* crowd
      const unlisted = yield* ask({ tokenIn: UNLISTED, network: "other" })
      const newcomer = yield* ask({ owner: address(2), network: "new" })
      const intoUnlisted = yield* ask({ owner: PAYER, tokenOut: UNLISTED })
      const payer = yield* ask({ owner: PAYER })
      assert.isTrue(yield* payer.hasBegun)
      for (const each of [unlisted, newcomer, intoUnlisted]) assert.isFalse(yield* each.hasBegun)
      yield* flood.finish
      yield* EventLoop.settled
      assert.isFalse(yield* newcomer.hasBegun)
      yield* TestClock.adjust(MOST_REST_MILLIS)
      assert.isTrue(yield* newcomer.hasBegun)
      assert.isFalse(yield* unlisted.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("are refused after three seconds, and the place in the queue is free again", () =>
    Effect.gen(function* () {
      const { ask, crowd } = yield* make()
      const flood = yield* crowd
      const waits = yield* ask({ tokenIn: UNLISTED })
      yield* TestClock.adjust("3 seconds")
      const failure = yield* Effect.flip(Fiber.join(waits.fiber))
      assert.strictEqual(failure._tag, "TooBusy")
      yield* ask({ owner: PAYER })
      const next = yield* ask({ tokenIn: UNLISTED })
      yield* flood.finish
      yield* TestClock.adjust(MOST_REST_MILLIS)
      assert.isTrue(yield* next.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("are refused at once when too many wait", () =>
    Effect.gen(function* () {
      const { ask, crowd } = yield* make()
      yield* crowd
      for (let each = 0; each < MOST_WAITING; each++) yield* ask({ tokenIn: UNLISTED, network: "flood" })
      const exit = yield* Fiber.await((yield* ask({ tokenIn: UNLISTED, network: "flood" })).fiber)
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.scoped)
  )

  it.effect("pass to the next one when a client leaves", () =>
    Effect.gen(function* () {
      const { ask, crowd } = yield* make()
      const flood = yield* crowd
      const leaves = yield* ask({ tokenIn: UNLISTED })
      const stays = yield* ask({ tokenIn: UNLISTED })
      yield* Fiber.interrupt(leaves.fiber)
      yield* Fiber.interrupt(flood.fiber)
      yield* TestClock.adjust(MOST_REST_MILLIS)
      assert.isTrue(yield* stays.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("look an owner up once, and one without a settled sweep again after five seconds", () =>
    Effect.gen(function* () {
      const { ask, delay, lookups } = yield* make()
      delay.millis = 2 * LATE_MILLIS
      const askTwice = Effect.gen(function* () {
        for (const owner of [PAYER, address(2)]) yield* Effect.andThen(ask({ owner }), ask({ owner }))
      })
      yield* askTwice
      assert.deepStrictEqual(lookups, [PAYER, address(2)])
      yield* TestClock.adjust("5 seconds")
      yield* askTwice
      assert.deepStrictEqual(lookups, [PAYER, address(2), address(2)])
    }).pipe(Effect.scoped)
  )

  it.effect("come as soon after the clock was set back by an hour", () =>
    Effect.gen(function* () {
      const { ask } = yield* make()
      yield* TestClock.setTime(7_200_000)
      yield* ask({ owner: PAYER })
      yield* ask({ owner: PAYER })
      assert.isTrue(yield* (yield* ask({ owner: address(2) })).hasBegun)
      yield* TestClock.setTime(3_600_000)
      const newcomer = yield* ask({ owner: address(3) })
      assert.isFalse(yield* newcomer.hasBegun)
      yield* TestClock.adjust(SPACING_MILLIS)
      assert.isTrue(yield* newcomer.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("come also if the rest that they wait for has ended when their wait begins", () =>
    Effect.gen(function* () {
      const { ask } = yield* make()
      yield* ask({ owner: PAYER })
      yield* ask({ owner: PAYER })
      assert.isTrue(yield* (yield* ask({ owner: address(2) })).hasBegun)
      const newcomer = yield* Effect.provideService(
        ask({ tokenIn: UNLISTED }),
        Clock.Clock,
        leaping(yield* Clock.Clock)
      )
      yield* TestClock.adjust(SPACING_MILLIS)
      assert.isTrue(yield* newcomer.hasBegun)
    }).pipe(Effect.scoped)
  )

  it.effect("come without an answer of the store", () =>
    Effect.gen(function* () {
      const { ask, delay } = yield* make({ isDown: true })
      delay.millis = 2 * LATE_MILLIS
      assert.isTrue(yield* (yield* ask({ owner: PAYER })).hasBegun)
    }).pipe(Effect.scoped)
  )
})
