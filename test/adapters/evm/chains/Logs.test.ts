/** Reads of logs from endpoints that limit them, each in its own way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { LogFilter } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node } from "../rpc/scriptedNodes.ts"

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

  it.effect("are not read from an endpoint whose head is older than the range, until it has caught up", () =>
    Effect.gen(function* () {
      let head = 90
      const current = withHead(() => 100)
      const { log, use } = network({
        one: withHead(() => head),
        two: (method, params) => (method === "eth_getLogs" ? "refuse connection" : current(method, params))
      })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* client.block("latest")
          assert.include((yield* Effect.flip(client.logs(range(0, 100)))).message, "its head is old")
          assert.notInclude(log, "one eth_getLogs")
          assert.lengthOf((yield* client.logs(range(0, 92))).logs, 10, "two blocks are tolerated")
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
