/** The search for the event of a fill that is proved, on nodes that answer slowly or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeAbiParameters, keccak256, padHex, parseAbiParameters, zeroHash } from "viem"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import * as AcrossFills from "../../../src/adapters/bridge/AcrossFills.ts"
import * as AcrossPurchase from "../../../src/adapters/bridge/AcrossPurchase.ts"
import type { Address } from "../../../src/domain/Address.ts"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import { type BlockRange, type ChainClient, ChainUnavailable, type Log } from "../../../src/ports/shared/Chains.ts"
import { address, client } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"
import { sample } from "./generated.ts"

const POOL = address(0x5b)
const HEAD = 1_000_000n
const FILL = FakeEnds.hash(0xf1)

/** A swap on arrival. */
const message = AcrossPurchase.encode({
  sold: sample.outputToken,
  amount: sample.outputAmount,
  router: address(0x77),
  calldata: "0x1234",
  fallbackRecipient: address(0x78)
})

/** A block takes a second, and the deposit was quoted 10,000 blocks before the head. */
const relayOf = (deposit: Partial<AcrossDeposit.AcrossDeposit> = {}): AcrossDeposit.Relay => ({
  originChainId: 8_453,
  destinationChainId: 10n,
  depositId: 7n,
  deposit: { ...sample, quoteTimestamp: Number(HEAD) - 10_000, ...deposit },
  exclusivityDeadline: 0
})

const word = (value: Address): Hex => padHex(value, { size: 32 })

/** The event of the relay's fill in a block. */
const fillAt = (relay: AcrossDeposit.Relay, blockNumber: bigint): Log => {
  const { deposit } = relay
  const data = encodeAbiParameters(
    parseAbiParameters(
      "bytes32, bytes32, uint256, uint256, uint256, uint32, uint32, bytes32, bytes32, bytes32, bytes32, (bytes32, bytes32, uint256, uint8)"
    ),
    [
      word(deposit.inputToken),
      word(deposit.outputToken),
      deposit.inputAmount,
      deposit.outputAmount,
      10n,
      deposit.fillDeadline,
      relay.exclusivityDeadline,
      word(deposit.exclusiveRelayer),
      word(deposit.depositor),
      word(deposit.recipient),
      deposit.message === undefined ? zeroHash : keccak256(deposit.message),
      [word(deposit.recipient), zeroHash, deposit.outputAmount, 0]
    ]
  )
  const topics = [...AcrossDeposit.filledTopics(relay), word(address(0x99))] as ReadonlyArray<Hash>
  return { ...FakeEnds.log(POOL, topics, data, FILL), blockNumber }
}

interface Node {
  /** Duration of one request for logs. */
  readonly millis: number
  readonly logs?: ReadonlyArray<Log>
  readonly receipt?: ChainClient["receipt"]
  /** Newest block whose logs it has. Default: all. */
  readonly height?: bigint
  /** First requests that it refuses for their width, if that is more than a block. */
  readonly refusals?: number
  readonly isFilledAt?: AcrossFills.Search["isFilledAt"]
}

const missing = new ChainUnavailable({ chainId: 10, method: "eth_call", detail: "missing trie node" })

