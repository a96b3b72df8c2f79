/** The search for the event of a fill on nodes that answer slowly or not at all. */
import { assert } from "@effect/vitest"
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
export const HEAD = 1_000_000n
export const FILL = FakeEnds.hash(0xf1)

/** A swap on arrival. */
export const message = AcrossPurchase.encode({
  sold: sample.outputToken,
  amount: sample.outputAmount,
  router: address(0x77),
  calldata: "0x1234",
  fallbackRecipient: address(0x78)
})

/** A block takes a second, and the deposit was quoted 10,000 blocks before the head. */
export const relayOf = (deposit: Partial<AcrossDeposit.AcrossDeposit> = {}): AcrossDeposit.Relay => ({
  originChainId: 8_453,
  destinationChainId: 10n,
  depositId: 7n,
  deposit: { ...sample, quoteTimestamp: Number(HEAD) - 10_000, ...deposit },
  exclusivityDeadline: 0
})

const word = (value: Address): Hex => padHex(value, { size: 32 })

/** The event of the relay's fill in a block. */
export const fillAt = (relay: AcrossDeposit.Relay, blockNumber: bigint): Log => {
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
export const scene = ({ isFilledAt = () => Effect.fail(missing), logs = [], millis, receipt, ...rest }: Node) => {
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
