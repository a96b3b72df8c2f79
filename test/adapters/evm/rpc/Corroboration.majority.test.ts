/** Reads on which two endpoints differ, and what a third endpoint or the node's own block says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "./scriptedNodes.ts"

const HASH = keccak256("0x01")
const BLOCK = keccak256("0x64")

const receipt = (status: "0x0" | "0x1" = "0x1") => ({
  transactionHash: HASH,
  blockNumber: "0x64",
  blockHash: BLOCK,
  status,
  gasUsed: "0x1",
  effectiveGasPrice: "0x1",
  logs: []
})

const header = (number: number) => ({
  number: numberToHex(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

interface Says {
  readonly height?: number
  readonly receipt?: unknown
  readonly balance?: string
  readonly code?: string
  /** Transactions of its block 100. */
  readonly transactions?: ReadonlyArray<string>
}

const says =
  ({ balance = "0x10", code = "0x6001", height = 100, receipt: found = receipt(), transactions }: Says = {}): Node =>
  (method) => {
    if (method === "eth_blockNumber") return { result: numberToHex(height) }
    if (method === "eth_getBlockByNumber") return { result: header(height) }
    if (method === "eth_getCode") return { result: code }
    if (method === "eth_getBlockByHash") {
      return { result: transactions === undefined ? null : { ...header(100), transactions } }
    }
    return method === "eth_getTransactionReceipt" ? { result: found } : { result: balance }
  }

const balance = (client: ChainClient) => client.corroborated(client.balance(address(1)))
const receiptOf = (client: ChainClient, scope?: "everywhere") =>
  client.corroborated(client.receipt(HASH, scope), { isUnknown: Option.isNone })

/** Makes a read that returns its failure. */
const failureOf =
  <A, E>(read: (client: ChainClient) => Effect.Effect<A, E>) =>
  (client: ChainClient) =>
    Effect.flip(read(client))

const statusOf = (found: Option.Option<{ readonly status: string }>) => Option.getOrThrow(found).status

describe("the answer that most endpoints give", () => {
  it.effect("counts, whichever of three endpoints differs", () =>
    Effect.gen(function* () {
      const liar = says({ balance: "0x99" })
      for (const nodes of [
        { liar, one: says(), two: says() },
        { one: says(), liar, two: says() }
      ]) {
        assert.strictEqual(yield* network(nodes).use(balance), 16n)
      }
    })
  )

  it.effect("does not count while each of three gives another one", () =>
    Effect.gen(function* () {
      const nodes = { one: says({ balance: "0x1" }), two: says({ balance: "0x2" }), three: says({ balance: "0x3" }) }
      assert.isTrue((yield* network(nodes).use(failureOf(balance))).isContradiction)
    })
  )

  it.effect("does not count by the null of an endpoint that does not have the block", () =>
    Effect.gen(function* () {
      const nodes = { honest: says(), liar: says({ receipt: null }), behind: says({ receipt: null, height: 99 }) }
      const { message } = yield* network(nodes).use(failureOf((client) => receiptOf(client)))
      assert.include(message, "honest and liar gave different answers")
    })
  )

  it.effect("leaves no receipt that two of three endpoints lack", () =>
    Effect.gen(function* () {
      const lacking = says({ receipt: null })
      assert.isTrue(Option.isNone(yield* network({ liar: says(), one: lacking, two: lacking }).use(receiptOf)))
    })
  )
})

describe("a receipt that one of two endpoints lost", () => {
  it.effect("counts if that endpoint's block has the transaction", () =>
    Effect.gen(function* () {
      const pruned = says({ receipt: null, transactions: [HASH] })
      for (const nodes of [
        { full: says(), pruned },
        { pruned, full: says() }
      ]) {
        assert.strictEqual(statusOf(yield* network(nodes).use(receiptOf)), "success")
      }
    })
  )

  it.effect("does not count if that endpoint's block lacks the transaction", () =>
    Effect.gen(function* () {
      const honest = says({ receipt: null, transactions: [keccak256("0x02")] })
      assert.isTrue(
        (yield* network({ liar: says(), honest }).use(failureOf((client) => receiptOf(client)))).isContradiction
      )
    })
  )
})

