/** Refunds of Across on a chain whose nodes have different heads. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeAbiParameters, encodeEventTopics, keccak256, numberToHex, pad, parseAbiParameters, zeroHash } from "viem"
import * as AcrossRefunds from "../../../src/adapters/bridge/AcrossRefunds.ts"
import { spokePoolAbi } from "../../../src/adapters/bridge/spokePoolAbi.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { BridgeRefunds } from "../../../src/ports/orchestrator/BridgeRefunds.ts"
import {
  type BlockRange,
  type ChainClient,
  Chains,
  ChainUnavailable,
  type Log,
  type Receipt
} from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"

const pool = FakeChain.address(0x50)
const token = FakeChain.address(0x70)
const account = FakeChain.address(0x80)
const other = FakeChain.address(0x81)
const chain = { ...FakeChain.chain, spokePool: pool }

/** The payment of 7 tokens to an account in a block. */
const paymentAt = (block: bigint, isDeferred = false, to = account): Log => ({
  address: pool,
  topics: [
    ...encodeEventTopics({
      abi: spokePoolAbi,
      eventName: "ExecutedRelayerRefundRoot",
      args: { chainId: BigInt(chain.id) }
    }).slice(0, 2),
    pad("0x01"),
    pad("0x01")
  ] as ReadonlyArray<Hash>,
  data: encodeAbiParameters(parseAbiParameters("uint256, uint256[], address, address[], bool, address"), [
    0n,
    [7n],
    token,
    [to],
    isDeferred,
    account
  ]),
  blockNumber: block,
  blockHash: keccak256(numberToHex(block)),
  transactionHash: keccak256(numberToHex(block)),
  logIndex: 0
})

/** A chain whose logs come from a node with an own head, and those payments of it. `most`: blocks of one read. */
const scene = () => {
  const state = {
    head: 1_000n,
    isMissing: false,
    logsUpTo: 1_000n,
    most: 10_000n,
    payments: [] as Array<bigint>,
    /** Blocks whose payment is the other account's. */
    others: new Set<bigint>()
  }
  /** Marks every leaf as one with a payment that the pool keeps. Receipts are the test's. */
  const deferred = { isMarked: false, receipts: new Map<Hash, Receipt>(), failing: new Set<Hash>(), isPruned: false }
  const asked: Array<BlockRange> = []
  const client: ChainClient = {
    ...FakeChain.client({
      receipt: (id, scope) =>
        deferred.failing.has(id)
          ? Effect.fail(
              new ChainUnavailable({ chainId: chain.id, method: "eth_getTransactionReceipt", detail: "no answer" })
            )
          : Effect.succeed(
              deferred.isPruned && scope === undefined
                ? Option.none()
                : Option.fromUndefinedOr(deferred.receipts.get(id))
            ),
      block: () =>
        Effect.sync(() =>
          state.isMissing
            ? Option.none()
            : Option.some({
                number: state.head,
                hash: zeroHash,
                parentHash: zeroHash,
                timestamp: 0n,
                baseFeePerGas: 0n,
                gasLimit: 0n
              })
        ),
      logs: ({ fromBlock, toBlock }) =>
        Effect.sync(() => {
          const last = fromBlock + state.most - 1n < toBlock ? fromBlock + state.most - 1n : toBlock
          asked.push({ fromBlock, toBlock: last })
          const logs = state.payments
            .filter((block) => block >= fromBlock && block <= last && block <= state.logsUpTo)
            .map((block) => paymentAt(block, deferred.isMarked, state.others.has(block) ? other : account))
          return last === toBlock ? { logs } : { logs, unread: { fromBlock: last + 1n, toBlock } }
        })
    }),
    chain
  }
  const layer = AcrossRefunds.layer.pipe(
    Layer.provide(Layer.succeed(Chains, { all: [client], get: () => Effect.succeed(client) }))
  )
  const paidFrom = (fromBlock: bigint) =>
    Effect.flatMap(BridgeRefunds, (refunds) => refunds.paid(chain.id, new Set([account, other]), fromBlock))
  const paid = (fromBlock: bigint) => Effect.provide(paidFrom(fromBlock), layer)
  const firstBlock = Effect.flatMap(BridgeRefunds, (refunds) => refunds.firstBlock(chain.id, 10_000)).pipe(
    Effect.provide(layer)
  )
  return { asked, deferred, firstBlock, layer, paid, paidFrom, state }
}

