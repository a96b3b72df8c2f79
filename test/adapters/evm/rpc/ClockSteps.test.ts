/** A clock that is set back, by an hour if nothing else is said. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, zeroHash } from "viem"
import * as BatchLimit from "../../../../src/adapters/evm/rpc/BatchLimit.ts"
import * as BlockOverrides from "../../../../src/adapters/evm/rpc/BlockOverrides.ts"
import * as Budget from "../../../../src/adapters/evm/rpc/Budget.ts"
import * as Heads from "../../../../src/adapters/evm/rpc/Heads.ts"
import { type Endpoint, EndpointFailed } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import * as LogWindow from "../../../../src/adapters/evm/rpc/LogWindow.ts"
import * as StateOverrides from "../../../../src/adapters/evm/rpc/StateOverrides.ts"
import * as Turns from "../../../../src/adapters/evm/rpc/Turns.ts"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { address, chain } from "../../../support/FakeChain.ts"
import { network, pass } from "./scriptedNodes.ts"

const HOUR = 3_600_000
const cost: Budget.Cost = { requests: 1, computeUnits: 20 }

/** Starts the test clock where an hour can be taken off it. */
const late = TestClock.setTime(2 * HOUR)
const back = TestClock.setTime(HOUR)

/** A clock that can be set back while timers run on, as those of a process do. */
const steppable = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let offset = 0
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() - offset
  const stepped: Clock.Clock = Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
  })
  const setBack = Effect.sync(() => {
    offset = HOUR
  })
  return { on: Effect.provideService(Clock.Clock, stepped), setBack }
})

const asked = (budget: Budget.Budget, now: number) => Budget.decide(budget, { _tag: "Asked", cost }, now)

describe("a budget whose clock is set back", () => {
  it("is refilled from then on", () => {
    let budget = Budget.make({ requestsPerSecond: 10 }, 2 * HOUR)
    for (let request = 0; request < 10; request++) budget = asked(budget, 2 * HOUR).budget
    const { budget: later, delayMillis } = asked(budget, HOUR)
    assert.strictEqual(delayMillis, 100)
    assert.strictEqual(asked(later, HOUR + 100).delayMillis, 0)
  })

  it("keeps what is left of a pause, and no more", () => {
    const limited = Budget.decide(
      Budget.make({}, 2 * HOUR),
      { _tag: "Limited", sentAt: 2 * HOUR, retryAfterMillis: 5_000 },
      2 * HOUR
    ).budget
    assert.strictEqual(asked(limited, HOUR).delayMillis, 5_000)
  })

  it("counts answers of the current second, and the time since a reduction", () => {
    let budget = Budget.make({ requestsPerSecond: 100 }, 2 * HOUR)
    budget = Budget.decide(budget, { _tag: "Limited", sentAt: 2 * HOUR }, 2 * HOUR).budget
    budget = Budget.decide(budget, { _tag: "Answered", cost }, HOUR).budget
    budget = Budget.decide(budget, { _tag: "Sent", cost: Budget.FREE }, HOUR + 6_000).budget
    assert.strictEqual(budget.requests.answered, 0)
    const before = budget.requests.rate
    budget = Budget.decide(budget, { _tag: "Limited", sentAt: HOUR + 6_000 }, HOUR + 6_000).budget
    assert.isBelow(budget.requests.rate, before)
  })
})

describe("requests at a clock that is set back", () => {
  it.effect("wait no longer for a turn than twice their patience", () =>
    Effect.gen(function* () {
      yield* late
      const { on, setBack } = yield* steppable
      const turns = Turns.make({ requestsPerSecond: 1 }, 2 * HOUR)
      yield* on(turns.take(cost))
      const waits = yield* Effect.forkChild(on(at("portfolio")(turns.take(cost))), { startImmediately: true })
      turns.record({ _tag: "Limited", sentAt: 2 * HOUR, retryAfterMillis: 60_000 }, 2 * HOUR)
      yield* setBack
      for (let step = 0; step < 50; step++) yield* pass("50 millis")
      const exit = waits.pollUnsafe()
      yield* Fiber.interrupt(waits)
      assert.isTrue(exit !== undefined && Exit.isFailure(exit))
    })
  )

  it.effect("are not repeated for as long as the step", () =>
    Effect.gen(function* () {
      yield* late
      const { on, setBack } = yield* steppable
      const { use } = network({ first: () => ({ status: 429, text: "slow down" }) })
      const asking = yield* Effect.forkChild(Effect.exit(on(use((client) => client.balance(address(1))))))
      yield* pass("100 millis")
      yield* setBack
      for (let second = 0; second < 30; second++) yield* pass("1 second")
      const exit = asking.pollUnsafe()
      yield* Fiber.interrupt(asking)
      assert.isDefined(exit)
    })
  )

  it.effect("go to a preferred endpoint whose cooldown would else last as long as the step", () =>
    Effect.gen(function* () {
      yield* late
      let isDown = true
      const { log, use } = network({
        first: () => (isDown ? "refuse connection" : { result: "0x10" }),
        second: () => ({ result: "0x10" })
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.balance(address(1))
          isDown = false
          yield* back
          log.length = 0
          yield* client.balance(address(1))
          assert.include(log, "first eth_getBalance")
        })
      )
    })
  )

  it.effect("repeat a check of the chain that failed before", () =>
    Effect.gen(function* () {
      yield* late
      let isDown = true
      const { use } = network({
        elsewhere: (method) => {
          if (isDown) return "refuse connection"
          return { result: method === "eth_chainId" ? numberToHex(chain.id) : "0x10" }
        }
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* Effect.flip(client.balance(address(1)))
          isDown = false
          yield* back
          assert.isTrue(yield* client.isAnswering)
          assert.strictEqual(yield* client.balance(address(1)), 16n)
        })
      )
    })
  )
})

