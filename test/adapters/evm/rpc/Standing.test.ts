/** Limits of heads by the word of the other endpoints. */
import { assert, describe, it } from "@effect/vitest"
import * as Standing from "../../../../src/adapters/evm/rpc/Standing.ts"

const SECOND = 1_000
const NOW = 1_000 * SECOND

/** An endpoint whose head rose to this height, from one that it had for so long. */
const risen = (height: bigint, blocks: bigint, millis = 5 * SECOND): Standing.Standing => {
  const standing = Standing.initial()
  Standing.rise(standing, height - blocks, NOW - millis - SECOND, SECOND)
  Standing.rise(standing, height, NOW - SECOND, SECOND)
  return standing
}

/** An endpoint that has had the same head for a minute. */
const hanging = (height: bigint): Standing.Standing => {
  const standing = Standing.initial()
  Standing.rise(standing, height, NOW - 60 * SECOND, SECOND)
  Standing.rise(standing, height, NOW - SECOND, SECOND)
  return standing
}

const limitOf = (...others: ReadonlyArray<Standing.Standing>) =>
  Standing.limitOf(others, NOW, { blockTimeMillis: SECOND, slack: 1n })

describe("the limit of a head", () => {
  it("is the higher head of two others", () => {
    assert.strictEqual(limitOf(risen(100n, 5n), risen(103n, 5n)), 104n)
  })

  it("is the head of an only other that follows the chain, and the blocks of two seconds", () => {
    assert.strictEqual(limitOf(risen(100n, 5n)), 104n)
  })

  it("is none beside others that hang, read old blocks, or have not risen", () => {
    const fresh = Standing.initial()
    Standing.rise(fresh, 100n, NOW, SECOND)
    for (const other of [hanging(100n), risen(100n, 90n), fresh, Standing.initial()]) {
      assert.isUndefined(limitOf(other))
      assert.isUndefined(limitOf(hanging(90n), other))
    }
  })
})

describe("an only other endpoint that followed the chain", () => {
  const isLimiting = (sameHeadMillis: number, blockTimeMillis: number, answers = 1) => {
    const standing = Standing.initial()
    const start = NOW - sameHeadMillis
    Standing.rise(standing, 99n, start - blockTimeMillis, blockTimeMillis)
    Standing.rise(standing, 100n, start, blockTimeMillis)
    for (let answer = 0; answer < answers; answer++) Standing.rise(standing, 100n, NOW, blockTimeMillis)
    return Standing.limitOf([standing], NOW, { blockTimeMillis, slack: 1n }) !== undefined
  }

  it("limits a head until it has had the same one for fifteen seconds and four blocks", () => {
    assert.isTrue(isLimiting(14_999, SECOND))
    assert.isFalse(isLimiting(15_000, SECOND))
    assert.isTrue(isLimiting(47_999, 12 * SECOND))
    assert.isFalse(isLimiting(48_000, 12 * SECOND))
  })

  it("limits it also after a minute in which nobody asked", () => {
    assert.isTrue(isLimiting(60_000, SECOND, 0))
  })
})

describe("an endpoint that is far below a block", () => {
  const known = (millis: number, blockTimeMillis = SECOND) => {
    const standing = Standing.initial()
    Standing.rise(standing, 100n, NOW - millis, blockTimeMillis)
    Standing.rise(standing, 100n, NOW, blockTimeMillis)
    return Standing.mayDeny(standing, NOW, blockTimeMillis)
  }

  it("contradicts it while it follows the chain", () => {
    assert.isTrue(Standing.mayDeny(risen(100n, 20n, 30 * SECOND), NOW, SECOND))
  })

  it("contradicts it until it has been observed for ten seconds and four block times", () => {
    assert.isTrue(known(0))
    assert.isTrue(known(9_999))
    assert.isFalse(known(10_000))
    assert.isTrue(known(47_999, 12 * SECOND))
    assert.isFalse(known(48_000, 12 * SECOND))
  })

  it("is observed once, also if nobody looks for an hour", () => {
    const standing = Standing.initial()
    Standing.rise(standing, 100n, NOW - 3_600 * SECOND, SECOND)
    Standing.rise(standing, 100n, NOW, SECOND)
    assert.isFalse(Standing.mayDeny(standing, NOW, SECOND))
    Standing.rise(standing, 3_700n, NOW + 3_600 * SECOND, SECOND)
    assert.isTrue(Standing.mayDeny(standing, NOW + 3_600 * SECOND, SECOND))
  })

  it("still follows the chain at the next of two looks that are a minute apart", () => {
    const standing = risen(100n, 60n, 60 * SECOND)
    assert.isTrue(Standing.isFollowing(standing, NOW + 59 * SECOND))
    assert.isTrue(Standing.isFollowing(standing, NOW + 65 * SECOND))
  })

  it("contradicts nothing if it hangs, reads old blocks, or has not answered", () => {
    for (const standing of [hanging(100n), risen(100n, 90n, 15 * SECOND), Standing.initial()]) {
      assert.isFalse(Standing.mayDeny(standing, NOW, SECOND))
    }
  })
})

describe("a head far above the others", () => {
  const isFar = (height: bigint, own: Standing.Standing, ...others: ReadonlyArray<Standing.Standing>) =>
    Standing.isFarAbove(height, own, others, NOW, SECOND)

  it("stays far if the endpoint comes to it in small steps", () => {
    assert.isTrue(isFar(250n, risen(200n, 90n), risen(100n, 1n)))
  })

  it("is not far once a check has proved so much of it", () => {
    const own = risen(200n, 90n)
    Standing.prove(own, 200n, NOW)
    assert.isFalse(isFar(250n, own, risen(100n, 1n)))
    assert.isTrue(isFar(301n, own, risen(100n, 1n)))
  })

  it("is not far while no other head is known", () => {
    assert.isFalse(isFar(250n, risen(200n, 90n)))
    assert.isFalse(isFar(250n, Standing.initial()))
  })
})
