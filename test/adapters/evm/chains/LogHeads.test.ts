/** Reads of logs from endpoints whose heads differ, or are not known. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { network, type Node, pass, type Reaction } from "../rpc/scriptedNodes.ts"
import { blocksOf, inRange, range, split, withHead } from "./loggingNodes.ts"

describe("logs", () => {
  it.effect("are read to the head of an endpoint that is behind, which leaves the rest unread", () =>
    Effect.gen(function* () {
      const { log, use } = split(() => 90)
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          const oldest = yield* Effect.forkChild(client.logs(range(0, 100)))
          yield* pass("2999 millis")
          assert.notInclude(log, "one eth_getLogs", "waits for the newest blocks")
          yield* pass("1 milli")
          assert.deepStrictEqual((yield* Fiber.join(oldest)).unread, { fromBlock: 91n, toBlock: 100n })
          assert.deepStrictEqual(blocksOf(yield* Fiber.join(oldest)), inRange(0, 90))
          // The next look, which has the older blocks, is not told that there are no logs.
          const rest = yield* Effect.forkChild(Effect.flip(client.logs(range(91, 100))))
          yield* pass("3 seconds")
          yield* Fiber.join(rest)
        })
      )
    })
  )

  it.effect(
    "are read without a wait from the newest block that an endpoint has, and the whole range is left if more is",
    () =>
      Effect.gen(function* () {
        const { use } = split(() => 19_990, 20_000)
        yield* use((client) =>
          Effect.gen(function* () {
            yield* client.block("latest")
            const all = yield* client.logs(range(15_000, 20_000, { order: "newest" }))
            assert.deepStrictEqual(blocksOf(all), inRange(15_000, 19_990))
            assert.deepStrictEqual(all.unread, { fromBlock: 19_991n, toBlock: 20_000n })
            const some = yield* client.logs(range(0, 20_000, { order: "newest", requests: 1 }))
            assert.deepStrictEqual(blocksOf(some), inRange(14_991, 19_990))
            assert.deepStrictEqual(some.unread, { fromBlock: 0n, toBlock: 20_000n })
          })
        )
      })
  )

  it.effect("are read completely on a fast chain whose newest endpoint serves none", () =>
    Effect.gen(function* () {
      let head = 20_000
      const { log, use } = split(() => head - 4, head)
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          const old = yield* client.logs(range(0, 9_999))
          assert.isUndefined(old.unread, "old windows need no new head")
          assert.lengthOf(old.logs, 1_000)
          const newest = yield* Effect.forkChild(client.logs(range(0, 20_000)))
          // Four blocks in a second.
          for (let block = 0; block < 4; block++) {
            yield* pass("250 millis")
            head += 1
          }
          log.length = 0
          yield* pass("500 millis")
          const { logs, unread } = yield* Fiber.join(newest)
          assert.isUndefined(unread)
          assert.lengthOf(logs, 2_001)
          assert.lengthOf(
            log.filter((line) => line === "one eth_blockNumber"),
            1
          )
        })
      )
    })
  )

  it.effect("are read from an endpoint that was behind as soon as it has caught up", () =>
    Effect.gen(function* () {
      let head = 90
      const { log, use } = split(() => head)
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          head = 100
          log.length = 0
          assert.lengthOf((yield* client.logs(range(0, 100))).logs, 11)
          yield* client.logs(range(0, 100))
          assert.lengthOf(
            log.filter((line) => line === "one eth_blockNumber"),
            1
          )
        })
      )
    })
  )

  it.effect("are read elsewhere at once if an endpoint with the newest head serves them", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: withHead(() => 99), two: withHead(() => 100) })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          assert.deepStrictEqual(blocksOf(yield* client.logs(range(0, 100))), inRange(0, 100))
          assert.notInclude(log, "one eth_getLogs")
        })
      )
    })
  )

  it.effect("are read from an endpoint whose head is not known after it has said that it has the blocks", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: withHead(() => 90), two: withHead(() => 100) })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.logs(range(0, 90))
          assert.deepStrictEqual(log, ["one eth_chainId", "one eth_blockNumber", "one eth_getLogs"])
          log.length = 0
          yield* client.logs(range(0, 90))
          assert.deepStrictEqual(log, ["one eth_getLogs"])
          assert.deepStrictEqual(blocksOf(yield* client.logs(range(0, 100))), inRange(0, 100))
          log.length = 0
          // Heads are known for 75 seconds.
          yield* pass("75 seconds")
          yield* client.logs(range(91, 100))
          assert.deepStrictEqual(log, ["one eth_blockNumber", "two eth_blockNumber", "two eth_getLogs"])
        })
      )
    })
  )

  it.effect("are not taken as read from an endpoint that is behind and told its head too late", () =>
    Effect.gen(function* () {
      const { log, use } = network({
        one: (method, params) => (method === "eth_getBlockByNumber" ? "hang" : withHead(() => 90)(method, params)),
        two: (method, params) =>
          method === "eth_getLogs"
            ? { error: { code: -32_601, message: "the method eth_getLogs is not available" } }
            : withHead(() => 100)(method, params)
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const head = yield* Effect.forkChild(client.block("latest"))
          yield* pass("300 millis")
          yield* Fiber.join(head)
          const read = yield* Effect.forkChild(client.logs(range(85, 100)))
          yield* pass("3 seconds")
          assert.deepStrictEqual((yield* Fiber.join(read)).unread, { fromBlock: 91n, toBlock: 100n })
          assert.include(log, "one eth_getLogs")
        })
      )
    })
  )

  it.effect("are read from the only endpoint without a question for its head", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: withHead(() => 90) })
      yield* use((client) => client.logs(range(0, 100)))
      assert.deepStrictEqual(log, ["one eth_chainId", "one eth_getLogs"])
    })
  )

  it.effect("are read elsewhere from an endpoint whose head is not known and that tells none", () =>
    Effect.gen(function* () {
      const odd =
        (reaction: Reaction): Node =>
        (method, params) =>
          method === "eth_blockNumber" ? reaction : withHead(() => 100)(method, params)
      for (const reaction of [
        { result: "soon" },
        { error: { code: -32_000, message: "starting" } },
        "refuse connection"
      ] as const) {
        const { log, use } = network({ one: odd(reaction), two: withHead(() => 100) })
        assert.deepStrictEqual(blocksOf(yield* use((client) => client.logs(range(0, 100)))), inRange(0, 100))
        assert.notInclude(log, "one eth_getLogs")
      }
    })
  )
})
