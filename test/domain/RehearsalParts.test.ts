import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { halvesOf, mixed, PART_GAS, partsOf, reordered } from "../../src/domain/RehearsalParts.ts"
import type { Group } from "../../src/domain/SweepGroups.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const Groups = Schema.Array(Schema.NonEmptyArray(upTo(6_000_000)).check(Schema.isMaxLength(8))).check(
  Schema.isMaxLength(15)
)

interface Drawn {
  readonly account: string
  readonly gas: bigint
}

const groupsOf = (drawn: typeof Groups.Type): ReadonlyArray<Group<Drawn>> =>
  drawn.map(([first, ...rest], index) => {
    const sweep = (gas: number): Drawn => ({ account: `${index}`, gas: BigInt(gas) })
    return [sweep(first), ...rest.map(sweep)]
  })

const gasOf = ({ gas }: Drawn): bigint => gas
const accountOf = ({ account }: Drawn): string => account
const sumOf = (sweeps: ReadonlyArray<Drawn>): bigint => sweeps.reduce((sum, { gas }) => sum + gas, 0n)

const properties = { drawn: Arbitrary.schema(Groups) }

describe("the parts of a rehearsal", () => {
  it.prop("have all sweeps in their order, and none of them more gas than a part", properties, ({ drawn }) => {
    const groups = groupsOf(drawn)
    const parts = partsOf(groups, gasOf)
    assert.deepStrictEqual(parts.flat(), groups.flat())
    for (const part of parts) assert.isTrue(part.length > 0 && sumOf(part) <= PART_GAS)
  })

  it.prop("divide an account only if it exceeds a part alone", properties, ({ drawn }) => {
    const groups = groupsOf(drawn)
    const parts = partsOf(groups, gasOf)
    for (const group of groups) {
      const holding = parts.filter((part) => part.some((each) => group.includes(each)))
      assert.isTrue(holding.length === 1 || sumOf(group) > PART_GAS)
    }
  })

  it.prop("are as few as the order allows", properties, ({ drawn }) => {
    const groups = groupsOf(drawn)
    const parts = partsOf(groups, gasOf)
    for (const [index, part] of parts.entries()) {
      const first = parts[index + 1]?.[0]
      if (first === undefined) continue
      const group = groups.find((each) => each.includes(first)) ?? []
      const following = sumOf(group) > PART_GAS ? [first] : group
      assert.isTrue(sumOf([...part, ...following]) > PART_GAS)
    }
  })

  it("has a part of its own for a sweep that exceeds one", () => {
    const sweeps = [1n, PART_GAS + 1n, 1n].map((gas, index) => ({ account: `${index}`, gas }))
    assert.deepStrictEqual(
      partsOf(
        sweeps.map((each) => [each]),
        gasOf
      ),
      sweeps.map((each) => [each])
    )
  })
})

describe("the halves of a part", () => {
  it.prop("are not empty, and divide no account if there are two", properties, ({ drawn }) => {
    const part = groupsOf(drawn).flat()
    if (part.length < 2) return
    const [first, second] = halvesOf(part, accountOf)
    assert.deepStrictEqual([...first, ...second], part)
    assert.isTrue(first.length > 0 && second.length > 0)
    assert.isTrue(drawn.length === 1 || first.at(-1)?.account !== second[0]?.account)
  })

  it("are equal where the accounts allow it", () => {
    const part = ["a", "b", "b", "c"].map((account) => ({ account, gas: 1n }))
    assert.deepStrictEqual(
      halvesOf(part, accountOf).map((half) => half.map(accountOf)),
      [["a"], ["b", "b", "c"]]
    )
    const legs = ["a", "a", "a", "a"].map((account) => ({ account, gas: 1n }))
    assert.deepStrictEqual(
      halvesOf(legs, accountOf).map(({ length }) => length),
      [2, 2]
    )
  })
})

describe("sweeps that are not sent as they were rehearsed", () => {
  const first = ["a", "b", "c", "d"]
  const second = ["x", "y"]
  const found = (sent: string) =>
    reordered([...sent].map((id) => ({ id, sequence: first.includes(id) ? first : second }))).map(
      ({ from, sweeps }) => ({
        from,
        ids: sweeps.map(({ id }) => id).join("")
      })
    )

  it("are none in the same order, also without the last ones and between those of other calls", () => {
    assert.deepStrictEqual(found("abcdxy"), [])
    assert.deepStrictEqual(found("xaybcd"), [])
    assert.deepStrictEqual(found("abx"), [])
    assert.deepStrictEqual(found(""), [])
  })

  it("are those behind one that is left out", () => {
    assert.deepStrictEqual(found("acdxy"), [{ from: 1, ids: "acd" }])
    assert.deepStrictEqual(found("bcdxy"), [{ from: 0, ids: "bcd" }])
    assert.deepStrictEqual(found("aby"), [{ from: 0, ids: "y" }])
  })

  it("are those from the place of one that moved to the end", () => {
    assert.deepStrictEqual(found("acdb"), [{ from: 1, ids: "acdb" }])
  })
})

describe("transactions whose sweeps were rehearsed in several calls", () => {
  const [first, second] = [
    ["a", "b"],
    ["x", "y"]
  ]
  const found = (...parcels: ReadonlyArray<string>) =>
    mixed(parcels.map((ids) => [...ids].map((id) => ({ id, sequence: first.includes(id) ? first : second })))).map(
      ({ from, sweeps }) => ({ from, ids: sweeps.map(({ id }) => id).join("") })
    )

  it("are those with a sweep of another call than the first one's", () => {
    assert.deepStrictEqual(found("ab", "xy", "b", ""), [])
    assert.deepStrictEqual(found("abx", "y"), [{ from: 2, ids: "abx" }])
    assert.deepStrictEqual(found("a", "xb"), [{ from: 1, ids: "xb" }])
  })
})
