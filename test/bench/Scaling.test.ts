/** The scaling model agrees with simulations of the same queues, and the page about scaling with the model. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { BUSY, laneCapacity, MEASURED, needs, slowdown } from "../../bench/scaling/Model.ts"
import * as Simulation from "../../bench/scaling/Simulation.ts"
import { costs, SHOWN, table } from "../../bench/scaling/Table.ts"

const within = (value: number, expected: number, share: number) =>
  assert.isAtMost(Math.abs(value - expected) / expected, share, `${value} instead of ${expected}`)

describe("the scaling model", () => {
  it.each([0.3, 0.5, 0.7])("knows how slow an event loop is that is busy for %s of the time", (busy) => {
    within(Simulation.eventLoop(busy, MEASURED.quote.orchestrator, 20_000, 1), slowdown(busy), 0.1)
  })

  it.each([1, 4, 12])("knows what a lane carries whose transactions take %s seconds", (seconds) => {
    const capacity = laneCapacity(seconds)
    assert.isBelow(Simulation.laneBacklog(BUSY * capacity, seconds * 1_000, 50_000, 1), 0.05)
    within(Simulation.laneBacklog(2 * capacity, seconds * 1_000, 100_000, 1), 1 / 2, 0.15)
  })

  it("simulates the measured flood", () => {
    within(Simulation.flood(2_500, 2), MEASURED.flood, 0.25)
  })

  it("needs as much for ten times the load, or more", () => {
    const [small, medium, large] = SHOWN.map(needs)
    if (small === undefined || medium === undefined || large === undefined) return assert.fail("three loads")
    for (const [less, more] of [
      [small, medium],
      [medium, large]
    ] as const) {
      assert.isAtLeast(more.orchestrators, less.orchestrators)
      assert.isAtLeast(more.lanesPerChain, less.lanesPerChain)
      assert.isAtLeast(more.batch, less.batch)
      within(more.postgresCores, 10 * less.postgresCores, 1e-9)
      // Batches share calls and gas.
      assert.isAtMost(more.callsPerSecondAndChain, 10 * less.callsPerSecondAndChain)
      assert.isAtMost(more.gasPerSecondAndChain, 10 * less.gasPerSecondAndChain)
    }
  })

  it("has the costs of the page about performance", () => {
    const page = readFileSync(new URL("../../docs/explanation/performance.md", import.meta.url), "utf8")
    const { flood, quote, sweep } = MEASURED
    for (const value of [flood, quote.orchestrator, sweep.orchestrator, sweep.postgres, sweep.node, sweep.keptBytes]) {
      assert.match(
        page,
        new RegExp(` ${value.toLocaleString("en-US", { maximumSignificantDigits: 3 })} +\\| (?:ms|per second|bytes) `)
      )
    }
  })

  it("is what the page about scaling shows", () => {
    const page = readFileSync(new URL("../../docs/explanation/scaling.md", import.meta.url), "utf8")
    for (const line of [costs(), ...table(SHOWN)]) assert.include(page, line, "run bun scripts/docs.ts")
  })
})
