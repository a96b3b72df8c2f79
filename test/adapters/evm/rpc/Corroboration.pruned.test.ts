/** An endpoint that has a block and answers reads of it with "header not found", for example because its state is pruned. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { Hash } from "../../../../src/domain/Hex.ts"
import type { ChainClient, ChainUnavailable } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node } from "./scriptedNodes.ts"

const HEIGHT = 200

const hashOf = (number: number): Hash => keccak256(numberToHex(number))

const header = (number: number, hash: Hash = hashOf(number)) => ({
  number: numberToHex(number),
  hash,
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

/** A node that shows its blocks. It also keeps `orphan`, which is not part of its chain, as block 100. */
const full =
  (count = "0x10", orphan?: Hash): Node =>
  (method, [first]) => {
    if (method === "eth_blockNumber") return { result: numberToHex(HEIGHT) }
    if (method === "eth_getBlockByNumber") {
      const number = first === "latest" ? HEIGHT : Number(first)
      return { result: number > HEIGHT ? null : header(number) }
    }
    if (method !== "eth_getBlockByHash") return { result: count }
    if (first === orphan) return { result: header(100, orphan) }
    return { result: first === hashOf(100) ? header(100) : null }
  }

const unknown = { error: { code: -32_000, message: "header not found" } } as const

const pruned =
  (orphan?: Hash, isPruned = () => true): Node =>
  (method, params) =>
    method === "eth_getTransactionCount" && isPruned() ? unknown : full("0x10", orphan)(method, params)

/** Reads the count in a block, by its number or by a hash. */
const countAt =
  (block: bigint | Hash, needsState = false) =>
  (client: ChainClient) =>
    client.corroborated(client.transactionCount(address(1), typeof block === "bigint" ? block : { hash: block }), {
      blockOf: () => (typeof block === "bigint" ? block : 100n),
      needsState
    })

/** Makes a read that returns true if it fails by a contradiction. */
const isContradicted =
  <A>(read: (client: ChainClient) => Effect.Effect<A, ChainUnavailable>) =>
  (client: ChainClient) =>
    Effect.map(Effect.flip(read(client)), (failure) => failure.isContradiction === true)

describe("an endpoint that does not read a block which it shows", () => {
  it.effect("contradicts nothing, whether the block is named by number or by hash", () =>
    Effect.gen(function* () {
      for (const block of [100n, hashOf(100)]) {
        for (const nodes of [
          { archive: full(), pruned: pruned() },
          { pruned: pruned(), archive: full() }
        ]) {
          assert.strictEqual(yield* network(nodes).use(countAt(block)), 16n)
        }
      }
    })
  )

  it.effect("contradicts a block that it keeps beside its chain", () =>
    Effect.gen(function* () {
      const orphan = keccak256("0xbad0")
      const nodes = { liar: full(), honest: pruned(orphan) }
      assert.isTrue(yield* network(nodes).use(isContradicted(countAt(orphan))))
    })
  )

  it.effect("contradicts a block that it does not show", () =>
    Effect.gen(function* () {
      const nodes = { liar: full(), honest: pruned() }
      assert.isTrue(yield* network(nodes).use(isContradicted(countAt(keccak256("0xbad0")))))
    })
  )

  it.effect("is asked again, since the block may have arrived meanwhile", () =>
    Effect.gen(function* () {
      for (const [says, isFailing] of [
        ["0x10", false],
        ["0x11", true]
      ] as const) {
        let asks = 0
        const late = pruned(undefined, () => asks++ === 0)
        const outcome = yield* Effect.result(network({ first: full(says), late }).use(countAt(100n)))
        assert.strictEqual(outcome._tag === "Failure", isFailing)
        assert.strictEqual(asks, 2)
      }
    })
  )

  it.effect("contradicts a block that is too near its head to be pruned", () =>
    Effect.gen(function* () {
      for (const [depth, isFailing] of [
        [63, true],
        [64, false]
      ] as const) {
        const read = countAt(BigInt(HEIGHT - depth))
        const outcome = yield* Effect.result(network({ liar: full("0x11"), honest: pruned() }).use(read))
        assert.strictEqual(outcome._tag === "Failure", isFailing)
      }
    })
  )

  it.effect("contradicts a read that needs the state, however deep the block is", () =>
    Effect.gen(function* () {
      for (const block of [100n, hashOf(100)]) {
        for (const says of ["0x10", "0x11"]) {
          const nodes = { liar: full(says), honest: pruned() }
          assert.isTrue(yield* network(nodes).use(isContradicted(countAt(block, true))))
        }
      }
    })
  )

  it.effect("is asked twice for what needs the state, since another node behind a load balancer may have it", () =>
    Effect.gen(function* () {
      for (const [block, needsState] of [
        [100n, true],
        [BigInt(HEIGHT), false]
      ] as const) {
        for (const [says, isFailing] of [
          ["0x10", false],
          ["0x11", true]
        ] as const) {
          let asks = 0
          const late = pruned(undefined, () => asks++ === 0)
          const outcome = yield* Effect.result(network({ first: full(says), late }).use(countAt(block, needsState)))
          assert.strictEqual(outcome._tag === "Failure", isFailing)
          assert.strictEqual(asks, 2)
        }
      }
    })
  )
})
