import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { encodeFunctionData, encodePacked, type Hex, parseAbi } from "viem"
import {
  admit,
  batchClass,
  type Budgets,
  classOf,
  EMPTY,
  type ExposureClass,
  firstClass,
  funderClass,
  holding,
  isSpent,
  KINDS,
  lacking,
  limitOf,
  outcome,
  parse,
  type Reservation,
  shares,
  type Sums,
  sureLimit,
  worstCase
} from "../../src/domain/Exposure.ts"
import { budgetsOf, inNative } from "../../src/domain/ExposureBudget.ts"
import { classesOf, poolsOf } from "../../src/domain/ExposureClasses.ts"
import { address, chain } from "../support/FakeChain.ts"

const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")
const FIRST = firstClass(1, false)

const sums = (changes: Partial<Sums>): Sums => ({ ...EMPTY, ...changes })

const lost = (wei: bigint): Partial<Sums> => ({
  hour: { lost: wei, earned: 0n },
  day: { lost: wei, earned: 0n }
})

const Keys = Schema.Literals(
  KINDS.flatMap((kind) => (kind === "all" ? [] : [1, 2].map((n) => classOf("unlisted", kind, 1, String(n)))))
)
const Wei = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 }))

const Asked = Schema.Array(Schema.Struct({ keys: Schema.Array(Keys).check(Schema.isMaxLength(4)), wei: Wei })).check(
  Schema.isMaxLength(20)
)

const Standing = Schema.Array(
  Schema.Struct({ key: Schema.Union([Keys, Schema.Literal(ALL)]), open: Wei, hour: Wei, earlier: Wei, earned: Wei })
).check(Schema.isMaxLength(10))

const properties = { drawn: Arbitrary.schema(Asked), known: Arbitrary.schema(Standing) }

const reservationsOf = (drawn: typeof Asked.Type): ReadonlyArray<Reservation> =>
  drawn.map(({ keys, wei }, index) => ({
    intentId: String(index),
    classes: [ALL, ...new Set(keys)],
    wei: BigInt(wei) + 1n
  }))

const standingOf = (known: typeof Standing.Type): ReadonlyMap<ExposureClass, Sums> =>
  new Map(
    known.map(({ earlier, earned, hour, key, open }) => [
      key,
      {
        open: BigInt(open),
        hour: { lost: BigInt(hour), earned: 0n },
        day: { lost: BigInt(hour + earlier), earned: BigInt(earned) }
      }
    ])
  )

const taken = (admitted: ReadonlyArray<Reservation>, key: ExposureClass): bigint =>
  admitted.reduce((sum, each) => (each.classes.includes(key) ? sum + each.wei : sum), 0n)

