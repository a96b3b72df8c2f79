/** The bars of an attack, and the table of a run. */
import { formatEther } from "viem"
import type { Counts } from "./Reach.ts"
import { FEWEST_SAMPLES, percentile } from "../steps/Bars.ts"

/** A listed sweep may take longer beside an attack than in calm times by this factor. */
const SLOWER = 2

/**
 * It may also take longer than beside a crowd that does no harm by this factor. The p99 of 50 sweeps is the slowest one, so that of two
 * crowds differs.
 */
const SLOWER_THAN_CROWD = 1.25

/** Longest time of a listed sweep where too few are there to compare, in milliseconds. Slow sweeps are few. */
const SLOWEST_MILLIS = 10_000

/** Milliseconds that a sweep took: to be quoted, to be signed and accepted, and then to settle. */
export interface Stages {
  readonly quote: number
  readonly submission: number
  readonly settlement: number
}

/** Result of an attack. Money in wei. */
export interface Outcome extends Counts {
  readonly name: string
  readonly tokens: "listed" | "unlisted"
  /** Given to the attacker's accounts less what they have at the end. */
  readonly attackerCost: bigint
  /** Gas of its sweeps less the realisable value of their fees. Negative if the relayer earned. */
  readonly relayerLoss: bigint
  readonly budget: bigint
  /** Durations of honest sweeps before and during the attack, in milliseconds. */
  readonly before: ReadonlyArray<number>
  readonly during: ReadonlyArray<number>
  /** Stages of the slowest of those during the attack. Undefined without one. */
  readonly slowest?: Stages | undefined
  /** Longest time between two blocks during the attack, in milliseconds. Default: unknown. */
  readonly slowestBlockMillis?: number
  /** Honest sweeps that settled beside the attack but waited for a base fee that their quotes cover. Their times are not judged. */
  readonly waited: number
  /** Causes of honest sweeps that failed during the attack. */
  readonly honestFailures: ReadonlyArray<string>
  /** Kinds of the alerts that were raised, with their chains. */
  readonly alerts: ReadonlyArray<string>
  readonly findings: ReadonlyArray<string>
  readonly seconds: number
}

const ether = (wei: bigint): string => Number(formatEther(wei)).toFixed(5)

const p99 = (times: ReadonlyArray<number>): number | undefined => {
  const found = percentile(times, 0.99)
  return found === undefined ? undefined : Math.round(found)
}

/** Says if durations are judged. `crowd`: those beside clients that do no harm. Default: none. */
export interface Timing {
  readonly isTimed: boolean
  readonly crowd?: ReadonlyArray<number>
}

const isEnough = ({ before, during }: Outcome): boolean => Math.min(before.length, during.length) >= FEWEST_SAMPLES

/** Says that the times of a timed run are too few to compare. Undefined if they are compared, or not timed. */
export const unjudged = (outcome: Outcome, { isTimed }: Timing): string | undefined =>
  !isTimed || isEnough(outcome)
    ? undefined
    : `${outcome.name}: durations of ${outcome.during.length} honest sweeps, and of ${outcome.before.length} before, of ${FEWEST_SAMPLES} each that a comparison needs`

/** Bars about durations that an attack misses. Few samples are not compared, but none of them may be very slow. */
const slowness = (outcome: Outcome, crowd: ReadonlyArray<number>): ReadonlyArray<string> => {
  const { before, during, waited } = outcome
  const [slow, usual] = [p99(during), p99(before)]
  if (slow === undefined) return waited > 0 ? [] : ["no honest sweep settled beside it"]
  if (!isEnough(outcome) || usual === undefined) {
    return slow > SLOWEST_MILLIS ? [`an honest sweep took ${slow} ms, and too few ended to compare`] : []
  }
  const crowded = crowd.length < FEWEST_SAMPLES ? undefined : p99(crowd)
  return slow > Math.max(SLOWER * usual, SLOWER_THAN_CROWD * (crowded ?? 0))
    ? [
        `honest sweeps took ${slow} ms at p99, ${usual} ms before${crowded === undefined ? "" : `, and ${crowded} ms beside a crowd`}`
      ]
    : []
}

/** Bars that an attack misses, one sentence each. */
export const missed = (outcome: Outcome, { crowd = [], isTimed }: Timing): ReadonlyArray<string> => {
  const { attackerCost, budget, findings, honestFailures, name, relayerLoss, tokens } = outcome
  return [
    ...(relayerLoss > budget ? [`the relayer lost ${ether(relayerLoss)} of a budget of ${ether(budget)}`] : []),
    ...(tokens === "listed" && relayerLoss > 0n && attackerCost < relayerLoss
      ? [`the attacker paid ${ether(attackerCost)} for a loss of ${ether(relayerLoss)}`]
      : []),
    ...(isTimed ? slowness(outcome, crowd) : []),
    ...(honestFailures.length > 0
      ? [`${honestFailures.length} honest sweeps failed, first: ${honestFailures[0] ?? ""}`]
      : []),
    ...findings
  ].map((bar) => `${name}: ${bar}`)
}

/** A control whose sweeps do not all settle proves nothing. */
export const unsettled = ({ name, settled, submitted }: Outcome): ReadonlyArray<string> =>
  settled === submitted && submitted > 0 ? [] : [`${name}: ${settled} of ${submitted} sweeps settled`]

const COLUMNS = [
  "attack",
  "tokens",
  "attacker's cost",
  "relayer's loss",
  "budget",
  "quoted",
  "submitted",
  "mined",
  "settled",
  "deeds",
  "p99 before",
  "p99 during",
  "waited for gas",
  "honest failed"
] as const

const cells = (outcome: Outcome): ReadonlyArray<string> => [
  outcome.name,
  outcome.tokens,
  ether(outcome.attackerCost),
  ether(outcome.relayerLoss),
  ether(outcome.budget),
  String(outcome.quoted),
  String(outcome.submitted),
  String(outcome.carried),
  String(outcome.settled),
  String(outcome.deeds),
  `${p99(outcome.before) ?? "-"} ms of ${outcome.before.length}`,
  `${p99(outcome.during) ?? "-"} ms of ${outcome.during.length}`,
  String(outcome.waited),
  `${outcome.honestFailures.length} of ${outcome.during.length + outcome.waited + outcome.honestFailures.length}`
]

/** Lines of a table of all attacks. Money in ether. */
export const table = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => {
  const rows = [COLUMNS, ...outcomes.map(cells)]
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

/** Fields for JSON: wei as decimal strings. */
export const asJson = ({ before, during, ...outcome }: Outcome) => ({
  ...outcome,
  attackerCost: outcome.attackerCost.toString(),
  relayerLoss: outcome.relayerLoss.toString(),
  budget: outcome.budget.toString(),
  p99Before: p99(before) ?? null,
  samplesBefore: before.length,
  p99During: p99(during) ?? null,
  samplesDuring: during.length
})