describe("a read of a block that an endpoint does not have", () => {
  const count = (client: ChainClient) =>
    client.corroborated(client.transactionCount(address(1), { hash: keccak256("0xbad0") }), { blockOf: () => 101n })

  const lacking = (height: number, unknown: () => boolean = () => true): Node => {
    const node = says({ height })
    return (method, params) =>
      method === "eth_getTransactionCount" && unknown()
        ? { error: { code: -32_000, message: "header not found" } }
        : node(method, params)
  }

  it.effect("contradicts the endpoint that has it, if the chain of the other one is that long", () =>
    Effect.gen(function* () {
      for (const nodes of [
        { liar: says({ height: 101 }), honest: lacking(101) },
        { honest: lacking(101), liar: says({ height: 101 }) }
      ]) {
        const { isContradiction, message } = yield* network(nodes).use(failureOf(count))
        assert.isTrue(isContradiction)
        assert.include(message, "liar and honest")
      }
    })
  )

  it.effect("contradicts nothing beside an endpoint that is a block behind", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* network({ first: says({ height: 101 }), behind: lacking(100) }).use(count), 16n)
    })
  )

  it.effect("contradicts nothing if another node behind the same URL has the block", () =>
    Effect.gen(function* () {
      let asks = 0
      const alternating = lacking(101, () => asks++ % 2 === 0)
      assert.strictEqual(yield* network({ first: says({ height: 101 }), alternating }).use(count), 16n)
    })
  )
})

describe("a read of all endpoints that is corroborated", () => {
  it.effect("compares the receipt that the first of them has", () =>
    Effect.gen(function* () {
      for (const found of [receipt("0x0"), null]) {
        const nodes = { liar: says(), honest: says({ receipt: found }) }
        const everywhere = (client: ChainClient) => receiptOf(client, "everywhere")
        assert.isTrue((yield* network(nodes).use(failureOf(everywhere))).isContradiction)
      }
    })
  )

  it.effect("compares a receipt that arrives long before the other answers", () =>
    Effect.gen(function* () {
      const honest = says({ receipt: receipt("0x0") })
      const slow: Node = (method, params) => {
        const reaction = honest(method, params)
        return method === "eth_getTransactionReceipt" && typeof reaction === "object" && "result" in reaction
          ? { afterMillis: 1_000, result: reaction.result }
          : reaction
      }
      const outcome = yield* network({ liar: says(), slow }).use((client) =>
        Effect.gen(function* () {
          const asking = yield* Effect.forkChild(Effect.flip(receiptOf(client, "everywhere")))
          for (let second = 0; second < 3; second++) yield* pass("1 second")
          return asking.pollUnsafe()
        })
      )
      assert.include(JSON.stringify(outcome), "liar and slow gave different answers")
    })
  )

  it.effect("compares the code that one endpoint has", () =>
    Effect.gen(function* () {
      const nodes = { honest: says({ code: "0x" }), liar: says({ code: "0x6002" }) }
      const code = (client: ChainClient) => client.corroborated(client.code(address(1), "everywhere"))
      assert.isTrue((yield* network(nodes).use(failureOf(code))).isContradiction)
    })
  )

  it.effect("takes the receipt that two of three endpoints have", () =>
    Effect.gen(function* () {
      const nodes = { liar: says({ receipt: receipt("0x0") }), one: says(), two: says() }
      const found = yield* network(nodes).use((client) => receiptOf(client, "everywhere"))
      assert.strictEqual(statusOf(found), "success")
    })
  )

  it.effect("takes nothing from two endpoints that have nothing", () =>
    Effect.gen(function* () {
      const lacking = says({ receipt: null })
      const asking = network({ one: lacking, two: lacking }).use((client) => receiptOf(client, "everywhere"))
      assert.isTrue(Option.isNone(yield* asking))
    })
  )
})

describe("an answer that no endpoint is known to have given", () => {
  it.effect("is compared with those of two endpoints", () =>
    Effect.gen(function* () {
      let reads = 0
      const { use } = network({ one: says(), two: says({ balance: "0x99" }) })
      const kept = (client: ChainClient) =>
        client.corroborated(Effect.suspend(() => (reads++ === 0 ? Effect.succeed(16n) : client.balance(address(1)))))
      assert.isTrue((yield* use(failureOf(kept))).isContradiction)
    })
  )
})
