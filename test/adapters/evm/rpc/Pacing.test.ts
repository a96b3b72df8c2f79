import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const balance: Node = (method) =>
  method === "eth_sendRawTransaction" ? { result: keccak256("0x01") } : { result: "0x10" }

const limited: Reaction = { status: 429, text: "slow down" }

const ask = (client: ChainClient) => client.balance(address(1))

/** Answers only from this time on, in milliseconds. */
const limitedUntil =
  (millis: number, clock: Clock.Clock, refusal: Reaction = limited): Node =>
  (method, params) =>
    clock.currentTimeMillisUnsafe() < millis ? refusal : balance(method, params)

/** Lets the clock run in steps until the fiber has ended, and returns the time. */
const runOut = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* pass("100 millis")
  return yield* Clock.currentTimeMillis
})

const asked = (log: ReadonlyArray<string>, method = "eth_getBalance") =>
  log.filter((line) => line.endsWith(method)).map((line) => line.split(" ")[0])

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

describe("identical reads in flight", () => {
  const slow: Node = () => ({ afterMillis: 100, result: "0x10" })

  it.effect("are one request, and other reads are not", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: slow })
      const fiber = yield* Effect.forkChild(
        use((client) =>
          Effect.all([ask(client), ask(client), client.balance(address(2)), ask(client)], { concurrency: "unbounded" })
        )
      )
      yield* runOut(fiber)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [16n, 16n, 16n, 16n])
      assert.lengthOf(asked(log), 2)
    })
  )

  it.effect("are asked again when the first reader is interrupted", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: slow })
      yield* use((client) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(ask(client), { startImmediately: true })
          yield* pass("10 millis")
          const second = yield* Effect.forkChild(ask(client), { startImmediately: true })
          yield* Fiber.interrupt(first)
          yield* runOut(second)
          assert.strictEqual(yield* Fiber.join(second), 16n)
        })
      )
      assert.isAtMost(asked(log).length, 2)
    })
  )

  it.effect("are not shared once they are answered", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: balance })
      yield* use((client) => Effect.andThen(ask(client), ask(client)))
      assert.lengthOf(asked(log), 2)
    })
  )

  it.effect("do not wait behind one of a lower priority", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: slow })
      const fiber = yield* Effect.forkChild(
        use((client) =>
          Effect.all([at("portfolio")(ask(client)), at("relay")(ask(client)), at("quote")(ask(client))], {
            concurrency: "unbounded"
          })
        )
      )
      yield* runOut(fiber)
      yield* Fiber.join(fiber)
      assert.lengthOf(asked(log), 2)
    })
  )
})

describe("code", () => {
  it.effect("of a contract is kept, and that of an owner's account is not", () =>
    Effect.gen(function* () {
      const contract = "0x6001"
      const delegated = `0xef0100${"42".repeat(20)}`
      const codes: Record<string, string> = { [address(1)]: contract, [address(2)]: delegated, [address(3)]: "0x" }
      const { log, use } = network({ first: (_, params) => ({ result: codes[String(params[0])] ?? "0x" }) })
      const reads = (client: ChainClient, byte: number) =>
        Effect.gen(function* () {
          log.length = 0
          assert.strictEqual(yield* client.code(address(byte)), codes[address(byte)])
          return asked(log, "eth_getCode").length
        })
      yield* use((client) =>
        Effect.gen(function* () {
          for (const [byte, again] of [
            [1, 0],
            [2, 1],
            [3, 1]
          ] as const) {
            assert.strictEqual(yield* reads(client, byte), 1)
            assert.strictEqual(yield* reads(client, byte), again)
          }
          yield* TestClock.adjust("11 minutes")
          assert.strictEqual(yield* reads(client, 1), 1)
        })
      )
    })
  )
})

describe("an endpoint without state overrides", () => {
  const head = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: `0x${"11".repeat(32)}`,
    parentHash: `0x${"22".repeat(32)}`,
    timestamp: "0x1",
    baseFeePerGas: "0x7",
    gasLimit: "0x1c9c380"
  })
  /** Returns a balance that the probe overrides, and `answer` to any other call. */
  const node =
    (options: { readonly overrides: boolean; readonly height?: number; readonly answer?: string }): Node =>
    (method, params) => {
      if (method === "eth_getBlockByNumber") return { result: head(options.height ?? 100) }
      if (method !== "eth_call") return balance(method, params)
      const overrides = JSON.stringify(params[2] ?? {})
      if (overrides.includes(`"balance":"0x2a"`)) {
        return { result: options.overrides ? `0x${"2a".padStart(64, "0")}` : "0x" }
      }
      return { result: options.answer ?? "0x01" }
    }

  const call = (client: ChainClient) =>
    client.call({ to: address(1), data: "0x", block: "latest", codeOverrides: [{ address: address(1), code: "0x00" }] })

  it.effect("is not asked to simulate", () =>
    Effect.gen(function* () {
      const { use } = network({
        first: node({ overrides: false, answer: "0x0bad" }),
        second: node({ overrides: true, answer: "0x600d" })
      })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* call(client), "0x600d")
          assert.isTrue(yield* client.canSimulate)
          // It still answers what it can.
          assert.strictEqual(yield* client.call({ to: address(1), data: "0x", block: "latest" }), "0x0bad")
        })
      )
    })
  )

  it.effect("leaves the chain without simulations if there is no other, which is not an answer of the chain", () =>
    Effect.gen(function* () {
      const refusing: Node = (method, params) =>
        method === "eth_call" && params.length > 2
          ? { error: { code: -32_602, message: "too many arguments, want at most 2" } }
          : balance(method, params)
      const { log, use } = network({ first: refusing, second: node({ overrides: false }) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.isFalse(yield* client.canSimulate)
          const error = yield* Effect.flip(call(client))
          assert.strictEqual(error._tag, "ChainUnavailable")
          assert.include(error.message, "takes no state overrides")
          assert.isTrue(yield* client.isAnswering)
          assert.lengthOf(asked(log, "eth_call"), 2)
          yield* TestClock.adjust("6 minutes")
          assert.isFalse(yield* client.canSimulate)
          assert.lengthOf(asked(log, "eth_call"), 4)
        })
      )
    })
  )

  it.effect("is unknown while it does not answer", () =>
    Effect.gen(function* () {
      let isDown = true
      const { use } = network({
        first: (method, params) => (isDown ? "refuse connection" : node({ overrides: true })(method, params))
      })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(client.canSimulate))._tag, "ChainUnavailable")
          assert.isFalse(yield* client.isAnswering)
          isDown = false
          assert.isTrue(yield* client.canSimulate)
          assert.isTrue(yield* client.isAnswering)
        })
      )
    })
  )

  it.effect("that has an old head is not asked to simulate either, unless it is the last one", () =>
    Effect.gen(function* () {
      let isDown = false
      const current = node({ overrides: true, height: 101, answer: "0x600d" })
      const { use } = network({
        first: node({ overrides: true, height: 100, answer: "0x01d0" }),
        second: (method, params) => (isDown ? "refuse connection" : current(method, params))
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          assert.strictEqual(yield* call(client), "0x600d")
          isDown = true
          assert.strictEqual(yield* call(client), "0x01d0")
        })
      )
    })
  )
})
