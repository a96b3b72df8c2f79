/** Fees in unlisted tokens, whose worth is asked for when their sweeps have settled: nothing else waits for the answer. */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { classOf, EMPTY } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { FeeUncertain, FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, onDemandIn, runningIn, scene, world } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const UNLISTED = address(0xb9)

const ALL = classOf("unlisted", "all", source.id)

const unanswered = Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "away" }))

/** A world in which nobody says what a fee sells for once `isSilent` is set. */
const silentWorld = (
  state: { isSilent: boolean },
  silence: ReturnType<FeeValue["Service"]["realisable"]> = Effect.never
) =>
  Layer.merge(
    world,
    Layer.succeed(FeeValue, {
      realisable: () => Effect.suspend(() => (state.isSilent ? silence : Effect.succeed(10n ** 18n)))
    })
  )

const eventually = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.yieldNow.pipe(Effect.andThen(condition), Effect.repeat({ until: (isTrue) => isTrue }))

/** Two transactions in confirmed blocks: of a sweep of an unlisted token, and of one of a listed token. */
const mined = Effect.fnUntraced(function* <E, R>(sent: Effect.Effect<unknown, E, R>) {
  const the = yield* scene
  const intents = [
    yield* the.submit({ id: "unlisted", owner: 1, order: { tokenIn: UNLISTED } }),
    yield* the.submit({ id: "listed", owner: 2 })
  ]
  yield* sent
  for (const { attempts, intentIds, nonce } of yield* the.unfinished) {
    const logs = intents.filter(({ id }) => intentIds.includes(id)).map((each) => sweptLog(each))
    yield* the.mineLane({ hash: attempts[0]?.hash ?? "0x", logs, gasUsed: 0n, dataFee: 7n }, nonce)
  }
  yield* the.bury(2)
  return the
})

const carried = Effect.flatMap(RelayTransactions, ({ unfinished }) =>
  Effect.map(unfinished(source.id), (all) => all.flatMap(({ intentIds }) => intentIds))
)

describe("a fee in an unlisted token whose worth nobody knows", () => {
  it.effect("delays the end of no other transaction, and is worth nothing when it was asked for too long", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* TestClock.adjust(1_000)
      const sent = eventually(Effect.map(carried, (ids) => ids.length === 2))
      const { intent, submit } = yield* mined(Effect.tap(sent, () => Effect.sync(() => (state.isSilent = true))))
      yield* eventually(Effect.map(carried, (ids) => !ids.includes("listed")))
      assert.deepStrictEqual(yield* carried, ["unlisted"])
      assert.strictEqual((yield* intent("unlisted")).status, "delivered")

      // Passes go on meanwhile.
      yield* submit({ id: "later", owner: 3 })
      yield* TestClock.adjust(1_000)
      yield* eventually(Effect.map(carried, (ids) => ids.includes("later")))
      yield* TestClock.adjust("30 seconds")
      yield* eventually(Effect.map(carried, (ids) => !ids.includes("unlisted")))
      assert.strictEqual((yield* (yield* Exposures).sums([ALL])).get(ALL)?.hour.lost, 7n)
    }).pipe(Effect.provide(runningIn(silentWorld(state))))
  })

  it.effect("ends a pass that is waited for, too", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* mined(relay)
      state.isSilent = true
      const pass = yield* Effect.forkChild(tick)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(pass)
      assert.deepStrictEqual(yield* carried, [])
      assert.strictEqual((yield* (yield* Exposures).sums([ALL])).get(ALL)?.hour.lost, 7n)
    }).pipe(Effect.provide(onDemandIn(silentWorld(state))))
  })
})

describe("a fee in an unlisted token that nodes cannot value", () => {
  const lost = Effect.flatMap(Exposures, ({ sums }) => Effect.map(sums([ALL]), (all) => all.get(ALL)?.hour.lost))

  it.effect("is valued again, and counts for what it sells for then", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* mined(relay)
      state.isSilent = true
      const pass = yield* Effect.forkChild(tick)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      state.isSilent = false
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(pass)
      assert.deepStrictEqual([yield* carried, yield* lost], [[], 0n])
    }).pipe(Effect.provide(onDemandIn(silentWorld(state, unanswered))))
  })

  it.effect("is worth nothing when it was asked for too long", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* mined(relay)
      state.isSilent = true
      const pass = yield* Effect.forkChild(tick)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(pass.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(pass)
      assert.deepStrictEqual([yield* carried, yield* lost], [[], 7n])
    }).pipe(Effect.provide(onDemandIn(silentWorld(state, unanswered))))
  })
})