describe("Exposure", () => {
  it.prop("never admits more than a budget, but for one sweep of an idle class", properties, ({ drawn, known }) => {
    const asked = reservationsOf(drawn)
    const before = standingOf(known)
    const { admitted, denied } = admit(asked, BUDGETS, before)
    assert.strictEqual(admitted.length + denied.length, asked.length)
    for (const key of new Set(admitted.flatMap(({ classes }) => classes))) {
      const had = before.get(key) ?? EMPTY
      const limit = limitOf(key, BUDGETS, had)
      const mine = admitted.filter(({ classes }) => classes.includes(key))
      for (const [window, most] of [
        [had.hour, limit.hour],
        [had.day, limit.day]
      ] as const) {
        const isFirst = mine.length === 1 && had.open + window.lost === 0n && key !== ALL
        assert.isTrue(isFirst || had.open + window.lost + taken(mine, key) <= most)
      }
    }
  })

  it.prop("denies a sweep only for a class of its own", properties, ({ drawn, known }) => {
    const asked = reservationsOf(drawn)
    for (const { intentId, spent } of admit(asked, BUDGETS, standingOf(known)).denied) {
      assert.isTrue(asked.some((each) => each.intentId === intentId && each.classes.includes(spent)))
    }
  })

  it.prop(
    "has room for what is within a class's limit whatever it earned",
    { key: Arbitrary.schema(Schema.Union([Keys, Schema.Literals([ALL, FIRST])])), known: Arbitrary.schema(Standing) },
    ({ key, known }) => {
      const budgets: Budgets = { ...BUDGETS, firstHour: 1_000n }
      for (const standing of standingOf(known).values()) {
        const wei = sureLimit(key, budgets) - standing.open - standing.day.lost
        if (wei > 0n) assert.isUndefined(lacking({ classes: [key], wei }, budgets, () => standing))
      }
    }
  )

  it("limits what a class may reserve whatever it earned by its start", () => {
    const of = (key: ExposureClass) => sureLimit(key, { ...BUDGETS, firstHour: 1_000n })
    assert.deepStrictEqual([ALL, TOKEN, FIRST].map(of), [800n, 100n, 500n])
  })

  it("tells a class that is busy from one that is spent", () => {
    const at = (of: Partial<Sums>) => lacking({ classes: [TOKEN], wei: 60n }, BUDGETS, () => sums(of))
    assert.deepStrictEqual(at({ open: 50n }), { spent: TOKEN, isBusy: true })
    assert.deepStrictEqual(at(lost(50n)), { spent: TOKEN, isBusy: false })
    assert.isUndefined(at(lost(40n)))
    assert.isTrue(isSpent(TOKEN, BUDGETS, sums(lost(100n))))
    assert.isFalse(isSpent(TOKEN, BUDGETS, sums({ open: 800n })))
  })

  it("gives a token more once its sweeps have paid, up to half of all", () => {
    const limit = (earned: bigint) => limitOf(TOKEN, BUDGETS, sums({ day: { lost: 0n, earned } })).hour
    assert.deepStrictEqual([0n, 50n, 10_000n].map(limit), [100n, 150n, 400n])
    const owner = classOf("unlisted", "owner", 1, "0xaa")
    assert.strictEqual(limitOf(owner, BUDGETS, sums({ day: { lost: 0n, earned: 900n } })).hour, 100n)
  })

  it("gives first sweeps of one funder a quarter of what all first sweeps have, and what they earned", () => {
    const budgets: Budgets = { ...BUDGETS, firstHour: 800n }
    const limit = (earned: bigint) =>
      limitOf(funderClass(1, "0xaa"), budgets, sums({ hour: { lost: 0n, earned }, day: { lost: 0n, earned } }))
    assert.strictEqual(limitOf(firstClass(1, true), budgets, EMPTY).hour, 400n)
    assert.deepStrictEqual(limit(0n), { hour: 100n, day: 200n * 24n })
    assert.deepStrictEqual(limit(7n), { hour: 107n, day: 200n * 24n + 7n })
  })

  it("gives owners' first sweeps half of their budget, and what they earned", () => {
    const budgets: Budgets = { ...BUDGETS, firstHour: 200n }
    const key = firstClass(1, false)
    const at = (of: Partial<Sums>, wei: bigint) => lacking({ classes: [key], wei }, budgets, () => sums(of))
    assert.isUndefined(at({ open: 60n }, 40n))
    assert.deepStrictEqual(at({ open: 60n }, 41n), { spent: key, isBusy: true })
    assert.deepStrictEqual(at(lost(100n), 1n), { spent: key, isBusy: false })
    const earned = { lost: 100n, earned: 30n }
    assert.isUndefined(at({ hour: earned, day: earned }, 30n))
    assert.isDefined(at({ hour: earned, day: earned }, 31n))
    assert.isUndefined(at({}, 1_000n))
    assert.isDefined(lacking({ classes: [key], wei: 1n }, { ...BUDGETS, firstHour: 0n }, () => EMPTY))
  })

  it("sends the first sweep of a token however dear, and none beyond the budget of all unlisted tokens", () => {
    const one = (wei: bigint, of: (key: ExposureClass) => Sums) => lacking({ classes: [ALL, TOKEN], wei }, BUDGETS, of)
    assert.isUndefined(one(800n, () => EMPTY))
    assert.strictEqual(one(801n, () => EMPTY)?.spent, ALL)
    const none: Budgets = { ...BUDGETS, unlisted: { hour: 0n, day: 0n } }
    assert.strictEqual(lacking({ classes: [ALL, TOKEN], wei: 1n }, none, () => EMPTY)?.spent, ALL)
  })

  it("holds listed sweeps only of owners and networks that lost, sooner once the chain's budget is lost", () => {
    const all = classOf("listed", "all", 1)
    const owner = classOf("listed", "owner", 1, "0xaa")
    const builder = classOf("listed", "builder", 1, "bld")
    const network = classOf("listed", "network", 1, "203.0.113.0/24")
    const held = (known: ReadonlyArray<readonly [ExposureClass, bigint]>) => {
      const map = new Map(known.map(([key, wei]) => [key, sums(lost(wei))]))
      return holding([all, owner, network, builder], BUDGETS, (key) => map.get(key) ?? EMPTY)
    }
    assert.isUndefined(held([]))
    assert.isUndefined(
      held([
        [builder, 10_000n],
        [all, 10_000n]
      ])
    )
    assert.isUndefined(held([[owner, 99n]]))
    assert.strictEqual(held([[owner, 100n]]), owner)
    assert.strictEqual(held([[network, 200n]]), network)
    assert.strictEqual(
      held([
        [owner, 1n],
        [all, 800n]
      ]),
      owner
    )
  })

  it.prop(
    "splits a cost so that no wei is left out",
    { gas: Arbitrary.schema(Schema.NonEmptyArray(Wei)), cost: Arbitrary.schema(Wei) },
    ({ cost, gas }) => {
      const parts = shares(BigInt(cost), gas.map(BigInt))
      assert.isTrue(parts.reduce((sum, part) => sum + part, 0n) >= BigInt(cost))
      assert.isTrue(parts.every((part) => part <= BigInt(cost)))
    }
  )

  it("counts a loss or a gain, and the fee cap twice", () => {
    assert.deepStrictEqual(outcome(5n, 3n), { lost: 2n, earned: 0n })
    assert.deepStrictEqual(outcome(3n, 5n), { lost: 0n, earned: 2n })
    assert.strictEqual(worstCase({ gas: 100n, maxFeePerGas: 3n, dataFee: 7n }), 607n)
  })

  it("gives batches the budget and what they earned", () => {
    const earned = sums({ hour: { lost: 0n, earned: 7n }, day: { lost: 0n, earned: 9n } })
    assert.deepStrictEqual(limitOf(batchClass(1), BUDGETS, earned), { hour: 807n, day: 24n * 800n + 9n })
  })

  it("reads its own classes, and no others", () => {
    for (const kind of KINDS) {
      const value = "2001:db8::/64"
      assert.deepStrictEqual(parse(classOf("listed", kind, 5, value)), { scope: "listed", kind, chainId: 5, value })
    }
    for (const text of ["", "listed", "listed:color:1:x", "other:all:1:", "listed:all:x:"])
      assert.isUndefined(parse(text))
  })
})

