import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { LogRefusal } from "../../../../src/adapters/evm/rpc/LogRefusals.ts"
import * as LogWindow from "../../../../src/adapters/evm/rpc/LogWindow.ts"
import type { BlockRange } from "../../../../src/ports/shared/Chains.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** An endpoint that refuses ranges by their width, or by the results in them, and says more or less about it. */
const Endpoint = Schema.Struct({
  cap: between(1, 6_000),
  says: Schema.Literals(["nothing", "its cap", "one more than its cap"]),
  /** Every so manieth block is so dense that it must be asked for alone, 0 for none. */
  dense: between(0, 400),
  /** Share of requests without an answer, in percent. */
  silent: between(0, 30)
})

interface Walk {
  readonly read: ReadonlyArray<BlockRange>
  readonly requests: number
  readonly refusals: number
}

/** Reads a range as `Logs` does, with one endpoint. */
const walk = (
  range: BlockRange,
  order: "oldest" | "newest",
  endpoint: typeof Endpoint.Type,
  start = LogWindow.initial
) => {
  const cap = BigInt(endpoint.cap)
  const isDense = ({ fromBlock, toBlock }: BlockRange) => {
    if (endpoint.dense === 0) return false
    const every = BigInt(endpoint.dense)
    return toBlock / every !== (fromBlock === 0n ? -1n : (fromBlock - 1n) / every)
  }
  const refusalOf = (asked: BlockRange): LogRefusal | undefined => {
    const width = LogWindow.widthOf(asked)
    if (width > cap) {
      if (endpoint.says === "nothing") return { because: "range" }
      return { because: "range", blocks: endpoint.says === "its cap" ? cap : cap + 1n }
    }
    return width > 1n && isDense(asked) ? { because: "result" } : undefined
  }
  const read: Array<BlockRange> = []
  let window = start
  let unread: BlockRange | undefined = range
  let requests = 0
  let refusals = 0
  while (unread !== undefined && requests < 100_000) {
    const asked: BlockRange = LogWindow.part(window, unread, order)
    const width = LogWindow.widthOf(asked)
    requests++
    if ((requests * 37) % 100 < endpoint.silent) {
      window = LogWindow.unanswered(window, width)
      continue
    }
    const refusal = refusalOf(asked)
    if (refusal === undefined) {
      read.push(asked)
      window = LogWindow.granted(window, width, 0)
      unread = LogWindow.rest(unread, asked, order)
    } else {
      refusals++
      const before = window.blocks
      window = LogWindow.refused(window, width, refusal, 0)
      assert.isTrue(window.blocks < width && window.blocks <= before && window.blocks >= 1n)
    }
  }
  return { read, requests, refusals, window } satisfies Walk & { window: LogWindow.LogWindow }
}

/** The ranges in ascending order are the whole range, without a gap and without a block that was read twice. */
const isCoveredOnce = (range: BlockRange, read: ReadonlyArray<BlockRange>): boolean => {
  let next = range.fromBlock
  for (const part of read.toSorted((a, b) => (a.fromBlock < b.fromBlock ? -1 : 1))) {
    if (part.fromBlock !== next || part.toBlock < part.fromBlock) return false
    next = part.toBlock + 1n
  }
  return next === range.toBlock + 1n
}

describe("a search in windows", () => {
  it.prop(
    "reads every block once, whatever the endpoint grants",
    [between(0, 1_000_000), between(1, 20_000), Schema.Literals(["oldest", "newest"]), Endpoint],
    ([first, length, order, endpoint]) => {
      const range = { fromBlock: BigInt(first), toBlock: BigInt(first + length - 1) }
      assert.isTrue(isCoveredOnce(range, walk(range, order, endpoint).read))
    }
  )

  it("finds a cap that is named by one refusal, and one that is not by at most ten", () => {
    const range = { fromBlock: 1_000n, toBlock: 1_399n }
    for (const cap of [1, 5, 10, 50, 100, 500, 1_000, 2_000, 3_000]) {
      const wide = { fromBlock: 1_000n, toBlock: 1_000n + 5n * BigInt(cap) }
      const named = walk(wide, "oldest", { cap, says: "its cap", dense: 0, silent: 0 })
      assert.isAtMost(named.refusals, 1)
      assert.strictEqual(named.window.blocks, BigInt(cap))
      const silent = walk(wide, "newest", { cap, says: "nothing", dense: 0, silent: 0 })
      assert.isAtMost(silent.refusals, 10)
      assert.strictEqual(silent.window.blocks, BigInt(cap))
    }
    assert.isAtMost(walk(range, "newest", { cap: 10, says: "nothing", dense: 0, silent: 0 }).requests, 47)
  })

  it("stays narrow for ten minutes after a refusal, and then widens slowly", () => {
    const refused = LogWindow.refused(LogWindow.initial, 5_000n, { because: "range", blocks: 10n }, 0)
    const after = (answers: number, atMillis: number) => {
      let window = refused
      for (let answer = 0; answer < answers; answer++) window = LogWindow.granted(window, window.blocks, atMillis)
      return window.blocks
    }
    assert.strictEqual(after(1_000, 599_999), 10n)
    assert.strictEqual(after(7, 600_000), 10n)
    assert.strictEqual(after(8, 600_000), 20n)
    assert.strictEqual(after(1_000, 600_000), LogWindow.WIDEST)
  })

  it("widens after a dense range without waiting", () => {
    let window = LogWindow.refused(LogWindow.initial, 5_000n, { because: "result" }, 0)
    assert.strictEqual(window.blocks, 2_500n)
    for (let answer = 0; answer < 8; answer++) window = LogWindow.granted(window, window.blocks, 0)
    assert.strictEqual(window.blocks, 5_000n)
  })

  it("learns nothing from a range that is narrower than the window", () => {
    assert.deepStrictEqual(LogWindow.granted(LogWindow.initial, 3n, 0), LogWindow.initial)
  })
})
