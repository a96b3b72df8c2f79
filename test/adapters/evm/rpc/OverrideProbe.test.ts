/** Endpoints without state overrides. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node } from "./scriptedNodes.ts"
import { asked, balance } from "./refusingNodes.ts"

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
