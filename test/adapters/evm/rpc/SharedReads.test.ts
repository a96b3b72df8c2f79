/** Reads that several readers share. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "./scriptedNodes.ts"
import { ask, asked, balance, runOut } from "./refusingNodes.ts"

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