describe("Exposure budgets", () => {
  it("scale with the native currency, and are nothing where its worth is unknown", () => {
    assert.strictEqual(inNative(2n, "ETH"), 2n)
    assert.isTrue(inNative(2n, "POL") > 1_000n)
    assert.strictEqual(inNative(2n, "XYZ"), 0n)
  })

  it("leave the daily spend cap to listed tokens", () => {
    const of = (dailySpendCap: bigint | undefined) => budgetsOf({ unlistedHour: 20n, listedHour: 7n, dailySpendCap })
    assert.deepStrictEqual(of(undefined), { unlisted: { hour: 20n, day: 100n }, listedHour: 7n })
    assert.deepStrictEqual(of(50n).unlisted, { hour: 5n, day: 5n })
  })
})

describe("Exposure classes", () => {
  const router = parseAbi([
    "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96)) returns (uint256)",
    "function exactInput((bytes path,address recipient,uint256 amountIn,uint256 amountOutMinimum)) returns (uint256)",
    "function multicall(uint256 deadline, bytes[] data) returns (bytes[])"
  ])
  const [a, b, c] = [address(0x0a), address(0x0b), address(0x0c)]
  const single = (tokenIn: Hex, tokenOut: Hex) =>
    encodeFunctionData({
      abi: router,
      functionName: "exactInputSingle",
      args: [{ tokenIn, tokenOut, fee: 3_000, recipient: c, amountIn: 1n, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n }]
    })
  const within = (call: Hex) => encodeFunctionData({ abi: router, functionName: "multicall", args: [9n, [call]] })
  const pool = (one: Hex, other: Hex, fee: number) =>
    `${one.slice(2).toLowerCase()}-${other.slice(2).toLowerCase()}-${fee}`

  it("name the pools of a swap, in either direction", () => {
    assert.deepStrictEqual(poolsOf(within(single(a, b))), [pool(a, b, 3_000)])
    assert.deepStrictEqual(poolsOf(within(single(b, a))), [pool(a, b, 3_000)])
    const path = encodePacked(["address", "uint24", "address", "uint24", "address"], [b, 500, a, 10_000, c])
    const via = encodeFunctionData({
      abi: router,
      functionName: "exactInput",
      args: [{ path, recipient: c, amountIn: 1n, amountOutMinimum: 1n }]
    })
    assert.deepStrictEqual(poolsOf(within(via)), [pool(a, b, 500), pool(a, c, 10_000)])
    assert.deepStrictEqual([poolsOf("0x"), poolsOf("0x04e45aaf00"), poolsOf("0xb858183f")], [[], [], []])
  })

  it("count unlisted tokens and their pools, and of listed sweeps only who sent them", () => {
    const listed = address(0xb1)
    const tokens = { tokenIn: listed, tokenOut: address(0xd1), swapCalldata: within(single(b, c)) }
    const order = { ...tokens, owner: a, destination: a, destChainId: BigInt(chain.id) }
    const route = { source: chain, destination: chain }
    const subject = { order, builderId: "bld_1", network: "203.0.113.0/24" }
    assert.deepStrictEqual(classesOf(subject, route), [
      "listed:all:31337:",
      `listed:owner:31337:${a}`,
      "listed:network:31337:203.0.113.0/24",
      "listed:builder:31337:bld_1"
    ])
    assert.deepStrictEqual(classesOf({ order: { ...order, tokenIn: b } }, route), [
      "unlisted:all:31337:",
      `unlisted:token_in:31337:${b}`,
      `unlisted:pool:31337:${pool(b, c, 3_000)}`,
      `unlisted:owner:31337:${a}`
    ])
    assert.include(
      classesOf({ order }, { source: chain, destination: undefined }),
      `unlisted:token_out:31337:${address(0xd1)}`
    )
  })
})
