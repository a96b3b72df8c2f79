/** The proof of an order by one of several equal transfers to one recipient. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as ProvedArrival from "../../../src/adapters/bridge/ProvedArrival.ts"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { address } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"

const [TOKEN, RECIPIENT, OWNER] = [address(0x22), address(0x44), address(0x33)]
const [FIRST, SECOND] = [FakeEnds.hash(0xf111), FakeEnds.hash(0xf222)]

const failed = new ChainUnavailable({
  chainId: FakeEnds.DESTINATION,
  method: "eth_getTransactionReceipt",
  detail: "no answer"
})

/** Two orders to one recipient, and transactions with transfers that prove either of them. */
const scene = Effect.gen(function* () {
  const { ends, layer } = FakeEnds.make([])
  const chains = yield* Effect.provide(Chains, layer)
  const node = yield* chains.get(FakeEnds.DESTINATION)
  /** Transactions whose receipts no node returns. */
  const silent = new Set<Hash>()
  const store = yield* Idempotency
  // Reads and writes of looks at the same time alternate.
  const prove = ProvedArrival.make({
    ...store,
    fingerprints: (ids) => Effect.tap(store.fingerprints(ids), () => Effect.yieldNow)
  })
  /** Looks at both transactions. The node lacks one of them. */
  const look = (order: string, lacking?: Hash) => {
    const client: ChainClient = {
      ...node,
      receipt: (hash, scope) =>
        silent.has(hash) ? Effect.fail(failed) : hash === lacking ? Effect.succeedNone : node.receipt(hash, scope)
    }
    return Effect.map(
      prove(client, [FIRST, SECOND], {
        token: TOKEN,
        recipient: RECIPIENT,
        owner: OWNER,
        minAmountOut: 7n,
        depositedAt: 0n,
        order
      }),
      Option.map(({ logIndex, txHash }) => [txHash, logIndex])
    )
  }
  const pay = (hash: Hash, blockNumber = 60n, logIndexes: ReadonlyArray<number> = [0]) => {
    const logs = logIndexes.map((index) => FakeEnds.transfer(TOKEN, RECIPIENT, 7n, hash, index))
    ends.receipts.set(hash, FakeEnds.receiptOf(hash, blockNumber, logs))
  }
  return { ends, look, pay, silent, store }
})

describe("the proof of an arrival", () => {
  it.effect("is found on another endpoint after the first one has deleted the receipt", () =>
    Effect.gen(function* () {
      const { ends, look, pay } = yield* scene
      pay(FIRST)
      ends.isPruned = true
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 0]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("keeps its transfer if one that is named earlier comes to the depth later", () =>
    Effect.gen(function* () {
      const { ends, look, pay } = yield* scene
      pay(FIRST, 99n)
      pay(SECOND, 60n)
      assert.deepStrictEqual(yield* look("one"), Option.some([SECOND, 0]))
      ends.head = 110n
      assert.deepStrictEqual(yield* look("one"), Option.some([SECOND, 0]))
      assert.deepStrictEqual(yield* look("two"), Option.some([FIRST, 0]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("takes no other transfer while its own one cannot be read", () =>
    Effect.gen(function* () {
      const { look, pay } = yield* scene
      pay(FIRST)
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 0]))
      pay(SECOND)
      assert.deepStrictEqual(yield* look("one", FIRST), Option.none())
      assert.deepStrictEqual(yield* look("two"), Option.some([SECOND, 0]))
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 0]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("takes one transfer if two replicas look at once, one of which lacks a transaction", () =>
    Effect.gen(function* () {
      const { look, pay } = yield* scene
      pay(FIRST)
      pay(SECOND)
      const both = yield* Effect.all([look("one"), look("one", FIRST)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, [Option.some([FIRST, 0]), Option.none()])
      assert.deepStrictEqual(yield* look("one", FIRST), Option.none())
      assert.deepStrictEqual(yield* look("two"), Option.some([SECOND, 0]))
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 0]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("takes the transfer at its new position after a reorganisation", () =>
    Effect.gen(function* () {
      const { look, pay } = yield* scene
      pay(FIRST, 60n, [3])
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 3]))
      pay(FIRST, 61n, [5])
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 5]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("does not need a transaction that cannot be read if another one has the transfer, and else fails", () =>
    Effect.gen(function* () {
      const { look, pay, silent } = yield* scene
      silent.add(FIRST)
      assert.strictEqual(yield* Effect.flip(look("one")), failed)
      pay(SECOND)
      assert.deepStrictEqual(yield* look("one"), Option.some([SECOND, 0]))
      assert.strictEqual(yield* Effect.flip(look("two")), failed)
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("keeps the transfer that the release before claimed", () =>
    Effect.gen(function* () {
      const { look, pay, store } = yield* scene
      pay(FIRST, 60n, [0, 1])
      const attempt = { id: `arrival:${FakeEnds.DESTINATION}:${FIRST}:1`, attempt: "one" }
      yield* store.claim({ ...attempt, fingerprint: "one", leaseMillis: 10_000, lifetimeMillis: 10 ** 12 })
      yield* store.complete(attempt, { status: 200, body: "" })
      assert.deepStrictEqual(yield* look("one"), Option.some([FIRST, 1]))
      assert.deepStrictEqual(yield* look("two"), Option.some([FIRST, 0]))
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )
})
