/** Needs of a load, from the measured costs of one quote and one sweep. `Simulation.ts` checks the formulas. */
import { readFileSync } from "node:fs"
import * as History from "../release/History.ts"

const releases = History.parse(readFileSync(new URL("../history/releases.jsonl", import.meta.url), "utf8"))

/** A figure of the latest release that has it, by its id. */
const figure = (id: string): number => {
  const value = releases.findLast(({ figures }) => figures[id] !== undefined)?.figures[id]
  if (value === undefined) throw new Error(`no release in bench/history/releases.jsonl has the figure ${id}`)
  return value
}

/**
 * PostgreSQL's CPU for a quote, as a multiple of that for a sweep of a flood: what it takes for one sweep from its quote to its delivery
 * (`./sweep bench storage`), less the flood's part.
 */
const QUOTE_OF_SWEEP = 3.3

/** The driver's CPU for a sweep, as a share of the node's. */
const DRIVER_OF_NODE = 0.2

/**
 * Costs of the latest release that was measured, and those that change only with the code: calls, gas and bytes of the log. CPU in
 * milliseconds.
 */
export const MEASURED = {
  quote: {
    orchestrator: figure("quote-cpu"),
    postgres: QUOTE_OF_SWEEP * figure("postgres-cpu"),
    calls: 11
  },
  sweep: {
    orchestrator: figure("orchestrator-cpu"),
    postgres: figure("postgres-cpu"),
    node: figure("node-cpu"),
    driver: DRIVER_OF_NODE * figure("node-cpu"),
    walBytes: 10_300,
    /** With indexes. Messages of the outbox are deleted after their delivery. */
    keptBytes: figure("kept"),
    /** Calls of a chain's nodes for a sweep that has its transaction for itself, and for one of twenty. */
    aloneCalls: 23,
    togetherCalls: 3
  },
  gas: { alone: 183_961, ofThirty: 131_326 },
  /** Sweeps per second over a flood of 2,500, on two cores with node, PostgreSQL and driver. */
  flood: figure("settled")
} as const

/** Limits of the relayer: pending transactions of a lane, and sweeps of one transaction by default. */
export const LANE_SLOTS = 15
export const BATCH = 64

/** Share of its capacity up to which a queue is short: at one half, work takes twice its own time on average. */
export const BUSY = 0.5

/** Seconds in which a batch is simulated, signed, stored and sent. A lane prepares two at a time. */
export const PREPARATION_SECONDS = 0.2
export const PREPARED_AT_ONCE = 2

export interface Load {
  readonly sweepsPerSecond: number
  /** The sweeps are spread evenly over them. */
  readonly chains: number
  /** Quotes for each submitted sweep: a page asks again while its user decides. */
  readonly quotesPerSweep: number
  /** Seconds from the broadcast of a transaction to its block. */
  readonly inclusionSeconds: number
}

export interface Needs {
  /** Cores that the orchestrators and PostgreSQL use. */
  readonly orchestratorCores: number
  readonly postgresCores: number
  /** Orchestrator processes, at least two. Each uses one core, half of the time. */
  readonly orchestrators: number
  /** Lanes on each chain, at least two, since a stuck nonce holds up its lane. */
  readonly lanesPerChain: number
  /** Sweeps in a transaction, on average. */
  readonly batch: number
  readonly callsPerSecondAndChain: number
  readonly gasPerSecondAndChain: number
  readonly walBytesPerSecond: number
  readonly keptBytesPerDay: number
}

/** Sweeps per second that one lane carries at most: full batches in all of its slots. */
export const laneCapacity = (inclusionSeconds: number): number =>
  Math.min((LANE_SLOTS * BATCH) / inclusionSeconds, (PREPARED_AT_ONCE * BATCH) / PREPARATION_SECONDS)

/** A fixed part for each transaction is shared by its sweeps. Both parts follow from the two measured figures. */
const shared = (alone: number, together: number, among: number, batch: number): number => {
  const fixed = (alone - together) / (1 - 1 / among)
  return alone - fixed + fixed / batch
}

/** Needs of the load. Total for loads above zero. */
export const needs = ({ chains, inclusionSeconds, quotesPerSweep, sweepsPerSecond }: Load): Needs => {
  const { gas, quote, sweep } = MEASURED
  const perChain = sweepsPerSecond / chains
  const lanes = Math.max(2, Math.ceil(perChain / (BUSY * laneCapacity(inclusionSeconds))))
  const transactions = Math.min(
    (lanes * PREPARED_AT_ONCE) / PREPARATION_SECONDS,
    (lanes * LANE_SLOTS) / inclusionSeconds,
    perChain
  )
  const batch = Math.max(1, Math.min(BATCH, perChain / transactions))
  const orchestratorCores = (sweepsPerSecond * (sweep.orchestrator + quotesPerSweep * quote.orchestrator)) / 1_000
  return {
    orchestratorCores,
    postgresCores: (sweepsPerSecond * (sweep.postgres + quotesPerSweep * quote.postgres)) / 1_000,
    orchestrators: Math.max(2, Math.ceil(orchestratorCores / BUSY)),
    lanesPerChain: lanes,
    batch,
    callsPerSecondAndChain:
      perChain * (quotesPerSweep * quote.calls + shared(sweep.aloneCalls, sweep.togetherCalls, 20, batch)),
    gasPerSecondAndChain: perChain * shared(gas.alone, gas.ofThirty, 30, batch),
    walBytesPerSecond: sweepsPerSecond * sweep.walBytes,
    keptBytesPerDay: sweepsPerSecond * sweep.keptBytes * 86_400
  }
}

/** Times its own length that work takes on average where a share of the capacity is used, if it is served in turns. */
export const slowdown = (usedShare: number): number => 1 / (1 - usedShare)
