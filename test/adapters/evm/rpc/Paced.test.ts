/** Pacing of requests by the limits of endpoints. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, type Reaction } from "./scriptedNodes.ts"
import { ask, asked, balance, runOut } from "./refusingNodes.ts"

const limited: Reaction = { status: 429, text: "slow down" }

/** Answers only from this time on, in milliseconds. */
const limitedUntil =
  (millis: number, clock: Clock.Clock, refusal: Reaction = limited): Node =>
  (method, params) =>
    clock.currentTimeMillisUnsafe() < millis ? refusal : balance(method, params)

describe("an endpoint that refuses for the rate of requests", () => {
  const refusals: Record<string, Reaction> = {
    "by its status": limited,
    "in the body": { error: { code: 429, message: "compute units per second exceeded" } },
    "by a code": { error: { code: -32_005, message: "request rate exceeded" } },
    "with 503 and a time": { status: 503, text: "", headers: { "retry-after": "1" } }
  }
  for (const [how, refusal] of Object.entries(refusals)) {
    it.effect(`${how} is passed over at once`, () =>
      Effect.gen(function* () {
        const { log, use } = network({ first: () => refusal, second: balance })
        assert.strictEqual(yield* use(ask), 16n)
        assert.deepStrictEqual(asked(log), ["first", "second"])
      })
    )

    it.effect(`${how} is waited for when there is no other`, () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const { use } = network({ first: limitedUntil(300, clock, refusal) })
        const fiber = yield* Effect.forkChild(use(ask))
        yield* runOut(fiber)
        assert.strictEqual(yield* Fiber.join(fiber), 16n)
      })
    )
  }

  it.effect("is asked first again after a short pause, without a cooldown", () =>
    Effect.gen(function* () {
      let isLimited = true
      const { log, use } = network({
        first: (method, params) => (isLimited ? limited : balance(method, params)),
        second: balance
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* ask(client)
          isLimited = false
          log.length = 0
          yield* ask(client)
          assert.deepStrictEqual(asked(log), ["second"])
          yield* TestClock.adjust("60 millis")
          log.length = 0
          yield* ask(client)
          assert.deepStrictEqual(asked(log), ["first"])
        })
      )
    })
  )

  it.effect("is not asked before the time that it named", () =>
    Effect.gen(function* () {
      const refusal: Reaction = { status: 429, text: "", headers: { "retry-after": "5" } }
      const clock = yield* Clock.Clock
      const { log, use } = network({ first: limitedUntil(5_000, clock, refusal) })
      yield* use((client) =>
        Effect.gen(function* () {
          const quote = yield* Effect.flip(at("quote")(ask(client)))
          assert.include(quote.message, "429")
          // The relayer waits longer than a quote does.
          const relay = yield* Effect.forkChild(at("relay")(ask(client)))
          assert.isAtLeast(yield* runOut(relay), 5_000)
          assert.strictEqual(yield* Fiber.join(relay), 16n)
        })
      )
      assert.lengthOf(asked(log), 2)
    })
  )

  it.effect("is given up on when a user has waited long enough", () =>
    Effect.gen(function* () {
      const { use } = network({ first: () => limited, second: () => limited })
      const fiber = yield* Effect.forkChild(at("quote")(Effect.flip(use(ask))))
      assert.isAtMost(yield* runOut(fiber), 4_000)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ChainUnavailable")
    })
  )

  it.effect("gets a transaction again", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { use } = network({ first: limitedUntil(200, clock), second: () => "refuse connection" })
      const fiber = yield* Effect.forkChild(at("relay")(use((client) => client.send("0x01"))))
      yield* runOut(fiber)
      assert.strictEqual(yield* Fiber.join(fiber), keccak256("0x01"))
    })
  )

  it.effect("at every fifth call answers many reads of accounts, also without batches", () =>
    Effect.gen(function* () {
      let calls = 0
      const fifth: Node = (method) => {
        calls += 1
        if (calls % 5 === 0) return limited
        return { result: method === "eth_getCode" ? "0x" : "0x1" }
      }
      const { use } = network({ first: fifth, second: fifth }, () => new Response("", { status: 400 }))
      const fiber = yield* Effect.forkChild(
        at("relay")(use((client) => client.accounts(Array.from({ length: 40 }, (_, index) => address(index)))))
      )
      assert.isAtMost(yield* runOut(fiber), 5_000)
      assert.lengthOf(yield* Fiber.join(fiber), 40)
    })
  )

  it.effect("refuses a batch as a whole, which is not split", () =>
    Effect.gen(function* () {
      let batches = 0
      const { requests, use } = network({ first: balance, second: balance }, (calls, answer) => {
        batches += 1
        return batches === 1
          ? Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_005, message: "rate limit exceeded" } })
          : Response.json(calls.map(answer))
      })
      yield* use((client) =>
        Effect.forEach([1, 2, 3], (byte) => client.balance(address(byte)), { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(requests, ["first 3", "second 3"])
    })
  )
})

describe("an endpoint with a stated limit", () => {
  it.effect("is sent no more than that, and the next one gets the rest", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: balance, second: balance }, undefined, {
        first: { requestsPerSecond: 5 }
      })
      yield* use((client) =>
        Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          (byte) => client.balance(address(byte)),
          {
            discard: true
          }
        )
      )
      // One of the five is the check of the chain.
      assert.strictEqual(asked(log).filter((host) => host === "first").length, 4)
      assert.strictEqual(asked(log).filter((host) => host === "second").length, 16)
    })
  )

  it.effect("alone is waited for", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: balance }, undefined, { first: { computeUnitsPerSecond: 100 } })
      const fiber = yield* Effect.forkChild(
        at("relay")(
          use((client) =>
            Effect.forEach(
              Array.from({ length: 20 }, (_, index) => index),
              (byte) => client.balance(address(byte)),
              {
                discard: true
              }
            )
          )
        )
      )
      const took = yield* runOut(fiber)
      yield* Fiber.join(fiber)
      // 20 calls of 20 units, less one second's burst of 100. Each step of the clock may delay a call.
      assert.isAtLeast(took, 3_000)
      assert.isAtMost(took, 4_500)
      assert.lengthOf(asked(log), 20)
    })
  )
})
