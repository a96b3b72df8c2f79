/** Earnings and costs of the service in a period: fees of settled sweeps, less the gas of settled and of failed sweeps. */
import { Schema } from "effect"
import { Sum } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { Tier } from "./Tier.ts"
import * as Usd from "./Usd.ts"

/** Lengths of the periods, in days. */
export const PERIODS = [7, 30, 90] as const
export type Period = (typeof PERIODS)[number]

/** Dollars are scaled by 10^18. */
export interface Sums {
  /** Settled sweeps. */
  readonly sweeps: number
  /** Settled sweeps whose fee had no price. It is not in `fees`. */
  readonly unpricedSweeps: number
  /** Sweeps that a transaction carried without settling them. */
  readonly failed: number
  readonly fees: bigint
  /** Gas of settled sweeps. */
  readonly gas: bigint
  /** Gas of sweeps that did not settle, and of transactions that only used up a nonce. */
  readonly failures: bigint
  /** Wei of transactions whose chain's currency had no price. They are in neither `gas` nor `failures`. */
  readonly unpricedWei: bigint
}

export const NONE: Sums = {
  sweeps: 0,
  unpricedSweeps: 0,
  failed: 0,
  fees: 0n,
  gas: 0n,
  failures: 0n,
  unpricedWei: 0n
}

export const added = (a: Sums, b: Sums): Sums => ({
  sweeps: a.sweeps + b.sweeps,
  unpricedSweeps: a.unpricedSweeps + b.unpricedSweeps,
  failed: a.failed + b.failed,
  fees: a.fees + b.fees,
  gas: a.gas + b.gas,
  failures: a.failures + b.failures,
  unpricedWei: a.unpricedWei + b.unpricedWei
})

/** Sums of a chain and a tier. Without a tier: costs that no sweep bears, and sweeps whose quote did not store one. */
export interface ChainLine extends Sums {
  readonly chainId: ChainId
  readonly tier?: Tier
}

/** Sums of a builder, over all chains. Without an id: sweeps without a builder, and costs that no sweep bears. */
export interface BuilderLine extends Sums {
  readonly builderId?: string
}

export interface Lines {
  readonly chains: ReadonlyArray<ChainLine>
  readonly builders: ReadonlyArray<BuilderLine>
}

/**
 * Divides a transaction's cost by the weights of its sweeps. The parts sum to the cost exactly. Without any weight, all are equal up
 * to one wei.
 */
export const divided = (cost: bigint, weights: ReadonlyArray<bigint>): ReadonlyArray<bigint> => {
  const positive = weights.some((weight) => weight > 0n)
  const parts = positive ? weights : weights.map(() => 1n)
  const total = parts.reduce((sum, weight) => sum + weight, 0n)
  let before = 0n
  return parts.map((weight) => {
    const start = (cost * before) / total
    before += weight
    return (cost * before) / total - start
  })
}

const sums = {
  sweeps: described(Schema.Int, "Settled sweeps."),
  unpricedSweeps: described(Schema.Int, "Settled sweeps whose fee had no price. feesUsd does not contain it."),
  failed: described(Schema.Int, "Sweeps that a transaction carried without settling them."),
  feesUsd: described(Usd.UsdText, "Fees of settled sweeps, at the prices of their settlements."),
  gasUsd: described(Usd.UsdText, "Gas of settled sweeps, at the prices of that time."),
  failuresUsd: described(
    Usd.UsdText,
    "Gas of sweeps that did not settle, and of transactions that only used up a nonce."
  ),
  netUsd: described(Usd.UsdText, "feesUsd - gasUsd - failuresUsd. Negative for a loss."),
  isGasPriced: described(
    Schema.Boolean,
    "False if gas had no price at its time. gasUsd and failuresUsd do not contain it."
  )
}

export const MoneyView = Schema.Struct({
  days: described(Schema.Literals(PERIODS), "Length of the period in days. The last one is today."),
  fromDay: described(Schema.String, "First UTC day of the period, YYYY-MM-DD."),
  total: described(Schema.Struct(sums), "Sums of all chains."),
  chains: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(ChainId, "Chain of the sums."),
        ...sums,
        unpricedWei: described(Sum, "Wei of transactions that had no price at their time.")
      })
    ),
    "Sums by chain."
  ),
  builders: described(
    Schema.Array(
      Schema.Struct({
        builderId: described(
          Schema.optionalKey(Schema.String),
          "Builder of the sums. Absent for sweeps without a builder, and for costs that no sweep bears."
        ),
        ...sums
      })
    ),
    "Sums by builder, largest fees first. At most 200."
  ),
  tiers: described(
    Schema.Array(
      Schema.Struct({
        tier: described(
          Schema.optionalKey(Tier),
          "Risk tier of the swept tokens. Absent for costs that no sweep bears, and for sweeps of old releases."
        ),
        ...sums
      })
    ),
    "Sums by token tier."
  )
}).annotate({ identifier: "Money" })
export type MoneyView = typeof MoneyView.Type

const shown = ({ failed, failures, fees, gas, sweeps, unpricedSweeps, unpricedWei }: Sums) => ({
  sweeps,
  unpricedSweeps,
  failed,
  feesUsd: Usd.format(fees),
  gasUsd: Usd.format(gas),
  failuresUsd: Usd.format(failures),
  netUsd: Usd.format(fees - gas - failures),
  isGasPriced: unpricedWei === 0n
})

const grouped = <K>(
  lines: ReadonlyArray<ChainLine>,
  keyOf: (line: ChainLine) => K
): ReadonlyArray<readonly [K, Sums]> =>
  Array.from(Map.groupBy(lines, keyOf), ([key, group]) => [key, group.reduce(added, NONE)] as const)

/** The total is the sum of the chains, and of the tiers. */
export const viewOf = (days: Period, fromDay: string, { builders, chains }: Lines): MoneyView => ({
  days,
  fromDay,
  total: shown(chains.reduce(added, NONE)),
  chains: grouped(chains, ({ chainId }) => chainId)
    .map(([chainId, line]) => ({ chainId, ...shown(line), unpricedWei: line.unpricedWei }))
    .toSorted((a, b) => a.chainId - b.chainId),
  builders: builders.map((line) => ({
    ...(line.builderId === undefined ? {} : { builderId: line.builderId }),
    ...shown(line)
  })),
  tiers: grouped(chains, ({ tier }) => tier)
    .map(([tier, line]) => ({ ...(tier === undefined ? {} : { tier }), ...shown(line) }))
    .toSorted((a, b) => ((a.tier ?? "~") < (b.tier ?? "~") ? -1 : 1))
})
