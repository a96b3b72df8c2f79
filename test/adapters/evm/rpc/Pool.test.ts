import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const HEAD = "eth_getBlockByNumber"

const block = (number: number) => ({
  number: numberToHex(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

const answering =
  (balance: Reaction, height = 100, receipt: unknown = null): Node =>
  (method) =>
    method === HEAD ? { result: block(height) } : method === "eth_getTransactionReceipt" ? { result: receipt } : balance

const quick = answering({ result: "0x10" })

const balance = (client: ChainClient) => client.balance(address(1))
const height = (client: ChainClient) => Effect.map(client.block("latest"), (found) => Option.getOrThrow(found).number)

const asked = (log: ReadonlyArray<string>, what: string) =>
  log.filter((line) => line.endsWith(what)).map((line) => line.split(" ")[0])

describe("a silent endpoint", () => {
  it.effect("is left alone for 300 ms, and is overtaken after that", () =>
    Effect.gen(function* () {
      const { log, use } = network({
        first: answering({ afterMillis: 5_000, result: "0x99" }),
        second: quick
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(balance(client))
          yield* pass("299 millis")
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first"])
          yield* pass("1 millis")
          assert.strictEqual(yield* Fiber.join(fiber), 16n)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
          log.length = 0
          yield* balance(client)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["second"])
        })
      )
    })
  )

  it.effect("may still be the first to answer", () =>
    Effect.gen(function* () {
      const { log, use } = network({
        first: answering({ afterMillis: 400, result: "0x10" }),
        second: answering({ afterMillis: 5_000, result: "0x99" })
      })
      yield* use((client) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(balance(client))
          yield* pass("300 millis")
          yield* pass("100 millis")
          assert.strictEqual(yield* Fiber.join(fiber), 16n)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["first", "second"])
        })
      )
    })
  )

  it.effect("does not hold up a send, and is no reason to call a send rejected", () =>
    Effect.gen(function* () {
      const raw: Hex = "0x02f8"
      const silent: Node = () => "hang"
      const sending = (second: Reaction) =>
        Effect.gen(function* () {
          const { use } = network({ first: silent, second: () => second })
          const fiber = yield* Effect.forkChild(use((client) => Effect.result(client.send(raw))))
          yield* pass("300 millis")
          yield* pass("10 seconds")
          return yield* Fiber.join(fiber)
        })
      const taken = yield* sending({ result: keccak256(raw) })
      assert.strictEqual(taken._tag, "Success")
      const rejected = yield* sending({ error: { code: -32_000, message: "nonce too low" } })
      assert.strictEqual(rejected._tag === "Failure" && rejected.failure._tag, "ChainUnavailable")
    })
  )
})

