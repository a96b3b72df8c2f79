/** Reads of logs from endpoints that limit them, each in its own way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { network } from "../rpc/scriptedNodes.ts"
import { blocksOf, capped, emitter, inRange, range, reads, split } from "./loggingNodes.ts"

describe("logs", () => {
  it.effect("are read in the widest windows that the endpoint grants, which it remembers", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: capped(100) })
      yield* use((client) =>
        Effect.gen(function* () {
          const first = yield* client.logs(range(0, 999))
          assert.deepStrictEqual(
            first.logs.map(({ blockNumber }) => Number(blockNumber)),
            inRange(0, 999)
          )
          assert.isUndefined(first.unread)
          // One refusal for 1,000 blocks, one for 500, and ten windows.
          assert.strictEqual(reads(log), 12)
          yield* client.logs(range(1_000, 1_999))
          assert.strictEqual(reads(log), 22)
        })
      )
    })
  )

  it.effect("are read as far as the requests suffice, from either end", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: capped(10, -32_600, "up to a 10 block range") })
      yield* use((client) =>
        Effect.gen(function* () {
          const oldest = yield* client.logs(range(0, 9_999))
          assert.strictEqual(reads(log), 40)
          assert.deepStrictEqual(oldest.unread, { fromBlock: 390n, toBlock: 9_999n })
          assert.lengthOf(oldest.logs, 39)
          const newest = yield* client.logs(range(0, 9_999, { order: "newest", requests: 3 }))
          assert.deepStrictEqual(newest.unread, { fromBlock: 0n, toBlock: 9_969n })
          assert.lengthOf(newest.logs, 3)
          const until = yield* client.logs(
            range(0, 9_999, { order: "newest", until: ({ blockNumber }) => blockNumber === 9_980n })
          )
          assert.deepStrictEqual(until.unread, { fromBlock: 0n, toBlock: 9_979n })
        })
      )
    })
  )

  it.effect("are read elsewhere from an endpoint that grants not even one block, or is behind", () =>
    Effect.gen(function* () {
      for (const [first, requests] of [
        [capped(0), 8],
        [capped(0, -32_602, "block range extends beyond current head block"), 2]
      ] as const) {
        const { log, use } = network({ one: first, two: capped(5_000) })
        yield* use((client) =>
          Effect.gen(function* () {
            const { logs, unread } = yield* client.logs(range(0, 99))
            assert.lengthOf(logs, 10)
            assert.isUndefined(unread)
            assert.isAtMost(reads(log), requests)
          })
        )
      }
    })
  )

  it.effect("are read elsewhere by the only request if an endpoint serves none", () =>
    Effect.gen(function* () {
      const { use } = split(() => 100)
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(blocksOf(yield* client.logs(range(0, 100, { requests: 1 }))), inRange(0, 100))
        })
      )
      const none = network({
        one: () => ({ error: { code: -32_601, message: "method not found" } }),
        two: () => ({ error: { code: -32_601, message: "method not found" } })
      })
      yield* none.use((client) => Effect.flip(client.logs(range(0, 100, { requests: 1 }))))
    })
  )

  it.effect("fail if no endpoint returns any", () =>
    Effect.gen(function* () {
      const { use } = network({ one: () => ({ error: { code: -32_601, message: "method not found" } }) })
      const error = yield* use((client) => Effect.flip(client.logs(range(0, 99))))
      assert.strictEqual(error.method, "eth_getLogs")
    })
  )

  it.effect("do not make batches smaller when a wide range in one is refused as an invalid request", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ one: capped(10, -32_600, "up to a 10 block range") })
      yield* use((client) =>
        Effect.gen(function* () {
          const together = Effect.all(
            [client.logs(range(0, 19)), client.logs(range(0, 19)), client.logs(range(5, 19))],
            {
              concurrency: "unbounded"
            }
          )
          yield* together
          requests.length = 0
          yield* TestClock.adjust("1 second")
          yield* Effect.all(
            [client.balance(emitter), client.code(emitter), client.transactionCount(emitter, "latest")],
            {
              concurrency: "unbounded"
            }
          ).pipe(Effect.ignore)
          assert.deepStrictEqual(requests, ["one 3"])
        })
      )
    })
  )
})
