import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Address } from "../../../src/domain/Address.ts"
import type { RefundLine } from "../../../src/domain/BridgeRefund.ts"
import * as WatchRefunds from "../../../src/orchestrator/watch/Refunds.ts"
import { BridgeRefunds, type PaidRefunds } from "../../../src/ports/orchestrator/BridgeRefunds.ts"
import { Refunds } from "../../../src/ports/orchestrator/Refunds.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layer } from "../../support/RelayScene.ts"

const [HELD, FREE, OTHER] = [address(0xa1), address(0xa2), address(0xa3)]
const TOKEN = address(0xd1)

type Paid = BridgeRefunds["Service"]["paid"]

/** The search for refunds with the reads of a bridge. `from`: the block from which each account is looked for. */
const scene = Effect.fnUntraced(function* (paid: Paid) {
  const refunds = yield* Refunds
  const asked: Array<bigint> = []
  const bridge = BridgeRefunds.of({
    firstBlock: (_chainId, notBefore) => Effect.succeed(BigInt(notBefore)),
    paid: (chainId, accounts, fromBlock) => {
      asked.push(fromBlock)
      return paid(chainId, accounts, fromBlock)
    }
  })
  const look = yield* Effect.provideService(WatchRefunds.make, BridgeRefunds, bridge)
  const client = yield* (yield* Chains).get(source.id)
  const expect = (account: Address, from: number, id: string = account, amount = 9n) =>
    refunds.expect({ id, chainId: source.id, account, token: TOKEN, amount, notBefore: from })
  const due = Effect.map(refunds.due(source.id, 10, -1), (all) =>
    Object.fromEntries(all.map(({ id, searchFrom }) => [id, searchFrom]))
  )
  const starts = Effect.andThen(TestClock.adjust("10 minutes"), due)
  return { asked, due, expect, look: look(client), starts }
})

/** Reads of a hundred blocks, up to block 2,000. The newest 50 blocks are read again. */
const hundred =
  (lines: ReadonlyArray<RefundLine> = [], held: ReadonlyMap<Address, bigint> = new Map()): Paid =>
  (_chainId, accounts, from) => {
    const end = from + 100n
    const again = from > 1_951n ? from : 1_951n
    const nextBlock = end < again ? end : again
    const isRead = (block: bigint) => block >= from && block < end
    const heldBack = new Map([...held].filter(([account, block]) => accounts.has(account) && isRead(block)))
    return Effect.succeed({
      lines: lines.filter(({ account, blockNumber }) => accounts.has(account) && isRead(blockNumber)),
      nextBlock,
      ...(heldBack.size === 0 ? {} : { heldBack })
    })
  }

const lineAt = (blockNumber: bigint, account: Address, amount: bigint): RefundLine => ({
  txHash: hash(`at ${blockNumber}`),
  blockNumber,
  logIndex: 0,
  entry: 0,
  token: TOKEN,
  account,
  amount
})

describe("the search for refunds", () => {
  it.effect("goes on for all accounts but the one with a payment that cannot be read", () =>
    Effect.gen(function* () {
      let answer: PaidRefunds = { lines: [], nextBlock: 900n, heldBack: new Map([[HELD, 300n]]) }
      const { asked, expect, look, starts } = yield* scene(() => Effect.succeed(answer))
      for (const account of [HELD, FREE]) yield* expect(account, 100)
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 900n })
      // A search never goes back to blocks before its own.
      answer = { lines: [], nextBlock: 700n, heldBack: new Map([[HELD, 200n]]) }
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 900n })
      answer = { lines: [], nextBlock: 950n }
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 950n, [FREE]: 950n })
      // The second read of the second look is for the account whose blocks the first one did not come to.
      assert.deepStrictEqual(asked, [100n, 300n, 900n, 300n])
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes on for accounts whose blocks the read for a held one does not come to", () =>
    Effect.gen(function* () {
      const { asked, expect, look, starts } = yield* scene(hundred([], new Map([[HELD, 300n]])))
      yield* expect(HELD, 300)
      yield* expect(FREE, 900)
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 1_000n })
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 1_100n })
      assert.deepStrictEqual(asked, [300n, 900n, 300n, 1_000n])
    }).pipe(Effect.provide(layer))
  )

  it.effect("continues at once for accounts that two reads did not come to", () =>
    Effect.gen(function* () {
      const held = new Map([
        [HELD, 300n],
        [OTHER, 400n]
      ])
      const { asked, due, expect, look, starts } = yield* scene(hundred([], held))
      yield* expect(HELD, 300)
      yield* expect(OTHER, 400)
      yield* expect(FREE, 900)
      yield* look
      assert.deepStrictEqual(yield* due, { [FREE]: 900n })
      yield* look
      assert.deepStrictEqual(yield* due, {})
      assert.deepStrictEqual(asked, [300n, 400n, 900n])
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [OTHER]: 400n, [FREE]: 1_000n })
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends with one more read for accounts in the newest blocks, which are read again", () =>
    Effect.gen(function* () {
      const { asked, due, expect, look } = yield* scene(hundred())
      for (const [account, from] of [
        [HELD, 1_940],
        [FREE, 1_960],
        [OTHER, 1_980]
      ] as const) {
        yield* expect(account, from)
      }
      yield* look
      assert.deepStrictEqual(asked, [1_940n, 1_960n])
      assert.deepStrictEqual(yield* due, {})
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the deposits of an account together, which one payment may return", () =>
    Effect.gen(function* () {
      const { due, expect, look, starts } = yield* scene(hundred([lineAt(1_050n, FREE, 15n)]))
      yield* expect(FREE, 800, "first", 7n)
      yield* expect(FREE, 950, "second", 8n)
      yield* look
      assert.deepStrictEqual(yield* starts, { first: 900n, second: 950n })
      yield* look
      assert.deepStrictEqual(yield* starts, { first: 1_000n, second: 1_000n })
      yield* look
      assert.deepStrictEqual(yield* due, {})
      assert.deepStrictEqual(yield* starts, {})
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps what the first read found if the second one fails", () =>
    Effect.gen(function* () {
      const failed = new ChainUnavailable({ chainId: source.id, method: "eth_getLogs", detail: "no answer" })
      const read = hundred([lineAt(350n, HELD, 9n)])
      const { due, expect, look } = yield* scene((chainId, accounts, from) =>
        from === 900n ? Effect.fail(failed) : read(chainId, accounts, from)
      )
      yield* expect(HELD, 300)
      yield* expect(OTHER, 310)
      yield* expect(FREE, 900)
      const [finding] = yield* look
      assert.strictEqual(finding?.unavailable, failed)
      assert.deepStrictEqual(yield* due, { [FREE]: undefined })
    }).pipe(Effect.provide(layer))
  )
})
