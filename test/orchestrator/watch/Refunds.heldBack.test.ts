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
  const begun: Array<number> = []
  const bridge = BridgeRefunds.of({
    firstBlock: (_chainId, notBefore) =>
      Effect.sync(() => {
        begun.push(notBefore)
        return BigInt(notBefore)
      }),
    paid: (chainId, accounts, fromBlock) => {
      asked.push(fromBlock)
      return paid(chainId, accounts, fromBlock)
    }
  })
  const make = Effect.provideService(WatchRefunds.make, BridgeRefunds, bridge)
  const look = yield* make
  const client = yield* (yield* Chains).get(source.id)
  const expect = (account: Address, from: number, id: string = account, amount = 9n) =>
    refunds.expect({ id, chainId: source.id, account, token: TOKEN, amount, notBefore: from })
  const due = Effect.map(refunds.due(source.id, 10, -1), (all) =>
    Object.fromEntries(all.map(({ id, searchFrom }) => [id, searchFrom]))
  )
  const starts = Effect.andThen(TestClock.adjust("10 minutes"), due)
  const looks = Effect.map(refunds.due(source.id, 10, -1), (all) => all.map((each) => each.looks))
  /** A look of a process that has just started. */
  const restarted = Effect.flatMap(make, (anew) => anew(client))
  return { asked, begun, due, expect, look: look(client), looks, restarted, starts }
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

const failed = new ChainUnavailable({ chainId: source.id, method: "eth_getLogs", detail: "no answer" })

/** Reads that fail if they begin at one of these blocks. */
const failingAt =
  (blocks: ReadonlyArray<bigint>, read: Paid): Paid =>
  (chainId, accounts, from) =>
    blocks.includes(from) ? Effect.fail(failed) : read(chainId, accounts, from)

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
      // In the second look, the second read is for the account whose blocks the first one did not come to, and the third one goes on
      // behind the payment.
      assert.deepStrictEqual(asked, [100n, 300n, 900n, 700n, 300n])
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
      assert.deepStrictEqual(asked, [300n, 900n, 400n, 300n, 1_000n, 500n])
    }).pipe(Effect.provide(layer))
  )

  it.effect("continues at once for accounts that two reads did not come to", () =>
    Effect.gen(function* () {
      const held = new Map([
        [HELD, 300n],
        [OTHER, 400n]
      ])
      const { asked, begun, due, expect, look, looks, starts } = yield* scene(hundred([], held))
      yield* expect(HELD, 300)
      yield* expect(OTHER, 400)
      yield* expect(FREE, 900)
      yield* look
      assert.deepStrictEqual(yield* due, { [FREE]: undefined })
      // The account was not looked for, so that the pause after its first read is the shortest one.
      assert.deepStrictEqual(yield* looks, [0])
      yield* look
      assert.deepStrictEqual(begun, [300, 400, 900])
      assert.deepStrictEqual(yield* due, {})
      assert.deepStrictEqual(asked, [300n, 400n, 400n, 500n, 900n])
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* due)[FREE], 1_000n)
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
      const { due, expect, look, starts } = yield* scene(failingAt([900n], hundred([lineAt(350n, HELD, 9n)])))
      yield* expect(HELD, 300)
      yield* expect(OTHER, 310)
      yield* expect(FREE, 900)
      const [finding] = yield* look
      assert.strictEqual(finding?.unavailable, failed)
      assert.deepStrictEqual(yield* due, {})
      assert.deepStrictEqual(yield* starts, { [OTHER]: 400n, [FREE]: 900n })
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes on for all accounts but those whose first block cannot be read, which wait ever longer", () =>
    Effect.gen(function* () {
      const { asked, due, expect, look, looks, starts } = yield* scene(failingAt([300n], hundred()))
      yield* expect(HELD, 300)
      yield* expect(FREE, 900)
      const [finding] = yield* look
      assert.strictEqual(finding?.unavailable, failed)
      assert.deepStrictEqual(asked, [300n, 900n])
      assert.deepStrictEqual(yield* due, {})
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* due, { [HELD]: 300n, [FREE]: 1_000n })
      yield* look
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* due, {})
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 1_100n })
      assert.deepStrictEqual(yield* looks, [2, 2])
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes on behind a payment that cannot be read, from look to look and again after a restart", () =>
    Effect.gen(function* () {
      const held = new Map([[HELD, 300n]])
      const { asked, expect, look, restarted, starts } = yield* scene(hundred([lineAt(650n, HELD, 9n)], held))
      yield* expect(HELD, 300)
      yield* look
      yield* starts
      yield* look
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n })
      yield* restarted
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n })
      yield* look
      assert.deepStrictEqual(yield* starts, {})
      assert.deepStrictEqual(asked, [300n, 400n, 300n, 500n, 300n, 400n, 300n, 600n])
    }).pipe(Effect.provide(layer))
  )

  it.effect("finds later refunds of an account that is held back, and one payment of several", () =>
    Effect.gen(function* () {
      const lines = [lineAt(950n, HELD, 7n), lineAt(1_150n, HELD, 20n)]
      const { expect, look, starts } = yield* scene(hundred(lines, new Map([[HELD, 300n]])))
      yield* expect(HELD, 300, "first", 9n)
      yield* expect(HELD, 900, "second", 7n)
      yield* expect(HELD, 910, "third", 11n)
      const open: Array<string> = []
      for (let looks = 0; looks < 9; looks++) {
        yield* look
        open.push(Object.keys(yield* starts).join(" "))
      }
      assert.deepStrictEqual([...new Set(open)], ["first second third", "first third", ""])
    }).pipe(Effect.provide(layer))
  )

  it.effect("finds later refunds of an account whose first block cannot be read", () =>
    Effect.gen(function* () {
      const { asked, expect, look, starts } = yield* scene(failingAt([300n], hundred([lineAt(1_050n, HELD, 7n)])))
      yield* expect(HELD, 300, "first")
      yield* expect(HELD, 900, "second", 7n)
      yield* look
      assert.deepStrictEqual(yield* starts, { first: 300n, second: 900n })
      const [finding] = yield* look
      assert.strictEqual(finding?.unavailable, failed)
      assert.deepStrictEqual(yield* starts, { first: 300n })
      assert.deepStrictEqual(asked, [300n, 900n, 300n, 1_000n])
    }).pipe(Effect.provide(layer))
  )
})
