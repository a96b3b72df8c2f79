/** The account that funded an owner, by the logs of the token that the owner sweeps. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeEventTopics, erc20Abi, type Hex, numberToHex } from "viem"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Funders from "../../../src/orchestrator/relay/Funders.ts"
import { type BlockRange, Chains as ChainsPort } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"

const chain = { ...template, swapRouter: address(0xe1), spokePool: address(0xe2) }

const OWNER = address(1)
const TOKEN = address(0xb1)
const AMOUNT = 1_000n

interface Transfer {
  readonly from: Address.Address
  readonly amount?: bigint
}

const make = Effect.gen(function* () {
  const context = yield* Layer.build(Chains.layer([chain]))
  const node = yield* (yield* Effect.provideContext(Chains.MemoryChains, context)).get(chain.id)
  const client = yield* (yield* Effect.provideContext(ChainsPort, context)).get(chain.id)
  const ranges: Array<BlockRange> = []
  const funderOf = Funders.make()
  return {
    node,
    asked: () => ranges.length,
    ranges: () => ranges,
    /** Each in a block of its own, in this order. */
    transfers: (...transfers: ReadonlyArray<Transfer>) =>
      Effect.forEach(transfers, ({ amount = AMOUNT, from }, index) =>
        node.mine([
          {
            hash: hash(`transfer ${index}`),
            logs: [
              {
                address: TOKEN,
                topics: encodeEventTopics({
                  abi: erc20Abi,
                  eventName: "Transfer",
                  args: { from, to: OWNER }
                }) as Array<Hex>,
                data: numberToHex(amount, { size: 32 })
              }
            ]
          }
        ])
      ),
    funder: (changes: Partial<Funders.Funded> & { readonly isSilent?: boolean; readonly isNarrow?: boolean } = {}) => {
      const { isNarrow = false, isSilent = false, ...order } = changes
      const logs: typeof client.logs = (filter) => {
        const { fromBlock, toBlock } = filter
        ranges.push({ fromBlock, toBlock })
        if (isNarrow) return Effect.succeed({ logs: [], unread: { fromBlock, toBlock: toBlock - 10n } })
        return isSilent ? Effect.never : client.logs(filter)
      }
      return funderOf({ ...client, logs }, { owner: OWNER, tokenIn: TOKEN, amountIn: AMOUNT, ...order })
    }
  }
})

describe("the funder of an owner", () => {
  it.effect("is the sender of the newest transfer of at least half of what is swept", () =>
    Effect.gen(function* () {
      const { funder, transfers } = yield* make
      yield* transfers(
        { from: address(2) },
        { from: address(3), amount: AMOUNT / 2n },
        { from: address(4), amount: AMOUNT / 2n - 1n },
        { from: address(5), amount: 0n }
      )
      assert.deepStrictEqual(yield* funder(), Option.some(address(3)))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is unknown without such a transfer, for native currency, and if it is a contract that many are funded by",
    () =>
      Effect.gen(function* () {
        const { asked, funder, transfers } = yield* make
        assert.isTrue(Option.isNone(yield* funder()))
        assert.isTrue(Option.isNone(yield* funder({ tokenIn: NATIVE })))
        assert.strictEqual(asked(), 1)
        for (const from of [chain.swapRouter, chain.spokePool, chain.contracts.guard, Address.zero, OWNER, TOKEN]) {
          const each = yield* make
          yield* each.transfers({ from })
          assert.isTrue(Option.isNone(yield* each.funder()), from)
        }
        yield* transfers({ from: address(2) })
      }).pipe(Effect.scoped)
  )

  it.effect("is unknown if the node does not answer in time or fails, and is asked for again", () =>
    Effect.gen(function* () {
      const { funder, node, transfers } = yield* make
      yield* transfers({ from: address(2) })
      const waiting = yield* Effect.forkChild(funder({ isSilent: true }), { startImmediately: true })
      yield* TestClock.adjust("300 millis")
      assert.isDefined(waiting.pollUnsafe())
      assert.isTrue(Option.isNone(yield* Fiber.join(waiting)))
      yield* node.fail("logs")
      assert.isTrue(Option.isNone(yield* funder()))
      yield* node.fail()
      assert.deepStrictEqual(yield* funder(), Option.some(address(2)))
    }).pipe(Effect.scoped)
  )

  it.effect("is looked for in the newest blocks first, and in older ones only if these have no such transfer", () =>
    Effect.gen(function* () {
      /** Ranges that are asked for when the transfer has so many blocks after it, and the funder. */
      const after = Effect.fnUntraced(function* (blocks: number) {
        const { funder, node, ranges, transfers } = yield* make
        yield* transfers({ from: address(2) })
        yield* Effect.replicateEffect(node.mine(), blocks, { discard: true })
        const found = yield* funder()
        return { found, ranges: ranges() }
      })
      const within = yield* after(499)
      assert.deepStrictEqual(within.found, Option.some(address(2)))
      assert.lengthOf(within.ranges, 1)
      const older = yield* after(500)
      assert.deepStrictEqual(older.found, Option.some(address(2)))
      assert.lengthOf(older.ranges, 2)
      const [newest, rest] = older.ranges
      assert.strictEqual(rest?.toBlock, (newest?.fromBlock ?? 0n) - 1n)
      const tooOld = yield* after(5_000)
      assert.deepStrictEqual(tooOld.found, Option.none())
      assert.deepStrictEqual(
        tooOld.ranges.map(({ fromBlock, toBlock }) => toBlock - fromBlock + 1n),
        [500n, 4_500n]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is looked for in the newest blocks only, if the endpoint takes fewer at once", () =>
    Effect.gen(function* () {
      const { funder, node, ranges, transfers } = yield* make
      yield* transfers({ from: address(2) })
      yield* Effect.replicateEffect(node.mine(), 600, { discard: true })
      assert.deepStrictEqual(yield* funder({ isNarrow: true }), Option.none())
      assert.lengthOf(ranges(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is kept for ten minutes", () =>
    Effect.gen(function* () {
      const { asked, funder, transfers } = yield* make
      yield* transfers({ from: address(2) })
      yield* Effect.andThen(funder(), funder())
      assert.strictEqual(asked(), 1)
      yield* transfers({ from: address(3) })
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* funder(), Option.some(address(3)))
    }).pipe(Effect.scoped)
  )
})
