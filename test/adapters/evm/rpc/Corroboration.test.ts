/** Reads that two endpoints have to agree on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const HASH = keccak256("0x01")

const header = (number: number) => ({
  number: numberToHex(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

const receipt = (status: "0x0" | "0x1" = "0x1") => ({
  transactionHash: HASH,
  blockNumber: "0x64",
  blockHash: keccak256("0x64"),
  status,
  gasUsed: "0x1",
  effectiveGasPrice: "0x1",
  logs: []
})

/** A node at a height, with a receipt and a balance. */
const at =
  (height: number, found: unknown = receipt(), wei: Reaction = { result: "0x10" }): Node =>
  (method) => {
    if (method === "eth_blockNumber") return { result: numberToHex(height) }
    if (method === "eth_getBlockByNumber") return { result: header(height) }
    return method === "eth_getTransactionReceipt" ? { result: found } : wei
  }

const balance = (client: ChainClient) => client.corroborated(client.balance(address(1)))
const receiptOf = (client: ChainClient) => client.corroborated(client.receipt(HASH), { isUnknown: Option.isNone })
const seen = (client: ChainClient) => Effect.andThen(client.block("latest"), receiptOf(client))

const asked = (log: ReadonlyArray<string>, method: string) =>
  log.filter((line) => line.endsWith(method)).map((line) => line.split(" ")[0])

describe("a read that is corroborated", () => {
  it.effect("is asked of a second endpoint, and of no third", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), second: at(100), third: at(100) })
      assert.strictEqual(yield* use(balance), 16n)
      assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
    })
  )

  it.effect("is asked once of an only endpoint", () =>
    Effect.gen(function* () {
      const { log, use } = network({ only: at(100) })
      assert.strictEqual(yield* use(balance), 16n)
      assert.deepStrictEqual(asked(log, "eth_getBalance"), ["only"])
    })
  )

  it.effect("fails with the names of two endpoints that contradict each other", () =>
    Effect.gen(function* () {
      const { use } = network({ liar: at(100, receipt("0x0"), { result: "0x99" }), honest: at(100) })
      const reads = [
        (client: ChainClient) => Effect.asVoid(balance(client)),
        (client: ChainClient) => Effect.asVoid(receiptOf(client))
      ]
      for (const read of reads) {
        const { message } = yield* Effect.flip(use(read))
        assert.include(message, "liar and honest gave different answers")
      }
    })
  )

  it.effect("does not need an endpoint that fails", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), down: () => "refuse connection", third: at(100) })
      assert.strictEqual(yield* use(balance), 16n)
      assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "down", "third"])
      assert.strictEqual(yield* network({ first: at(100), down: () => "refuse connection" }).use(balance), 16n)
    })
  )

  it.effect("waits three seconds for a silent endpoint, and then asks it no more for ten", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), silent: at(100, receipt(), "hang") })
      yield* use((client) =>
        Effect.gen(function* () {
          const asking = yield* Effect.forkChild(balance(client))
          yield* pass("2999 millis")
          assert.isUndefined(asking.pollUnsafe())
          yield* pass("1 millis")
          assert.strictEqual(yield* Fiber.join(asking), 16n)
          assert.strictEqual(yield* balance(client), 16n)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "silent", "first"])
        })
      )
    })
  )

  it.effect("takes the word of neither when each gave a part of the answer", () =>
    Effect.gen(function* () {
      let asks = 0
      const liar: Node = () => (asks++ === 0 ? { result: "0x99" } : "refuse connection")
      const { use } = network({ liar: (method, params) => liar(method, params), honest: at(100) })
      const both = (client: ChainClient) =>
        client.corroborated(Effect.all([client.balance(address(1)), client.balance(address(2))]))
      const outcome = yield* Effect.result(use(both))
      assert.include(Result.getOrThrow(Result.flip(outcome)).message, "gave different answers")
    })
  )

  it.effect("shares no answer with a read of the other endpoint under way", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), second: at(100) })
      yield* use((client) => Effect.all([balance(client), balance(client)], { concurrency: "unbounded" }))
      assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
    })
  )

  it.effect("compares nothing twice", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), second: at(100) })
      yield* use((client) => client.corroborated(balance(client)))
      assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
    })
  )
})

describe("an answer that is not known", () => {
  it.effect("is no contradiction of an endpoint that does not have the block", () =>
    Effect.gen(function* () {
      for (const nodes of [
        { first: at(100), behind: at(99, null) },
        { behind: at(99, null), second: at(100) }
      ]) {
        assert.isTrue(Option.isSome(yield* network(nodes).use(seen)))
      }
    })
  )

  it.effect("is a contradiction of an endpoint that has the block", () =>
    Effect.gen(function* () {
      for (const nodes of [
        { liar: at(100), honest: at(100, null) },
        { honest: at(100, null), liar: at(100) }
      ]) {
        assert.include((yield* Effect.flip(network(nodes).use(seen))).message, "gave different answers")
      }
    })
  )

  it.effect("is proved by two endpoints", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100, null), second: at(100, null), third: at(100, null) })
      assert.isTrue(Option.isNone(yield* use(receiptOf)))
      assert.deepStrictEqual(asked(log, "eth_getTransactionReceipt"), ["first", "second"])
    })
  )

  it.effect("leaves it to the third endpoint to confirm the second", () =>
    Effect.gen(function* () {
      const behind = at(99, null)
      const { use } = network({ behind, liar: at(100, receipt("0x0")), honest: at(100) })
      assert.include((yield* Effect.flip(use(receiptOf))).message, "liar and honest")
    })
  )
})

describe("a receipt", () => {
  it.effect("of another transaction is no answer", () =>
    Effect.gen(function* () {
      const { use } = network({ only: at(100, { ...receipt(), transactionHash: keccak256("0x02") }) })
      const { message } = yield* Effect.flip(use((client) => client.receipt(HASH)))
      assert.include(message, "the receipt is of another transaction")
    })
  )
})

describe("the code of a contract", () => {
  it.effect("is asked of two endpoints, although the one is kept", () =>
    Effect.gen(function* () {
      const { use } = network({
        liar: at(100, receipt(), { result: "0x6001" }),
        honest: at(100, receipt(), { result: "0x6002" })
      })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* client.code(address(1)), "0x6001")
          assert.isTrue((yield* Effect.flip(client.corroborated(client.code(address(1))))).isContradiction)
        })
      )
    })
  )
})

describe("a read that is attested", () => {
  it.effect("is compared only when its reader wants that", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: at(100), second: at(100) })
      yield* use((client) =>
        Effect.gen(function* () {
          const { answer, corroborate } = yield* client.attested(client.balance(address(1)))
          assert.strictEqual(answer, 16n)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first"])
          assert.strictEqual(yield* corroborate, 16n)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
        })
      )
    })
  )

  it.effect("travels with others in one request to the second endpoint", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: at(100), second: at(100) })
      yield* use((client) =>
        Effect.gen(function* () {
          const read = [1, 2, 3].map((index) => client.attested(client.balance(address(index))))
          const attested = yield* Effect.all(read, { concurrency: "unbounded" })
          yield* Effect.forEach(attested, ({ corroborate }) => corroborate, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            requests.filter((line) => line.startsWith("second")),
            ["second 3"]
          )
        })
      )
    })
  )
})