describe("Across refunds", () => {
  it.effect("are found by a later look if the node that read the logs was behind", () =>
    Effect.gen(function* () {
      const { paid, state } = scene()
      state.payments.push(999n)
      state.logsUpTo = 900n
      const first = yield* paid(800n)
      assert.deepStrictEqual(first.lines, [])
      state.head = 1_100n
      state.logsUpTo = 1_100n
      assert.lengthOf((yield* paid(first.nextBlock)).lines, 1)
    })
  )

  it.effect("are read no further back than 256 blocks, nor than where the look began", () =>
    Effect.gen(function* () {
      const { asked, paid, state } = scene()
      const first = yield* paid(100n)
      assert.strictEqual(first.nextBlock, 745n)
      state.head = 1_010n
      const second = yield* paid(first.nextBlock)
      assert.strictEqual(second.nextBlock, 755n)
      assert.strictEqual((yield* paid(990n)).nextBlock, 990n)
      assert.deepStrictEqual(
        asked.map(({ fromBlock }) => fromBlock),
        [100n, 745n, 990n]
      )
    })
  )

  it.effect("are looked for from the first block that a look did not come to", () =>
    Effect.gen(function* () {
      const { paid, state } = scene()
      state.most = 200n
      assert.strictEqual((yield* paid(100n)).nextBlock, 300n)
      assert.strictEqual((yield* paid(700n)).nextBlock, 745n, "at least the newest blocks are read again")
    })
  )

  it.effect(
    "of a leaf with a payment that the pool keeps are unknown while no node has the transaction's receipt",
    () =>
      Effect.gen(function* () {
        const { deferred, paid, state } = scene()
        deferred.isMarked = true
        state.payments.push(900n)
        const { transactionHash: id } = paymentAt(900n)
        assert.deepStrictEqual(yield* paid(800n), { lines: [], nextBlock: 800n })
        const transfer = FakeEnds.transfer(token, account, 7n, id, 0, pool)
        deferred.receipts.set(id, FakeEnds.receiptOf(id, 900n, []))
        assert.deepStrictEqual((yield* paid(800n)).lines, [])
        deferred.receipts.set(id, FakeEnds.receiptOf(id, 900n, [transfer]))
        assert.lengthOf((yield* paid(800n)).lines, 1)
        // The endpoint that is asked first deletes it, and another one has it.
        deferred.isPruned = true
        assert.lengthOf((yield* paid(800n)).lines, 1)
      })
  )

  it.effect(
    "are found beside one whose receipt cannot be read, whose account alone is read again from its block on",
    () =>
      Effect.gen(function* () {
        const { deferred, paid, state } = scene()
        deferred.isMarked = true
        state.payments.push(200n, 300n, 400n, 500n)
        state.others.add(400n)
        for (const block of [200n, 400n]) {
          const { transactionHash: id } = paymentAt(block)
          const to = block === 400n ? other : account
          deferred.receipts.set(id, FakeEnds.receiptOf(id, block, [FakeEnds.transfer(token, to, 7n, id, 0, pool)]))
        }
        deferred.failing.add(paymentAt(300n).transactionHash)
        const { heldBack, lines, nextBlock } = yield* paid(100n)
        assert.deepStrictEqual(
          lines.map(({ blockNumber }) => blockNumber),
          [200n, 400n]
        )
        assert.strictEqual(nextBlock, 745n)
        assert.deepStrictEqual(heldBack, new Map([[account, 300n]]))
      })
  )

  it.effect("hold back their account for as long as no node has the receipt, and count as soon as one has", () =>
    Effect.gen(function* () {
      const { deferred, layer, paidFrom, state } = scene()
      deferred.isMarked = true
      state.payments.push(300n, 500n)
      const { transactionHash: id } = paymentAt(300n)
      const { transactionHash: second } = paymentAt(500n)
      yield* Effect.gen(function* () {
        deferred.receipts.set(second, FakeEnds.receiptOf(second, 500n, []))
        for (let day = 0; day < 14; day++) {
          assert.deepStrictEqual((yield* paidFrom(100n)).heldBack, new Map([[account, 300n]]))
          yield* TestClock.adjust("1 day")
        }
        deferred.receipts.set(id, FakeEnds.receiptOf(id, 300n, [FakeEnds.transfer(token, account, 7n, id, 0, pool)]))
        const { heldBack, lines } = yield* paidFrom(100n)
        assert.isUndefined(heldBack)
        assert.lengthOf(lines, 1)
        deferred.receipts.delete(second)
        assert.deepStrictEqual((yield* paidFrom(100n)).heldBack, new Map([[account, 500n]]))
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect(
    "have no first block while the node lacks the confirmed one, since a look would begin at the first of the chain",
    () =>
      Effect.gen(function* () {
        const { firstBlock, state } = scene()
        assert.strictEqual(yield* firstBlock, 1_000n)
        state.isMissing = true
        const error = yield* Effect.flip(firstBlock)
        assert.strictEqual(error._tag, "ChainUnavailable")
      })
  )
})
