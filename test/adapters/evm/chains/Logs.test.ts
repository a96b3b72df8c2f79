/** Reads of logs from endpoints that limit them, each in its own way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { LogFilter, ReadLogs } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "../rpc/scriptedNodes.ts"

const emitter = address(0x77)

/** A log in every tenth block. */
const logAt = (block: number) => ({
  address: emitter,
  topics: [zeroHash],
  data: "0x",
  blockNumber: numberToHex(block),
  blockHash: keccak256(numberToHex(block)),
  transactionHash: keccak256(numberToHex(block)),
  logIndex: "0x0",
  removed: false
})

const block = {
  hash: `0x${"11".repeat(32)}`,
  parentHash: `0x${"22".repeat(32)}`,
  timestamp: "0x1",
  baseFeePerGas: "0x7",
  gasLimit: "0x1c9c380"
}

const inRange = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((block) => block % 10 === 0)

/** A node that returns logs of `cap` blocks at once, and says so in the given way. */
const capped =
  (cap: number, code = -32_005, message: string | undefined = "block range is too wide"): Node =>
  (_method, params) => {
    const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
    const [from, to] = [Number(filter?.fromBlock), Number(filter?.toBlock)]
    return to - from + 1 > cap ? { error: { code, message } } : { result: inRange(from, to).map(logAt) }
  }

const range = (fromBlock: number, toBlock: number, options: Partial<LogFilter> = {}): LogFilter => ({
  address: emitter,
  topics: [zeroHash],
  fromBlock: BigInt(fromBlock),
  toBlock: BigInt(toBlock),
  ...options
})

const reads = (log: ReadonlyArray<string>) => log.filter((entry) => entry.endsWith("eth_getLogs")).length

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

  /** A node that returns the logs that it has, for any range. */
  const withHead =
    (head: () => number): Node =>
    (method, params) => {
      if (method === "eth_getBlockByNumber") {
        return { result: { ...block, number: numberToHex(head()) } }
      }
      if (method === "eth_blockNumber") return { result: numberToHex(head()) }
      const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
      return { result: inRange(Number(filter?.fromBlock), Math.min(Number(filter?.toBlock), head())).map(logAt) }
    }

  /** `two` has the newest head and serves no logs. The head of `one` is the given one. */
  const split = (head: () => number, newest = 100) =>
    network({
      one: withHead(head),
      two: (method, params) =>
        method === "eth_getLogs"
          ? { error: { code: -32_601, message: "the method eth_getLogs is not available" } }
          : withHead(() => newest)(method, params)
    })

  const blocksOf = ({ logs }: ReadLogs) => logs.map(({ blockNumber }) => Number(blockNumber))

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

  it.effect("are read from an endpoint whose head is not known", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: withHead(() => 90), two: withHead(() => 100) })
      yield* use((client) => client.logs(range(0, 100)))
      assert.deepStrictEqual(log, ["one eth_chainId", "one eth_getLogs"])
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