/** A node that returns the logs of ten blocks for a request. */
const scene = ({ isFilledAt = () => Effect.fail(missing), logs = [], millis, receipt, ...rest }: Node) => {
  const asked: Array<BlockRange> = []
  const state = { head: HEAD, height: rest.height ?? HEAD, refusals: rest.refusals ?? 0 }
  const node = client({
    block: (which) =>
      Effect.succeed(Option.some(FakeEnds.blockOf(which === "latest" ? state.head : which, which as bigint))),
    ...(receipt === undefined ? {} : { receipt }),
    logs: Effect.fnUntraced(function* ({ fromBlock, order, requests = 40, toBlock, until = () => false }) {
      const found: Array<Log> = []
      const top = toBlock < state.height ? toBlock : state.height
      if (top < fromBlock) {
        // A read of the oldest blocks first waits for nodes that are behind.
        if (order !== "newest") yield* Effect.sleep("3 seconds")
        return yield* new ChainUnavailable({ chainId: 10, method: "eth_getLogs", detail: "its head is old" })
      }
      let unread: BlockRange | undefined = { fromBlock, toBlock: top }
      for (let left = requests; left > 0 && unread !== undefined; left--) {
        yield* Effect.sleep(millis)
        if (fromBlock < toBlock && state.refusals-- > 0) continue
        const range: BlockRange = unread
        const lowest = range.toBlock - 9n > fromBlock ? range.toBlock - 9n : fromBlock
        asked.push({ fromBlock: lowest, toBlock: range.toBlock })
        const part = logs.filter(({ blockNumber: at }) => at >= lowest && at <= range.toBlock)
        found.push(...part)
        unread = lowest > fromBlock ? { fromBlock, toBlock: lowest - 1n } : undefined
        if (part.some(until)) break
      }
      // Blocks that it lacks are unread, together with those that it did not come to.
      if (top < toBlock) unread = { fromBlock: unread?.fromBlock ?? top + 1n, toBlock }
      return { logs: found, ...(unread === undefined ? {} : { unread }) }
    })
  })
  const find = Effect.fnUntraced(function* (relay: AcrossDeposit.Relay, searchFrom?: bigint) {
    const head = FakeEnds.blockOf(state.head, state.head)
    const search = { client: node, pool: POOL, relay, head, isFilledAt, searchFrom }
    const fiber = yield* Effect.forkChild(AcrossFills.find(search))
    yield* TestClock.adjust("20 seconds")
    const ended = fiber.pollUnsafe()
    if (ended === undefined) {
      yield* Fiber.interrupt(fiber)
      return assert.fail("the search takes more than 20 seconds")
    }
    return yield* Fiber.join(fiber)
  })
  return { asked, find, state }
}