describe("endpoints that disagree", () => {
  it.effect("give the highest head", () =>
    Effect.gen(function* () {
      for (const [one, other] of [
        [100, 107],
        [107, 100]
      ] as const) {
        const { use } = network({
          first: answering({ result: "0x1" }, one),
          second: answering({ result: "0x1" }, other)
        })
        assert.strictEqual(yield* use(height), 107n)
      }
    })
  )

  it.effect("are asked last where they lie more than two blocks behind", () =>
    Effect.gen(function* () {
      for (const [behind, expected] of [
        [3, "second"],
        [2, "first"]
      ] as const) {
        const { log, use } = network({
          first: answering({ result: "0x10" }, 100),
          second: answering({ result: "0x10" }, 100 + behind)
        })
        yield* use((client) => Effect.andThen(height(client), balance(client)))
        assert.deepStrictEqual(asked(log, "eth_getBalance"), [expected])
      }
    })
  )

  it.effect("do not wait for a head that is slow to come", () =>
    Effect.gen(function* () {
      const { use } = network({
        first: (method, params) => (method === HEAD ? "hang" : quick(method, params)),
        second: answering({ result: "0x10" }, 7)
      })
      const fiber = yield* Effect.forkChild(use(height))
      yield* pass("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), 7n)
    })
  )

  it.effect("have a head as long as one of them has", () =>
    Effect.gen(function* () {
      const { use } = network({ first: () => "refuse connection", second: quick })
      assert.strictEqual(yield* use(height), 100n)
      const dead = network({ first: () => "refuse connection", second: () => ({ status: 503, text: "" }) })
      assert.strictEqual((yield* Effect.flip(dead.use((client) => client.block("latest"))))._tag, "ChainUnavailable")
    })
  )

  it.effect("are not believed to know of no receipt while one that is higher can be asked", () =>
    Effect.gen(function* () {
      const receipt = {
        transactionHash: zeroHash,
        blockNumber: "0x65",
        blockHash: zeroHash,
        status: "0x1",
        gasUsed: "0x1",
        effectiveGasPrice: "0x1",
        logs: []
      }
      const find = (second: unknown) => {
        const { log, use } = network({
          first: answering({ result: "0x1" }, 100),
          second: answering({ result: "0x1" }, 101, second)
        })
        return Effect.map(
          use((client) => Effect.andThen(height(client), client.receipt(zeroHash))),
          (found) => ({ found: Option.isSome(found), asked: asked(log, "eth_getTransactionReceipt") })
        )
      }
      assert.deepStrictEqual(yield* find(receipt), { found: true, asked: ["first", "second"] })
      assert.deepStrictEqual(yield* find(null), { found: false, asked: ["first", "second"] })
    })
  )
})

describe("a receipt that is looked for everywhere", () => {
  const without = answering({ result: "0x10" })
  const cannot: Node = () => ({ error: { code: -32_000, message: "internal" } })
  const receipt = {
    transactionHash: zeroHash,
    blockHash: zeroHash,
    blockNumber: "0x1",
    status: "0x1",
    gasUsed: "0x1",
    effectiveGasPrice: "0x1",
    logs: []
  }
  const found: Node = answering({ result: "0x10" }, 90, receipt)
  const look = (nodes: Record<string, Node>) =>
    network(nodes)
      .use((client) => client.receipt(zeroHash, "everywhere"))
      .pipe(Effect.map(Option.isSome), Effect.result)

  it.effect("is found on whichever endpoint has it, and is missing only when two endpoints say so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look({ first: without, second: found }), Result.succeed(true))
      assert.deepStrictEqual(yield* look({ first: cannot, second: found }), Result.succeed(true))
      assert.deepStrictEqual(yield* look({ first: without, second: without, third: cannot }), Result.succeed(false))
      assert.deepStrictEqual(yield* look({ first: without }), Result.succeed(false))
      assert.isTrue(Result.isFailure(yield* look({ first: without, second: cannot })))
      assert.isTrue(Result.isFailure(yield* look({ first: cannot })))
    })
  )

  const looksUp =
    (reaction: Reaction): Node =>
    (method, params) =>
      method === "eth_getTransactionReceipt" ? reaction : quick(method, params)

  const unneeded = {
    silent: looksUp("hang"),
    "one that refuses for the rate": looksUp({ status: 429, text: "", headers: { "retry-after": "4" } })
  }

  it.effect.each(Object.entries(unneeded))("waits for no endpoint that its proof does not need: %s", ([, node]) =>
    Effect.gen(function* () {
      for (const [others, expected] of [
        [{ second: found }, true],
        [{ second: without, third: without }, false]
      ] as const) {
        const looking = yield* Effect.forkChild(look({ first: node, ...others }))
        yield* pass(expected ? 0 : "100 millis")
        assert.isDefined(looking.pollUnsafe())
        assert.deepStrictEqual(yield* Fiber.join(looking), Result.succeed(expected))
      }
    })
  )

  it.effect("is found as well on an endpoint that answers a little after two that do not have it", () =>
    Effect.gen(function* () {
      const later = looksUp({ afterMillis: 50, result: receipt })
      const looking = yield* Effect.forkChild(
        look({ first: without, second: without, third: later, last: unneeded.silent })
      )
      yield* pass("50 millis")
      yield* pass("50 millis")
      assert.isDefined(looking.pollUnsafe())
      assert.deepStrictEqual(yield* Fiber.join(looking), Result.succeed(true))
    })
  )
})

describe("an endpoint that does not have a block", () => {
  const messages = [
    "header not found",
    "header for hash not found",
    "Unknown block",
    "hash 0x01 is not currently canonical",
    "block not found: hash 0x01",
    "Resource not found",
    "BlockNotFound"
  ]

  it.effect.each(messages)("is told from one that does not answer: %s", (message) =>
    Effect.gen(function* () {
      const { use } = network({ first: () => ({ error: { code: -32_000, message } }) })
      const read = (client: ChainClient) => Effect.flip(client.transactionCount(address(1), { hash: zeroHash }))
      assert.isTrue((yield* use(read)).isBlockUnknown)
    })
  )

  it.effect("is not told by the text that a contract chose for its revert", () =>
    Effect.gen(function* () {
      const error = { code: -32_000, message: "execution reverted: unknown block" }
      const { use } = network({ first: () => ({ error }) })
      const failure = yield* use((client) => Effect.flip(client.transactionCount(address(1), { hash: zeroHash })))
      assert.notProperty(failure, "isBlockUnknown")
    })
  )
})