describe("what was learned before a clock is set back", () => {
  it.effect("does not keep batches small for as long as the step", () =>
    Effect.gen(function* () {
      yield* late
      const limit = BatchLimit.make(50)
      yield* limit.refused(50)
      yield* back
      assert.strictEqual(yield* limit.current, 50)
    })
  )

  it("does not keep a window narrow for as long as the step", () => {
    let window = LogWindow.refused(LogWindow.initial, 5_000n, { because: "range" }, 2 * HOUR)
    const narrow = window.blocks
    for (let answer = 0; answer < 8; answer++) window = LogWindow.granted(window, window.blocks, HOUR)
    assert.isTrue(window.blocks > narrow)
  })
})

describe("a probe that failed before a clock is set back", () => {
  /** An endpoint that fails once, and then gives the answer. */
  const failingOnce = (answer: string): Endpoint => {
    let hasFailed = false
    return {
      name: "node",
      request: () =>
        Effect.suspend(() => {
          if (hasFailed) return Effect.succeed(answer)
          hasFailed = true
          return Effect.fail(new EndpointFailed({ endpoint: "node", detail: "made to fail" }))
        }),
      requestAll: () => Effect.succeed([])
    }
  }
  const word = (hex: string) => `0x${hex.padStart(64, "0")}`

  it.effect("is repeated, for state overrides and for block overrides", () =>
    Effect.gen(function* () {
      yield* late
      const states = yield* StateOverrides.make([failingOnce(word("2a"))])
      const endpoint = failingOnce(word("2a2a2a2a2a2a"))
      const blocks = yield* BlockOverrides.make([endpoint])
      yield* Effect.flip(states.isSupported)
      assert.isFalse(yield* blocks.areTaken(endpoint))
      yield* back
      assert.isTrue(yield* blocks.areTaken(endpoint))
      assert.isTrue(yield* states.isSupported)
    })
  )
})

describe("heads at a clock that is set back", () => {
  const head = (number: number) => ({
    number: BigInt(number),
    hash: keccak256(numberToHex(number)),
    parentHash: zeroHash,
    timestamp: 0n,
    baseFeePerGas: 1n,
    gasLimit: 1n
  })

  it.effect("are polled after a block time", () =>
    Effect.gen(function* () {
      yield* late
      let polls = 0
      const { reads } = yield* Heads.make(
        {
          chain: { ...chain, blockTimeMillis: 12_000 },
          block: () => {
            polls++
            // The second poll finds the same block, at a clock that was set back meanwhile.
            return Effect.as(polls === 2 ? back : Effect.void, Option.some(head(1)))
          }
        },
        undefined
      )
      yield* Effect.forkScoped(Stream.runDrain(reads.heads))
      for (let second = 0; second < 12; second++) yield* pass("1 second")
      assert.isAtLeast(polls, 2)
      polls = 2
      yield* pass("12 seconds")
      assert.isAtLeast(polls, 3)
    })
  )

  it.effect("are not taken for young ones", () =>
    Effect.gen(function* () {
      yield* late
      let number = 1
      const { reads } = yield* Heads.make(
        { chain, block: () => Effect.sync(() => Option.some(head(number))) },
        undefined
      )
      yield* reads.recentHead(1_000)
      number = 2
      yield* back
      assert.strictEqual(Option.getOrThrow(yield* reads.recentHead(1_000)).number, 2n)
    })
  )
})
