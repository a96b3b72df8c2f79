/** Endpoints without state overrides. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, type Reaction } from "./scriptedNodes.ts"
import { asked, balance, runOut } from "./refusingNodes.ts"

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
          assert.lengthOf(asked(log, "eth_call"), 4)
          assert.isFalse(yield* client.canSimulate)
          assert.lengthOf(asked(log, "eth_call"), 4)
          yield* TestClock.adjust("6 minutes")
          assert.isFalse(yield* client.canSimulate)
          assert.lengthOf(asked(log, "eth_call"), 6)
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

  it.effect("is not one that took them before, and answers the next probe with an error", () =>
    Effect.gen(function* () {
      for (const [error, isPassing] of [
        [{ code: -32_603, message: "internal error" }, true],
        [{ code: -32_000, message: "header not found" }, true],
        [{ code: -32_602, message: "too many arguments, want at most 2" }, false],
        [{ code: -32_601, message: "the method does not exist" }, false]
      ] as const) {
        let isFailing = false
        const only: Node = (method, params) => (isFailing ? { error } : node({ overrides: true })(method, params))
        yield* network({ only }).use((client) =>
          Effect.gen(function* () {
            assert.isTrue(yield* client.canSimulate)
            yield* TestClock.adjust("61 minutes")
            isFailing = true
            assert.strictEqual(
              yield* Effect.orElseSucceed(client.canSimulate, () => "no answer"),
              isPassing ? "no answer" : false
            )
            isFailing = false
            assert.isTrue(yield* client.canSimulate)
          })
        )
      }
    })
  )

  it.effect("is one that took them before, once it has answered each probe of a minute with an error", () =>
    Effect.gen(function* () {
      let isFailing = false
      const error = { code: -32_000, message: "state overrides are not part of your plan" }
      const only: Node = (method, params) =>
        isFailing && method === "eth_call" ? { error } : node({ overrides: true })(method, params)
      const { log, use } = network({ only })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.isTrue(yield* client.canSimulate)
          yield* TestClock.adjust("61 minutes")
          isFailing = true
          for (let second = 0; second < 60; second += 20) {
            assert.strictEqual((yield* Effect.flip(client.canSimulate))._tag, "ChainUnavailable")
            yield* TestClock.adjust("20 seconds")
          }
          assert.isFalse(yield* client.canSimulate)
          assert.isFalse(yield* client.canSimulate)
          const probes = asked(log, "eth_call").length
          assert.isFalse(yield* client.canSimulate)
          assert.strictEqual(asked(log, "eth_call").length, probes, "the result is kept")
          isFailing = false
          yield* TestClock.adjust("6 minutes")
          assert.isTrue(yield* client.canSimulate)
          // An answer ends the minute.
          yield* TestClock.adjust("61 minutes")
          isFailing = true
          assert.strictEqual((yield* Effect.flip(client.canSimulate))._tag, "ChainUnavailable")
        })
      )
    })
  )

  it.effect("is asked again until it has refused twice in a row", () =>
    Effect.gen(function* () {
      let overrides = false
      const only: Node = (method, params) => node({ overrides })(method, params)
      const { log, use } = network({ only })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.isFalse(yield* client.canSimulate)
          overrides = true
          assert.isTrue(yield* client.canSimulate)
          overrides = false
          yield* TestClock.adjust("61 minutes")
          assert.isFalse(yield* client.canSimulate)
          assert.isFalse(yield* client.canSimulate)
          overrides = true
          assert.isFalse(yield* client.canSimulate)
          assert.lengthOf(asked(log, "eth_call"), 4)
          yield* TestClock.adjust("6 minutes")
          assert.isTrue(yield* client.canSimulate)
        })
      )
    })
  )

  it.effect("does not keep the others from simulations when its head is the newest", () =>
    Effect.gen(function* () {
      const { use } = network({
        first: node({ overrides: false, height: 101 }),
        second: node({ overrides: true, height: 100, answer: "0x600d" })
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          assert.strictEqual(yield* call(client), "0x600d")
          assert.strictEqual(yield* call(client), "0x600d", "also once the probes are known")
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

  const refusals: Record<string, Reaction> = {
    "cannot simulate": { error: { code: -32_000, message: "the gas cap of calls is exceeded" } },
    "refuses for its rate for longer than a call waits": {
      status: 429,
      text: "",
      headers: { "Retry-After": "60" }
    }
  }
  for (const [how, refusal] of Object.entries(refusals)) {
    it.effect(`that has the newest head and ${how} leaves the call to the others`, () =>
      Effect.gen(function* () {
        const newest = node({ overrides: true, height: 101 })
        const { log, use } = network({
          first: (method, params) =>
            method === "eth_call" && !JSON.stringify(params[2]).includes("0x2a") ? refusal : newest(method, params),
          second: node({ overrides: true, height: 100, answer: "0x600d" })
        })
        yield* use((client) =>
          Effect.gen(function* () {
            yield* client.block("latest")
            const fiber = yield* Effect.forkChild(call(client))
            yield* runOut(fiber)
            assert.strictEqual(yield* Fiber.join(fiber), "0x600d")
            assert.deepStrictEqual(asked(log, "eth_call"), ["first", "first", "second", "second"])
          })
        )
      })
    )
  }
})
