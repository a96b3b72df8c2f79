/** Endpoints that refuse `eth_getLogs` at any rate, and answer everything else. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as RefusedMethod from "../../../../src/adapters/evm/rpc/RefusedMethod.ts"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { address } from "../../../support/FakeChain.ts"
import { range, reads, withHead } from "../chains/loggingNodes.ts"
import { ask, asked, balance, runOut } from "./refusingNodes.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const refusal: Reaction = { error: { code: -32_005, message: "limit exceeded" } }

const node =
  (logs: () => Reaction): Node =>
  (method, params) => {
    if (method === "eth_getLogs") return logs()
    return method === "eth_getBalance" ? balance(method, params) : withHead(() => 100)(method, params)
  }

/** State after replies, one in so many milliseconds: `l` answers logs, `L` refuses them, `o` answers another method, `O` refuses it. */
const after = (replies: string, millis = 600): RefusedMethod.RefusedMethod =>
  [...replies].reduce((state, reply, index) => {
    const kind = reply.toLowerCase() === reply ? "answered" : "limited"
    return reply.toLowerCase() === "l"
      ? RefusedMethod.replied(state, kind, millis * index)
      : RefusedMethod.repliedToOther(state, kind)
  }, RefusedMethod.initial)

describe("a method", () => {
  it("counts as switched off after three refusals with other answers between them", () => {
    for (const replies of ["LoLoL", "oLooLooL", "lLoLoL", "LLoLLoL", "OLoLoL"]) {
      assert.isTrue(RefusedMethod.isOff(after(replies)), replies)
    }
  })

  it("does not while it is answered, or other methods are refused or not asked for", () => {
    for (const replies of ["", "L", "LoL", "LLLLLL", "LoLloLoL", "LoLOoLoL", "LOLOLOLO", "ooooo"]) {
      assert.isFalse(RefusedMethod.isOff(after(replies)), replies)
    }
  })

  it("does not within two seconds, since a cheaper one may be granted where it is not", () => {
    assert.isFalse(RefusedMethod.isOff(after("Lo".repeat(100), 9)))
    assert.isTrue(RefusedMethod.isOff(after("Lo".repeat(100), 11)))
  })

  it("is tried by one request in a minute until it is answered", () => {
    const off = after("LoLoL", 600)
    assert.strictEqual(off.offUntil, 62_400)
    assert.isAbove(RefusedMethod.waitMillis(off, 62_399), 0)
    assert.strictEqual(RefusedMethod.waitMillis(off, 62_400), 0)
    const tried = RefusedMethod.asked(off, 70_000)
    assert.isAbove(RefusedMethod.waitMillis(tried, 70_001), 0)
    assert.strictEqual(RefusedMethod.waitMillis(RefusedMethod.replied(tried, "answered", 70_100), 70_101), 0)
    const refused = RefusedMethod.replied(tried, "limited", 70_100)
    assert.isAbove(RefusedMethod.waitMillis(refused, 129_999), 0)
    assert.strictEqual(RefusedMethod.waitMillis(refused, 130_000), 0)
  })
})

describe("a method, after the clock was set back by an hour,", () => {
  const HOUR = 3_600_000

  it("is tried again at once, and not an hour later", () => {
    for (const state of [after("L"), after("LoLoL")]) {
      const shifted = { ...state, refusedAt: state.refusedAt + HOUR, offUntil: state.offUntil + HOUR }
      assert.strictEqual(RefusedMethod.waitMillis(shifted, 1_000), 0)
    }
  })

  it("counts as switched off after as many refusals as before", () => {
    const late = RefusedMethod.repliedToOther(RefusedMethod.replied(RefusedMethod.initial, "limited", HOUR), "answered")
    const early = [2_000, 4_000].reduce(
      (state, now) => RefusedMethod.repliedToOther(RefusedMethod.replied(state, "limited", now), "answered"),
      late
    )
    assert.isTrue(RefusedMethod.isOff(early))
  })
})

