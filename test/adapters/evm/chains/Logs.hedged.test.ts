/** Reads with few requests, from endpoints that are asked at the same time because they are slow. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { network, type Node, pass, type Reaction } from "../rpc/scriptedNodes.ts"
import { blocksOf, capped, inRange, range, reads } from "./loggingNodes.ts"

/** The node, whose answers to reads of logs take this long. */
const slow =
  (millis: number, node: Node = capped(5_000)): Node =>
  (method, params) =>
    method === "eth_getLogs"
      ? ({ ...(node(method, params) as object), afterMillis: millis } as Reaction)
      : node(method, params)

const failing: Node = (method, params) =>
  method === "eth_getLogs"
    ? { error: { code: -32_000, message: "the database is closed" } }
    : capped(5_000)(method, params)

/** The node, which never answers reads of logs. */
const silent: Node = (method, params) => (method === "eth_getLogs" ? "hang" : capped(5_000)(method, params))

/** A node whose head is no number. */
const headless: Node = (method, params) =>
  method === "eth_blockNumber" ? { result: "unknown" } : capped(5_000)(method, params)

/** The node, which tells its head after this time. */
const slowHead =
  (millis: number, node: Node = capped(5_000)): Node =>
  (method, params) =>
    method === "eth_blockNumber"
      ? ({ ...(node(method, params) as object), afterMillis: millis } as Reaction)
      : node(method, params)

/** One read with one request, which ends within so many steps of 100 milliseconds. */
const readOnce = Effect.fnUntraced(function* (client: ChainClient, steps = 20) {
  const reading = yield* Effect.forkChild(client.logs(range(0, 100, { requests: 1 })))
  for (let step = 0; step < steps; step++) yield* pass("100 millis")
  return yield* Fiber.join(reading)
})

describe("logs of slow endpoints", () => {
  it.effect("are read by the only request of a read, and the endpoint that has it is not avoided", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: slow(500), two: slow(500) })
      yield* use((client) =>
        Effect.gen(function* () {
          const read = yield* readOnce(client)
          assert.deepStrictEqual(blocksOf(read), inRange(0, 100))
          assert.isUndefined(read.unread)
          assert.strictEqual(reads(log), 1)
          log.length = 0
          yield* readOnce(client)
          assert.include(log, "one eth_getLogs")
        })
      )
    })
  )

  it.effect("are read elsewhere by the only request after it failed", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: slow(500, failing), two: slow(500) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(blocksOf(yield* readOnce(client)), inRange(0, 100))
          assert.strictEqual(reads(log), 2)
        })
      )
    })
  )

  it.effect("are read elsewhere by a second request long before the timeout of an endpoint that is silent", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: silent, two: capped(5_000) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(blocksOf(yield* readOnce(client)), inRange(0, 100))
          log.length = 0
          yield* readOnce(client)
          assert.deepStrictEqual(log, ["two eth_getLogs"])
        })
      )
    })
  )

  it.effect("are read within 20 seconds while two of three endpoints are silent", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: silent, two: silent, three: capped(5_000) })
      yield* use((client) =>
        Effect.gen(function* () {
          const read = client.logs(range(0, 100, { order: "newest", requests: 1 }))
          const reading = yield* Effect.forkChild(Effect.timeoutOption(read, "20 seconds"))
          for (let second = 0; second < 20; second++) yield* pass("1 second")
          const found = Option.getOrThrow(yield* Fiber.join(reading))
          assert.deepStrictEqual(blocksOf(found), inRange(0, 100))
          assert.isUndefined(found.unread)
          assert.strictEqual(reads(log), 3)
        })
      )
    })
  )

  it.effect("are asked of an endpoint once while the only request has no answer", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: silent, two: capped(50) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* readOnce(client, 110), { logs: [], unread: { fromBlock: 0n, toBlock: 100n } })
          assert.strictEqual(reads(log), 2)
        })
      )
    })
  )

  it.effect("are asked for no more often after the silent endpoint failed, since its request pays for the second", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: slow(1_500, failing), two: slow(1_000, capped(50)) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* readOnce(client, 40), { logs: [], unread: { fromBlock: 0n, toBlock: 100n } })
          assert.strictEqual(reads(log), 2)
        })
      )
    })
  )

  it.effect("are asked of every endpoint while the only request fails at each of the others", () =>
    Effect.gen(function* () {
      const { log, use } = network({ one: slow(500, failing), two: slow(500, failing), three: slow(500) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(blocksOf(yield* readOnce(client)), inRange(0, 100))
          assert.strictEqual(reads(log), 3)
        })
      )
    })
  )

  it.effect("fail if the only request failed at each of them", () =>
    Effect.gen(function* () {
      const { use } = network({ one: slow(500, failing), two: slow(500, failing) })
      yield* use((client) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(readOnce(client))
          assert.include(error.message, "the database is closed")
        })
      )
    })
  )

  it.effect("are unread if the only request was refused", () =>
    Effect.gen(function* () {
      const { use } = network({ one: slow(500, capped(50)), two: slow(500, capped(50)) })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* readOnce(client), { logs: [], unread: { fromBlock: 0n, toBlock: 100n } })
        })
      )
    })
  )

  it.effect("are asked for once by the request that one endpoint gives back while two wait for it", () =>
    Effect.gen(function* () {
      const { log, use } = network({
        one: slow(800, failing),
        two: slowHead(300),
        three: capped(5_000)
      })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(blocksOf(yield* readOnce(client)), inRange(0, 100))
          assert.deepStrictEqual(
            log.filter((entry) => entry.endsWith("eth_getLogs")),
            ["one eth_getLogs", "two eth_getLogs"]
          )
          // The endpoint that got the request has no cooldown, so it comes before the third.
          log.length = 0
          const again = yield* Effect.forkChild(client.logs(range(0, 100)))
          yield* pass("300 millis")
          yield* Fiber.join(again)
          assert.deepStrictEqual(log, ["one eth_getLogs", "two eth_getLogs"])
        })
      )
    })
  )

  it.effect("are read by the next endpoint if the first with the request does not tell its head", () =>
    Effect.gen(function* () {
      const { log, use } = network({
        one: slow(800, failing),
        two: slowHead(100, headless),
        three: capped(5_000)
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const reading = yield* Effect.forkChild(client.logs(range(0, 100, { requests: 1 })))
          for (let step = 0; step < 12; step++) yield* pass("100 millis")
          assert.isDefined(reading.pollUnsafe())
          assert.deepStrictEqual(blocksOf(yield* Fiber.join(reading)), inRange(0, 100))
          assert.strictEqual(reads(log), 2)
        })
      )
    })
  )
})