describe("fees of one transaction, of which more are silent than are valued at once", () => {
  const lost = Effect.flatMap(Exposures, ({ sums }) => Effect.map(sums([ALL]), (all) => all.get(ALL)?.hour.lost))

  /**
   * Five sweeps of one transaction, each of which bears 14 wei. The fee that is valued last is worth more. The others are silent. Returns what
   * they lost, which is booked after this time.
   */
  const booked = (silence: ReturnType<FeeValue["Service"]["realisable"]>, time: Duration.Input = "30 seconds") => {
    const state = { isSilent: false }
    const asked = new Set<string>()
    const where = Layer.merge(
      world,
      Layer.succeed(FeeValue, {
        realisable: (_client, token) =>
          Effect.suspend(() => {
            if (!state.isSilent) return Effect.succeed(10n ** 18n)
            if (asked.size < 4) asked.add(token)
            return asked.has(token) ? silence : Effect.as(Effect.yieldNow, 10n ** 18n)
          })
      })
    )
    return Effect.gen(function* () {
      const the = yield* scene
      const intents = yield* Effect.forEach([1, 2, 3, 4, 5], (owner) =>
        the.submit({ id: `sweep ${owner}`, owner, order: { tokenIn: address(0xc0 + owner) } })
      )
      yield* relay
      const { attempts, intentIds, nonce } = yield* the.pending
      assert.deepStrictEqual(intentIds.toSorted(), intents.map(({ id }) => id).toSorted())
      const logs = intents.map((each) => sweptLog(each))
      yield* the.mineLane({ hash: attempts[0]?.hash ?? "0x", logs, gasUsed: 0n, dataFee: 70n }, nonce)
      yield* the.bury(2)
      state.isSilent = true
      const pass = yield* Effect.forkChild(tick)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      yield* TestClock.adjust(time)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      assert.isDefined(pass.pollUnsafe())
      yield* Fiber.join(pass)
      return yield* lost
    }).pipe(Effect.provide(onDemandIn(where)))
  }

  it.effect("count for nothing, and leave the others their worth", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* booked(unanswered), 56n)
    })
  )

  it.effect("count for nothing, and leave the others their worth, also if their valuations never end", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* booked(Effect.never), 56n)
    })
  )

  const uncertain = (atLeast: bigint) => {
    const detail = { chainId: source.id, method: "eth_call", detail: "away" }
    return Effect.fail(new FeeUncertain({ atLeast, silence: new ChainUnavailable(detail) }))
  }

  it.effect("count for what is known of them, if they may be worth more", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* booked(uncertain(4n)), 40n)
    })
  )

  it.effect.each([
    // The recipient has moved them since.
    [0n, 40n],
    [9n, 20n]
  ] as const)("count for at least what was known of them, if they sell for %s wei later", ([later, loss]) =>
    Effect.gen(function* () {
      let asked = 0
      const ending = Effect.suspend(() => (asked++ < 4 ? uncertain(4n) : Effect.succeed(later)))
      assert.strictEqual(yield* booked(ending, "3 seconds"), loss)
    })
  )

  it.effect("count at once for what is known of them, if that covers what they bear", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* booked(uncertain(14n), 0), 0n)
    })
  )
})

type Answer = ReturnType<ChainClient["call"]>

/** Word of a result of `run`. */
const bitmap = (bits: bigint) => Effect.succeed(numberToHex(bits, { size: 32 }))

/**
 * A batch of two first sweeps of which one settles. Returns the gas of 200,000 that the other one's owner lost, and the blocks at which the
 * entry was asked about the account.
 */
const missed = Effect.fnUntraced(function* (answer: Answer) {
  const the = yield* scene
  const intents = [yield* the.submit({ id: "settled", owner: 1 }), yield* the.submit({ id: "missed", owner: 2 })]
  yield* relay
  const [attempt] = (yield* the.pending).attempts
  const logs = intents.filter(({ id }) => id === "settled").map((each) => sweptLog(each))
  const block = yield* the.mineLane({ hash: attempt?.hash ?? "0x", logs, gasUsed: 200_000n })
  yield* the.bury(2)
  const asked: Array<unknown> = []
  const { contracts } = source
  yield* the.chain.onCall(({ block: at, to }) => {
    if (to !== contracts.entry) return bitmap(to === contracts.guard ? 0n : 10n ** 18n)
    asked.push(at)
    return answer
  })
  yield* tick
  const key = classOf("listed", "owner", source.id, address(2))
  const { hour } = (yield* (yield* Exposures).sums([key])).get(key) ?? EMPTY
  assert.deepStrictEqual(asked, [{ hash: block.hash }])
  return hour.lost / block.baseFeePerGas
})

describe("a first sweep that did not settle in a batch", () => {
  const bearing = (name: string, answer: Answer, isRight: (gas: bigint) => boolean) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const gas = yield* missed(answer)
        assert.isTrue(isRight(gas), String(gas))
      }).pipe(Effect.provide(layer))
    )

  // The authorization alone is 25,000.
  bearing("bears what a skip costs if the entry skipped it", bitmap(0n), (gas) => gas > 28_000n && gas < 45_000n)
  bearing("bears its whole part if it ran", bitmap(1n), (gas) => gas === 100_000n)
  bearing("bears its whole part if the entry has no code", Effect.succeed("0x"), (gas) => gas === 100_000n)
  bearing(
    "bears its whole part if the node does not answer",
    Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "no such state" })),
    (gas) => gas === 100_000n
  )
})
