import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { designator } from "../../../src/domain/Delegation.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { layer, layerWith, scene, source } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const HOUR = 3_600_000

/** A scene in which sweeps simulate well and then revert on chain. */
const burning = Effect.gen(function* () {
  const the = yield* scene
  let nonce = 0n
  /** Sends a sweep of the owner, which burns gas. */
  const burn = Effect.fnUntraced(function* (id: string, owner: number, builderId: string) {
    yield* the.chain.setCode(address(owner), designator(source.contracts.delegate))
    yield* the.submit({ id, owner, order: { nonce: nonce + 7n }, attributed: { builderId, payoutMode: "ledger" } })
    yield* relay
    const hash = (yield* the.pending).attempts[0]?.hash ?? "0x"
    yield* the.mineLane({ hash, status: "reverted" }, nonce++)
    yield* the.bury(2)
    yield* tick
    assert.strictEqual(yield* the.givenUp(id), "reverted")
  })
  return { ...the, burn }
})

describe("failure budgets", () => {
  it.effect("an owner whose sweeps burn gas is paused for a while, with a reason; others are not", () =>
    Effect.gen(function* () {
      const { burn, givenUp, intent, sent, submit } = yield* burning
      for (const id of ["a", "b", "c"]) yield* burn(id, 1, "bld_1")
      yield* submit({ id: "d", owner: 1, order: { nonce: 100n } })
      yield* submit({ id: "other", owner: 2, order: { nonce: 100n } })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.strictEqual(yield* givenUp("d"), "failure_budget_spent")
      assert.strictEqual((yield* intent("other")).status, "submitted")
      const before = (yield* sent).length

      yield* TestClock.adjust(HOUR)
      yield* submit({ id: "later", owner: 1, order: { nonce: 101n, deadline: 1_800_000_000n } })
      yield* relay
      assert.lengthOf(yield* sent, before + 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a builder is paused over many owners, and the operator is told until it is over", () =>
    Effect.gen(function* () {
      const { alertKinds, burn, givenUp, submit } = yield* burning
      for (const owner of [1, 2]) yield* burn(`b${owner}`, owner, "bld_bad")
      yield* submit({ id: "bad", owner: 3, attributed: { builderId: "bld_bad", payoutMode: "ledger" } })
      yield* submit({ id: "good", owner: 4, attributed: { builderId: "bld_good", payoutMode: "ledger" } })
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.strictEqual(yield* givenUp("bad"), "failure_budget_spent")
      assert.deepStrictEqual(yield* alertKinds, ["builder_paused"])

      yield* TestClock.adjust(HOUR)
      yield* submit({
        id: "again",
        owner: 5,
        order: { deadline: 1_800_000_000n },
        attributed: { builderId: "bld_bad", payoutMode: "ledger" }
      })
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layerWith({ failureBudget: { owner: 3, builder: 2, windowMillis: HOUR } })))
  )

  it.effect("does not count what failed before it was sent", () =>
    Effect.gen(function* () {
      const { givenUp, passDeadline, simulatesRevert, simulatesWell, submit } = yield* scene
      const intents = yield* Intents
      yield* simulatesRevert("InsufficientOutput")
      for (const [index, id] of ["a", "b", "c"].entries()) {
        yield* submit({ id, owner: 1, order: { nonce: BigInt(index) } })
        yield* relay
        assert.strictEqual(yield* givenUp(id), "simulation_failed")
      }
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intents.counts).failed, 3)
      yield* simulatesWell
      yield* submit({ id: "d", owner: 1, order: { nonce: 9n, deadline: 1_800_000_000n } })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layer))
  )
})
