/** Rounds over overdue intents: their cycles, and the findings that passes get of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Intent, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { type Block, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { type Resolution, Settlements } from "../../../src/orchestrator/settle/Settlements.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import * as Expiry from "../../../src/orchestrator/watch/Expiry.ts"
import * as EventLoop from "../../support/EventLoop.ts"
import { client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { settings } from "../../support/RelayScene.ts"

const silent = new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "no answer" })

/** Overdue intents by id and deadline. `look` tells how each is decided. */
const rounds = Effect.fnUntraced(function* (
  deadlines: Record<string, bigint>,
  look: (id: string) => Effect.Effect<Resolution, ChainUnavailable>
) {
  const left = new Map(Object.entries(deadlines))
  const asked: Array<ReadonlyArray<string>> = []
  const looked: Array<string> = []
  const overdue: Intents["Service"]["overdue"] = (_chainId, before, limit, from) =>
    Effect.sync(() => {
      if (from !== undefined) asked.push(from.without)
      return [...left]
        .filter(([, deadline]) => deadline < before && deadline >= (from?.deadline ?? 0n))
        .filter(([id]) => from?.without.includes(id) !== true)
        .toSorted(([, a], [, b]) => Number(a - b))
        .slice(0, limit)
        .map(([id, deadline]): Intent => {
          const made = newIntent({ id })
          return {
            ...made,
            id,
            status: "submitted",
            order: { ...made.order, deadline },
            createdAtMs: 0,
            updatedAtMs: 0
          }
        })
    })
  const resolve: Settlements["Service"]["resolve"] = (_view, { id }) =>
    Effect.gen(function* () {
      looked.push(id)
      const resolution = yield* look(id)
      if (resolution === "failed") left.delete(id)
      return resolution
    })
  const expire = yield* Expiry.make.pipe(
    Effect.provide([
      Layer.mock(Intents, { overdue }),
      Layer.mock(Settlements, { resolve, isSettledBy: () => false }),
      OrchestratorSettings.layer({ ...settings, watcher: { ...settings.watcher, batch: 2 } })
    ])
  )
  /** A pass whose confirmed block has this time. Returns if it found an answer, and if it found a silence. */
  const pass = Effect.fnUntraced(function* (timestamp: bigint) {
    const block: Block = {
      number: 1n,
      hash: "0x01",
      parentHash: "0x00",
      timestamp,
      baseFeePerGas: 1n,
      gasLimit: 1n
    }
    const found = yield* expire({ client: client({}), head: block, confirmed: Option.some(block) }, "patient")
    yield* EventLoop.settled
    return [
      found.some(({ unavailable }) => unavailable === undefined),
      found.some(({ unavailable }) => unavailable !== undefined)
    ]
  })
  return { asked, left, looked, pass }
})

describe("rounds of overdue intents", () => {
  it.effect("leave out no more than those of the cycle, however long one stays undecided", () =>
    Effect.gen(function* () {
      const { asked, looked, pass } = yield* rounds({ a: 1n }, () => Effect.succeed("undecided"))
      for (let count = 0; count < 20; count++) yield* pass(100n)
      assert.lengthOf(looked, 20)
      assert.deepStrictEqual([...new Set(asked.map((without) => without.join()))], ["a"])
    }).pipe(Effect.scoped)
  )

  it.effect("come back to an undecided one, however many expire meanwhile", () =>
    Effect.gen(function* () {
      const { left, looked, pass } = yield* rounds({ a: 1n }, (id) =>
        Effect.succeed(id === "a" ? "undecided" : "failed")
      )
      for (let now = 10n; now < 30n; now++) {
        left.set(`at ${now}`, now - 1n)
        yield* pass(now)
      }
      assert.isAtLeast(looked.filter((id) => id === "a").length, 9)
    }).pipe(Effect.scoped)
  )

  it.effect("report no silence for one lost request, also while the next round lasts", () =>
    Effect.gen(function* () {
      let isLost = true
      const { pass } = yield* rounds({ a: 1n, b: 2n }, (id) => {
        if (id === "b") return Effect.succeed("undecided")
        if (!isLost) return Effect.never
        isLost = false
        return Effect.fail(silent)
      })
      for (let count = 0; count < 5; count++) assert.deepStrictEqual(yield* pass(100n), [true, false])
    }).pipe(Effect.scoped)
  )

  it.effect("report a silence of all, and one that lasts", () =>
    Effect.gen(function* () {
      const all = yield* rounds({ a: 1n, b: 2n }, () => Effect.fail(silent))
      yield* all.pass(100n)
      assert.deepStrictEqual(yield* all.pass(100n), [false, true])
      const half = yield* rounds({ a: 1n, b: 2n }, (id) =>
        id === "a" ? Effect.fail(silent) : Effect.succeed("undecided")
      )
      yield* half.pass(100n)
      assert.deepStrictEqual(yield* half.pass(100n), [true, false])
      assert.deepStrictEqual(yield* half.pass(100n), [true, true])
    }).pipe(Effect.scoped)
  )

  it.effect("report a round that ended without any answer", () =>
    Effect.gen(function* () {
      const { pass } = yield* rounds({ a: 1n }, () => Effect.never)
      assert.deepStrictEqual(yield* pass(100n), [true, false])
      yield* TestClock.adjust("60 seconds")
      yield* EventLoop.settled
      assert.deepStrictEqual(yield* pass(100n), [false, true])
    }).pipe(Effect.scoped)
  )
})
