/**
 * Computes the needs of 10, 100 and 1,000 sweeps a second over ten chains, and checks the formulas by simulations.
 *
 *     bun bench/scaling.ts [--chains N] [--quotes N] [--inclusion SECONDS]
 */
import { parseArgs } from "node:util"
import { BUSY, laneCapacity, MEASURED, needs, slowdown } from "./scaling/Model.ts"
import * as Simulation from "./scaling/Simulation.ts"
import { table } from "./scaling/Table.ts"

const { values } = parseArgs({
  options: {
    chains: { type: "string", default: "10" },
    /** Quotes for each submitted sweep. */
    quotes: { type: "string", default: "3" },
    /** Seconds from broadcast to block. */
    inclusion: { type: "string", default: "4" }
  }
})

const SEED = 1

const load = {
  chains: Number(values.chains),
  quotesPerSweep: Number(values.quotes),
  inclusionSeconds: Number(values.inclusion)
}

const loads = [10, 100, 1_000].map((sweepsPerSecond) => ({ ...load, sweepsPerSecond }))
for (const line of table(loads)) console.log(line)

const capacity = laneCapacity(load.inclusionSeconds)
const checks = {
  eventLoop: {
    model: slowdown(BUSY),
    simulated: Simulation.eventLoop(BUSY, MEASURED.quote.orchestrator, 20_000, SEED)
  },
  laneAtHalf: Simulation.laneBacklog(BUSY * capacity, load.inclusionSeconds * 1_000, 50_000, SEED),
  laneAboveAll: Simulation.laneBacklog(1.2 * capacity, load.inclusionSeconds * 1_000, 50_000, SEED),
  flood: { measured: MEASURED.flood, simulated: Simulation.flood(2_500, 2) }
}
console.log(
  `\n${JSON.stringify({ bench: "scaling", loads: loads.map((each) => ({ ...each, ...needs(each) })), checks })}`
)