describe("an endpoint that refuses each read of logs", () => {
  /** 40 reads of balances in a second, for this many seconds. Returns how many failed. */
  const traffic = (read: (byte: number) => Effect.Effect<unknown, unknown>, seconds: number) =>
    Effect.gen(function* () {
      let failed = 0
      const one = (index: number) =>
        Effect.delay(at("quote")(read(index % 250)), index * 25).pipe(
          Effect.catch(() =>
            Effect.sync(() => {
              failed += 1
            })
          )
        )
      yield* Effect.forEach(
        Array.from({ length: 40 * seconds }, (_, index) => index),
        one,
        {
          concurrency: "unbounded",
          discard: true
        }
      )
      return failed
    })

  it.effect("is asked for them a few times, once a minute after that, and for everything else as before", () =>
    Effect.gen(function* () {
      let reaction: Reaction = refusal
      const { log, use } = network({ one: node(() => reaction) })
      yield* use((client) =>
        Effect.gen(function* () {
          const others = yield* Effect.forkChild(traffic((byte) => client.balance(address(byte)), 10))
          const logs = yield* Effect.forkChild(at("watch")(Effect.flip(client.logs(range(0, 99)))))
          assert.isAtMost(yield* runOut(logs), 4_000)
          const failure = yield* Fiber.join(logs)
          assert.strictEqual(failure.method, "eth_getLogs")
          assert.include(failure.detail, "limit exceeded")
          yield* runOut(others)
          assert.strictEqual(yield* Fiber.join(others), 0)
          const first = reads(log)
          assert.strictEqual(first, 3)

          assert.include((yield* Effect.flip(client.logs(range(0, 99)))).detail, "refuses eth_getLogs")
          assert.strictEqual(reads(log), first, "it is not sent")
          const since = yield* Clock.currentTimeMillis
          yield* TestClock.adjust(65_000 - since)
          yield* Effect.flip(client.logs(range(0, 99)))
          yield* Effect.flip(client.logs(range(0, 99)))
          assert.strictEqual(reads(log), first + 1, "it is tried once")
          assert.strictEqual(yield* at("quote")(ask(client)), 16n, "without a pause of the endpoint")

          reaction = { result: [] }
          yield* pass("61 seconds")
          yield* client.logs(range(0, 99))
          yield* client.logs(range(0, 99))
          assert.strictEqual(reads(log), first + 3)
        })
      )
    })
  )

  it.effect("is asked first for everything else, while logs come from the next one at once", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: node(() => refusal), two: withHead(() => 100) })
      yield* use((client) =>
        Effect.gen(function* () {
          const looks: Array<ReadonlyArray<string | undefined>> = []
          for (let look = 0; look < 7; look++) {
            log.length = 0
            const before = yield* Clock.currentTimeMillis
            yield* client.logs(range(0, 99))
            assert.strictEqual(yield* Clock.currentTimeMillis, before)
            looks.push(asked(log, "eth_getLogs"))
            yield* pass("500 millis")
            yield* ask(client)
            assert.deepStrictEqual(asked(log), ["one"])
          }
          const both = ["one", "two"]
          assert.deepStrictEqual(looks, [both, ["two"], both, ["two"], both, ["two"], ["two"]])
        })
      )
    })
  )

  it.effect("for the rate of all requests is waited for", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const busy: Node = (method, params) =>
        clock.currentTimeMillisUnsafe() < 1_000 ? refusal : node(() => ({ result: [] }))(method, params)
      const { use } = network({ one: busy })
      yield* use((client) =>
        Effect.gen(function* () {
          const others = yield* Effect.forkChild(traffic((byte) => client.balance(address(byte)), 2))
          const logs = yield* Effect.forkChild(at("watch")(client.logs(range(0, 99))))
          yield* runOut(logs)
          assert.isUndefined((yield* Fiber.join(logs)).unread)
          yield* Fiber.interrupt(others)
        })
      )
    })
  )

  it.effect("for a time that it names is waited for", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const named: Reaction = { status: 429, text: "", headers: { "retry-after": "1" } }
      const { use } = network({ one: node(() => (clock.currentTimeMillisUnsafe() < 5_000 ? named : { result: [] })) })
      yield* use((client) =>
        Effect.gen(function* () {
          const others = yield* Effect.forkChild(traffic((byte) => client.balance(address(byte)), 8))
          const logs = yield* Effect.forkChild(at("watch")(client.logs(range(0, 99))))
          assert.isAtLeast(yield* runOut(logs), 5_000)
          assert.isUndefined((yield* Fiber.join(logs)).unread)
          yield* Fiber.interrupt(others)
        })
      )
    })
  )
})