describe("the search for a proved fill", () => {
  it.effect("ends after 20 seconds with the block that it came to, where the next one continues", () =>
    Effect.gen(function* () {
      const { asked, find } = scene({ millis: 2_000 })
      const first = yield* find(relayOf())
      assert.isTrue(first._tag === "Filled" && first.logsFailed === undefined)
      if (first._tag !== "Filled" || first.searchFrom === undefined) return assert.fail("no progress")
      assert.isBelow(Number(first.searchFrom), Number(HEAD) - 10)
      const { length } = asked
      const second = yield* find(relayOf(), first.searchFrom)
      assert.strictEqual(asked.at(length)?.toBlock, first.searchFrom)
      assert.isTrue(second._tag === "Filled" && (second.searchFrom ?? HEAD) < first.searchFrom)
    })
  )

  it.effect("finds a fill in later looks, each of which comes to a few blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 2_000, logs: [fillAt(relay, HEAD - 200n)] })
      let searchFrom: bigint | undefined
      for (let look = 0; look < 5; look++) {
        const delivery = yield* find(relay, searchFrom)
        if (delivery._tag === "Delivered") {
          assert.strictEqual(delivery.txHash, FILL)
          assert.isAtLeast(look, 1)
          return
        }
        searchFrom = delivery._tag === "Filled" ? delivery.searchFrom : undefined
      }
      assert.fail("the fill was not found")
    })
  )

  it.effect("names the logs that failed if none came in the time", () =>
    Effect.gen(function* () {
      const { find } = scene({ millis: 30_000 })
      const delivery = yield* find(relayOf(), 999_000n)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getLogs")
      assert.isTrue(delivery._tag === "Filled" && delivery.searchFrom === 999_000n)
    })
  )

  it.effect("does not wait for past states that do not come", () =>
    Effect.gen(function* () {
      const { find } = scene({ millis: 1, isFilledAt: () => Effect.never })
      const delivery = yield* find(relayOf())
      assert.isTrue(delivery._tag === "Filled" && (delivery.searchFrom ?? HEAD) < HEAD)
    })
  )

  it.effect("stays above a fill with a swap on arrival while no node has its receipt", () =>
    Effect.gen(function* () {
      const relay = relayOf({ message })
      const fill = fillAt(relay, HEAD - 500n)
      const { find } = scene({ millis: 1, logs: [fill], receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay, HEAD - 400n)
      if (delivery._tag !== "Filled" || delivery.searchFrom === undefined) return assert.fail(delivery._tag)
      assert.isTrue(delivery.searchFrom >= fill.blockNumber)
      assert.strictEqual(delivery.logsFailed?.method, "eth_getTransactionReceipt")
      assert.isTrue(delivery.swapsOnArrival)
    })
  )

  it.effect("goes on below the newest blocks while no node has their logs", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 1, height: HEAD - 5n, logs: [fillAt(relay, HEAD - 300n)] })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
    })
  )

  it.effect("goes on below the newest hundred blocks while no node has their logs", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 1, height: HEAD - 150n, logs: [fillAt(relay, HEAD - 300n)] })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
    })
  )

  it.effect("reads the block that past states locate also if no node has logs of the newest hundred blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find } = scene({
        millis: 1,
        height: HEAD - 150n,
        logs: [fillAt(relay, HEAD - 5_000n)],
        isFilledAt: (block) => Effect.succeed(block >= HEAD - 5_000n)
      })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("names the logs that failed if no node has any, and a missing receipt of a fill in the newest blocks", () =>
    Effect.gen(function* () {
      const silent = yield* scene({ millis: 1, height: -1n }).find(relayOf())
      assert.isTrue(silent._tag === "Filled" && silent.logsFailed?.method === "eth_getLogs")
      assert.isTrue(silent._tag === "Filled" && silent.searchFrom === undefined)
      const relay = relayOf({ message })
      const logs = [fillAt(relay, HEAD - 5n)]
      const { asked, find } = scene({ millis: 1, logs, receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay)
      assert.lengthOf(asked, 1)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getTransactionReceipt")
    })
  )

  it.effect("comes back to newest blocks that no node had, however many looks that takes", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find, state } = scene({ millis: 1, height: HEAD - 50n, logs: [fillAt(relay, HEAD - 2n)] })
      const first = yield* find(relay)
      assert.isTrue(first._tag === "Filled" && first.searchFrom === HEAD)
      // Each later look gets the block that the one before returned.
      for (const head of [HEAD + 1n, HEAD + 30n, HEAD + 99n]) {
        state.head = head
        const later = yield* find(relay, HEAD)
        assert.isTrue(later._tag === "Filled" && later.searchFrom === HEAD)
      }
      const { length } = asked
      state.height = state.head
      const last = yield* find(relay, HEAD)
      assert.isTrue(last._tag === "Delivered" && last.txHash === FILL)
      assert.strictEqual(asked.at(length)?.toBlock, HEAD)
    })
  )

  it.effect("goes on to older blocks if no node has the newest ones for a hundred blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find, state } = scene({ millis: 1, height: HEAD - 50n, logs: [fillAt(relay, HEAD - 600n)] })
      const first = yield* find(relay)
      assert.isTrue(first._tag === "Filled" && first.searchFrom === HEAD)
      state.head = HEAD + 100n
      const second = yield* find(relay, HEAD)
      if (second._tag !== "Filled" || second.searchFrom === undefined) return assert.fail(second._tag)
      assert.isTrue(second.searchFrom < HEAD - 350n)
      const third = yield* find(relay, second.searchFrom)
      assert.isTrue(third._tag === "Delivered" && third.txHash === FILL)
    })
  )

  it.effect("stays above a fill without a receipt also below newest blocks that no node has", () =>
    Effect.gen(function* () {
      const relay = relayOf({ message })
      const logs = [fillAt(relay, HEAD - 108n)]
      const { find } = scene({ millis: 1, height: HEAD - 105n, logs, receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay, HEAD - 100n)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getTransactionReceipt")
      assert.isTrue(delivery._tag === "Filled" && delivery.searchFrom === HEAD - 100n)
    })
  )

  it.effect("skips no block of a node that refuses the width of its first requests", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find } = scene({ millis: 1, refusals: 6 })
      const delivery = yield* find(relay, HEAD - 100n)
      assert.isTrue(delivery._tag === "Filled" && (delivery.searchFrom ?? HEAD) < HEAD - 400n)
      const wide = asked.filter(({ fromBlock, toBlock }) => fromBlock < toBlock)
      assert.strictEqual(wide[0]?.toBlock, HEAD - 100n)
      for (const [index, { toBlock }] of wide.slice(1).entries()) {
        assert.strictEqual(toBlock, (wide[index]?.fromBlock ?? 0n) - 1n)
      }
    })
  )
})
