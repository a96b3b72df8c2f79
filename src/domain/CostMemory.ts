/**
 * Cost that a quote assumes before its order is simulated, by the last sweeps of its kind. An assumption that is too high must not
 * refuse a sweep, and one costly sweep must not change the assumption for those that follow.
 */

/** Simulated cost of a sweep. */
export interface CostSample {
  /** Gas, including that of a rollup's data. */
  readonly gas: bigint
  /** Wei that a rollup charges in addition to the gas. */
  readonly dataFee: bigint
}

/** Samples that are kept. The median of three and more is not moved by one outlier. */
const KEPT = 5

/** Gas that no sweep undercuts: the transaction, its calldata, and two transfers. */
export const LEAST_SWEEP_GAS = 80_000n

/** The samples with one more, oldest first. */
export const remembered = (samples: ReadonlyArray<CostSample>, sample: CostSample): ReadonlyArray<CostSample> => [
  ...samples.slice(1 - KEPT),
  sample
]

const median = (values: ReadonlyArray<bigint>): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((values.length - 1) / 2)]

/** Typical cost by the samples: the medians of their gas and of their fees, the lower of two. Undefined without samples. */
export const typical = (samples: ReadonlyArray<CostSample>): CostSample | undefined => {
  const gas = median(samples.map((sample) => sample.gas))
  const dataFee = median(samples.map((sample) => sample.dataFee))
  return gas === undefined || dataFee === undefined ? undefined : { gas, dataFee }
}

/**
 * Cost in wei at which an order is first built. It is the typical cost, or the least possible cost if the fees of the typical cost
 * do not fit into the amount: only a simulated cost may refuse a sweep that could be cheaper.
 */
export const firstAssumption = (
  { dataFee, gas }: CostSample,
  gasPrice: bigint,
  fits: (cost: bigint) => boolean
): bigint => {
  const cost = gas * gasPrice + dataFee
  return fits(cost) ? cost : (gas < LEAST_SWEEP_GAS ? gas : LEAST_SWEEP_GAS) * gasPrice
}
