import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as BatchSearch from "../../src/domain/BatchSearch.ts"

interface Played {
  readonly sent: ReadonlyArray<ReadonlyArray<number>>
  readonly found: ReadonlyArray<number>
  readonly attempts: number
}

/** Searches until the end. `answer`: true if the node accepts the batch, or the member that it names. */
const play = (
  search: BatchSearch.Search<number>,
  answer: (batch: ReadonlyArray<number>) => boolean | number,
  limit = 10_000
): Played => {
  const sent: Array<ReadonlyArray<number>> = []
  let attempts = 0
  let current = search
  for (let batch = BatchSearch.next(current); batch.length > 0; batch = BatchSearch.next(current)) {
    attempts += 1
    assert.isAtMost(attempts, limit)
    const said = answer(batch)
    if (said === true) sent.push(batch)
    current =
      said === true
        ? BatchSearch.accepted(current)
        : BatchSearch.refused(current, typeof said === "number" ? said : undefined)
  }
  return { sent, found: current.found, attempts }
}

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Seed = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 30 }))

/** Pseudo-random numbers from 0 to 1 by their position. */
const random = (seed: number, position: number): number => {
  let state = (seed ^ Math.imul(position + 1, 0x9e3779b1)) >>> 0
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) >>> 0
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) >>> 0
  return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32
}

const bound = (count: number, hostile: number): number => hostile * (Math.ceil(Math.log2(Math.max(count, 1))) + 1) + 1

const sorted = (members: ReadonlyArray<number>): ReadonlyArray<number> => members.toSorted((a, b) => a - b)

describe("a search", () => {
  it("sends a batch that nobody blocks at once", () => {
    assert.deepStrictEqual(
      play(BatchSearch.start(upTo(64)), () => true),
      { sent: [upTo(64)], found: [], attempts: 1 }
    )
  })

  it("finds the one of 64, wherever it is, in at most eight attempts", () => {
    for (const hostile of upTo(64)) {
      const { attempts, found, sent } = play(BatchSearch.start(upTo(64)), (batch) => !batch.includes(hostile))
      assert.deepStrictEqual(found, [hostile])
      assert.lengthOf(sent.flat(), 63)
      assert.isAtMost(attempts, 8)
    }
  })

  it.prop(
    "finds each of k among n, sends all others once, in at most k(log2 n + 1) + 1 attempts",
    [Size, Size, Seed],
    ([count, hostileCount, seed]) => {
      const members = upTo(count)
      const hostile = new Set(
        members.toSorted((a, b) => random(seed, a) - random(seed, b)).slice(0, Math.min(count, hostileCount))
      )
      const { attempts, found, sent } = play(
        BatchSearch.start(members),
        (batch) => !batch.some((member) => hostile.has(member))
      )
      assert.deepStrictEqual(sorted(found), sorted([...hostile]))
      assert.deepStrictEqual(
        sorted(sent.flat()),
        members.filter((member) => !hostile.has(member))
      )
      assert.isAtMost(attempts, bound(count, hostile.size))
    }
  )

  it.prop("needs one attempt more for each member that the node names", [Size, Size], ([count, hostileCount]) => {
    const members = upTo(count)
    const hostile = members.slice(0, hostileCount)
    const { attempts, found } = play(
      BatchSearch.start(members),
      (batch) => batch.find((member) => hostile.includes(member)) ?? true
    )
    assert.deepStrictEqual(found, hostile)
    assert.isAtMost(attempts, hostile.length + 1)
  })

  it.prop("tries the others before those that are suspicious", [Size, Seed], ([count, seed]) => {
    const members = upTo(count)
    const suspicious = new Set(members.filter((member) => random(seed, member) < 0.1))
    const { attempts, sent } = play(
      BatchSearch.start(members, (member) => (suspicious.has(member) ? 1 : 0)),
      (batch) => !batch.some((member) => suspicious.has(member))
    )
    if (suspicious.size > 0 && suspicious.size < count) {
      assert.lengthOf(sent, 1)
      assert.isAtMost(attempts, 2 + bound(suspicious.size, suspicious.size))
    }
  })

  it.prop("ends, and forgets nobody, whatever the node answers", [Size, Seed], ([count, seed]) => {
    let asked = 0
    const members = upTo(count)
    const { found, sent } = play(
      BatchSearch.start(members, (member) => Math.floor(random(seed, member) * 3)),
      () => random(seed, 1_000 + asked++) < 0.3,
      bound(count, count) + 2 * count
    )
    assert.deepStrictEqual(sorted([...found, ...sent.flat()]), members)
  })

  it("ignores a named member that the batch did not have", () => {
    const search = BatchSearch.refused(BatchSearch.start([1, 2]), 7)
    assert.deepStrictEqual(search.suspects, [1, 2])
    assert.deepStrictEqual(search.found, [])
  })
})
