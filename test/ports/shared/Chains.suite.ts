/** Contract of every {@link Chains}, for a chain that the fixture controls. Only the suite mines blocks. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer, Option, Queue, Stream } from "effect"
import { keccak256, numberToHex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import { type Block, Chains } from "../../../src/ports/shared/Chains.ts"

/** Controls the one chain of the layer. */
export class ChainDriver extends Context.Service<
  ChainDriver,
  {
    readonly chainId: ChainId
    /** An account that can pay for transactions. */
    readonly sender: Address.Address
    /** An account that, called, emits one log of one topic, {@link TOPIC}, and no data. */
    readonly emitter: Address.Address
    /** Signed bytes of a transaction of the sender that calls the emitter. */
    readonly transaction: (nonce: bigint) => Effect.Effect<Hex>
    /** Mines what was sent. */
    readonly mine: Effect.Effect<void>
  }
>()("sweep/test/ChainDriver") {}

export const TOPIC: Hash = keccak256("0xfeed")
const NOBODY = Address.of("0x00000000000000000000000000000000deadbeef")
const UNKNOWN: Hash = keccak256("0xdead")

const some = (block: Option.Option<Block>): Block => Option.getOrThrow(block)

export const chainsSuite = (name: string, adapter: Layer.Layer<Chains | ChainDriver, unknown>) =>
  // Heads are looked for on the adapter's own clock.
  layer(adapter, { excludeTestServices: true })(name, (it) => {
    const setUp = Effect.gen(function* () {
      const driver = yield* ChainDriver
      return { driver, client: yield* (yield* Chains).get(driver.chainId) }
    })

    it.effect("knows its chains and no others", () =>
      Effect.gen(function* () {
        const chains = yield* Chains
        const { driver } = yield* setUp
        assert.deepStrictEqual(
          chains.all.map((client) => client.chain.id),
          [driver.chainId]
        )
        const error = yield* Effect.flip(chains.get(999_999))
        assert.strictEqual(error._tag, "UnsupportedChain")
        assert.strictEqual(error.chainId, 999_999)
      })
    )

    it.effect("has blocks that follow one another", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const before = some(yield* client.block("latest"))
        yield* driver.mine
        const after = some(yield* client.block("latest"))
        assert.strictEqual(after.number, before.number + 1n)
        assert.strictEqual(after.parentHash, before.hash)
        assert.isTrue(after.timestamp >= before.timestamp)
        assert.deepStrictEqual(some(yield* client.block(before.number)), before)
        assert.deepStrictEqual(yield* client.block(after.number + 100n), Option.none())
      })
    )

    it.effect("tells every subscriber the newest head, and new ones as they appear", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const subscribe = Effect.gen(function* () {
          const seen = yield* Queue.unbounded<Block>()
          yield* Effect.forkScoped(Stream.runForEach(client.heads, (head) => Queue.offer(seen, head)))
          return seen
        })
        const one = yield* subscribe
        assert.deepStrictEqual(yield* Queue.take(one), some(yield* client.block("latest")))
        const other = yield* subscribe
        assert.deepStrictEqual(yield* Queue.take(other), some(yield* client.block("latest")))
        for (let block = 0; block < 3; block++) {
          yield* driver.mine
          const mined = some(yield* client.block("latest"))
          assert.deepStrictEqual(yield* Queue.take(one), mined)
          assert.deepStrictEqual(yield* Queue.take(other), mined)
        }
      })
    )

    it.effect("knows nothing of accounts and transactions that do not exist", () =>
      Effect.gen(function* () {
        const { client } = yield* setUp
        assert.strictEqual(yield* client.code(NOBODY), "0x")
        assert.strictEqual(yield* client.balance(NOBODY), 0n)
        assert.strictEqual(yield* client.transactionCount(NOBODY, "pending"), 0n)
        assert.deepStrictEqual(yield* client.receipt(UNKNOWN), Option.none())
        assert.strictEqual(yield* client.call({ to: NOBODY, data: "0x12345678" }), "0x")
      })
    )

    it.effect("takes a transaction, twice as well as once, and reports it once it is mined", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const nonce = yield* client.transactionCount(driver.sender, "latest")
        const raw = yield* driver.transaction(nonce)
        const hash = yield* client.send(raw)
        assert.strictEqual(hash, keccak256(raw))
        assert.strictEqual(yield* client.send(raw), hash)
        assert.deepStrictEqual(yield* client.receipt(hash), Option.none())
        const before = some(yield* client.block("latest"))

        yield* driver.mine
        const receipt = Option.getOrThrow(yield* client.receipt(hash))
        const block = some(yield* client.block(receipt.blockNumber))
        assert.strictEqual(receipt.transactionHash, hash)
        assert.strictEqual(receipt.status, "success")
        assert.strictEqual(receipt.blockHash, block.hash)
        assert.isTrue(receipt.gasUsed >= 21_000n)
        const [log, ...others] = receipt.logs
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(log, {
          address: driver.emitter,
          topics: [TOPIC],
          data: "0x",
          blockNumber: receipt.blockNumber,
          blockHash: block.hash,
          transactionHash: hash,
          logIndex: 0
        })
        assert.strictEqual(yield* client.transactionCount(driver.sender, "latest"), nonce + 1n)
        assert.strictEqual(yield* client.transactionCount(driver.sender, before.number), nonce)
        assert.deepStrictEqual(yield* client.receipt(hash, "everywhere"), Option.some(receipt))
        assert.deepStrictEqual(yield* client.receipt(UNKNOWN, "everywhere"), Option.none())
      })
    )

    it.effect("finds the transaction by which an account used a nonce", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const nonce = yield* client.transactionCount(driver.sender, "latest")
        const find = (of: bigint) =>
          Effect.flatMap(client.block("latest"), (head) => client.transactionOf(driver.sender, of, some(head).number))
        const hashes: Array<Hash> = []
        for (const offset of [0n, 1n]) {
          hashes.push(yield* client.send(yield* driver.transaction(nonce + offset)))
          yield* driver.mine
        }
        const last = some(yield* client.block("latest"))
        for (let block = 0; block < 5; block++) yield* driver.mine
        assert.deepStrictEqual(yield* find(nonce), Option.fromUndefinedOr(hashes[0]))
        assert.deepStrictEqual(yield* find(nonce + 1n), Option.fromUndefinedOr(hashes[1]))
        assert.deepStrictEqual(yield* find(nonce + 2n), Option.none())
        const before = client.transactionOf(driver.sender, nonce + 1n, last.number - 1n)
        assert.deepStrictEqual(yield* before, Option.none())
      })
    )

    it.effect("reads the state of a block by its hash, and says when it does not have the block", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const nonce = yield* client.transactionCount(driver.sender, "latest")
        const before = some(yield* client.block("latest"))
        yield* client.send(yield* driver.transaction(nonce))
        yield* driver.mine
        const after = some(yield* client.block("latest"))
        assert.strictEqual(yield* client.transactionCount(driver.sender, { hash: before.hash }), nonce)
        assert.strictEqual(yield* client.transactionCount(driver.sender, { hash: after.hash }), nonce + 1n)
        const call = { to: driver.emitter, data: "0x" } as const
        yield* client.call({ ...call, block: { hash: after.hash } })
        const missing = [
          Effect.asVoid(client.transactionCount(driver.sender, { hash: UNKNOWN })),
          Effect.asVoid(client.call({ ...call, block: { hash: UNKNOWN } }))
        ]
        for (const read of missing) {
          const error = yield* Effect.flip(read)
          assert.strictEqual(error._tag, "ChainUnavailable", error.message)
          assert.isTrue(error._tag === "ChainUnavailable" && error.isBlockUnknown, error.message)
        }
      })
    )

    it.effect("finds logs by address, topic and range", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const nonce = yield* client.transactionCount(driver.sender, "latest")
        const hash = yield* client.send(yield* driver.transaction(nonce))
        yield* driver.mine
        yield* driver.mine
        const { number: head } = some(yield* client.block("latest"))
        const number = head - 1n
        const search = { address: driver.emitter, topics: [TOPIC], fromBlock: number, toBlock: number }
        const found = yield* client.logs(search)
        assert.deepStrictEqual(
          found.logs.map((log) => log.transactionHash),
          [hash]
        )
        assert.deepStrictEqual(yield* client.logs({ ...search, topics: [null] }), found)
        assert.deepStrictEqual(yield* client.logs({ ...search, topics: [[UNKNOWN, TOPIC]] }), found)
        assert.deepStrictEqual(yield* client.logs({ ...search, topics: [UNKNOWN] }), { logs: [] })
        assert.deepStrictEqual(yield* client.logs({ ...search, address: NOBODY }), { logs: [] })
        assert.deepStrictEqual(yield* client.logs({ ...search, fromBlock: head, toBlock: head }), { logs: [] })
      })
    )

    it.effect("estimates fees that at least cover the base fee", () =>
      Effect.gen(function* () {
        const { client } = yield* setUp
        const fees = yield* client.feesPerGas
        assert.isTrue(fees.baseFeePerGas > 0n)
        assert.isTrue(fees.maxPriorityFeePerGas > 0n)
        assert.isTrue(fees.maxFeePerGas >= fees.baseFeePerGas + fees.maxPriorityFeePerGas)
      })
    )

    it.effect("simulates calls one by one", () =>
      Effect.gen(function* () {
        const { client, driver } = yield* setUp
        const calls = [0, 1].map((index) => ({ to: driver.emitter, data: numberToHex(index, { size: 4 }) }))
        const simulated = yield* client.simulate(calls)
        assert.deepStrictEqual(
          simulated.map((call) => call.success),
          [true, true]
        )
      })
    )
  })
