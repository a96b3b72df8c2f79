/** Large batches of owners who swept before, while gas is dear: honest ones are all sent in time, and others lose little. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { address } from "../../support/FakeChain.ts"
import { layer, layerWith } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { conclude } from "./concluded.ts"
import { wallet } from "./wallet.ts"

const FINNEY = 10n ** 15n
const GWEI = 10n ** 9n
const DEAR = 30n * GWEI
const LEGS = 20

/** Time from a transaction to the next one of its owners, where blocks take 12 seconds. */
const CYCLE_MILLIS = 45_000
const GRACE_MILLIS = 600_000

/** Cover of a sweep at a price in wei per gas. */
const priced = (gasPrice: bigint) => ({ gas: 200_000n, gasPrice, value: (200_000n * gasPrice * 6n) / 5n })

const { value: VALUE } = priced(DEAR)

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const idsOf = (owner: number) => range(LEGS).map((leg) => `${owner}: ${leg}`)

/** The owners swept once at the price `paid`, and have a batch of twenty legs each at 30 gwei. */
const dear = Effect.fnUntraced(function* ([first = 1, ...others]: ReadonlyArray<number>, paid: bigint) {
  const signed = (owner: number) =>
    wallet(
      idsOf(owner).map((id) => ({ id, cover: priced(DEAR) })),
      { id: `sweep ${owner}`, isAuthorized: false, owner }
    )
  let the = yield* signed(first)
  for (const owner of others) the = yield* signed(owner)
  for (const owner of [first, ...others]) yield* the.sweptBefore(owner, priced(paid))
  yield* the.chain.setFees({ baseFeePerGas: DEAR - GWEI, maxFeePerGas: 2n * DEAR, maxPriorityFeePerGas: GWEI })
  yield* the.chain.setBalance(the.lane, 10n ** 20n)
  return the
})

describe("batches of owners who swept once, while gas is dear", () => {
  it.effect("are all sent before their deadline of ten minutes", () =>
    Effect.gen(function* () {
      const owners = range(5)
      const the = yield* dear(owners, DEAR)
      for (let millis = 0; millis < GRACE_MILLIS; millis += CYCLE_MILLIS) {
        yield* relay
        yield* conclude(the, "success", 6n * FINNEY)
        yield* TestClock.adjust(CYCLE_MILLIS)
      }
      const statuses = yield* Effect.forEach(owners.flatMap(idsOf), (id) =>
        Effect.map(the.intent(id), ({ status }) => status)
      )
      assert.deepStrictEqual([...new Set(statuses)], ["delivered"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("begin with a leg of each owner if they paid a fourth of the price", () =>
    Effect.gen(function* () {
      const owners = range(3)
      const the = yield* dear(owners, DEAR / 4n)
      yield* relay
      const [calls = []] = yield* the.calls
      assert.deepStrictEqual(
        calls.map(({ account }) => account),
        owners.map((owner) => address(owner))
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("share the pot, one leg of each owner first, if they paid next to nothing", () =>
    Effect.gen(function* () {
      const owners = range(3)
      const the = yield* dear(owners, DEAR / 100n)
      assert.strictEqual((yield* relay).sent, 3)
      const [calls = []] = yield* the.calls
      assert.deepStrictEqual(
        calls.map(({ account }) => account),
        owners.map((owner) => address(owner))
      )
    }).pipe(Effect.provide(layerWith({ lossBudget: 50n * FINNEY })))
  )

  it.effect("lose no more than the hourly budget and what their owners paid, when they burn all gas", () =>
    Effect.gen(function* () {
      const owners = range(12)
      const the = yield* dear(owners, DEAR)
      let cost = 0n
      for (let millis = 0; millis < GRACE_MILLIS; millis += CYCLE_MILLIS) {
        yield* relay
        cost += yield* conclude(the, "reverted", VALUE)
        yield* TestClock.adjust(CYCLE_MILLIS)
      }
      assert.isTrue(cost >= BigInt(owners.length) * VALUE)
      assert.isTrue(cost <= 20n * FINNEY + BigInt(owners.length) * VALUE)
    }).pipe(Effect.provide(layer))
  )
})
