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

/** Wei of a cost. `gasPrice`: wei per gas. */
export const weiOf = ({ dataFee, gas }: CostSample, gasPrice: bigint): bigint => gas * gasPrice + dataFee

/** Samples that are kept. The median of three and more is not moved by one outlier. */
const KEPT = 5

/** Gas that no sweep undercuts: the transaction, its calldata, and two transfers. */
export const LEAST_SWEEP_GAS = 80_000n

/**
 * Most gas of a sweep beside its route that is remembered: the transaction, its authorization, the guard, and the transfers of a costly token.
 * The code of an account that receives the output may burn far more, and such a sample would raise the fees of everybody's next quotes.
 */
export const MOST_BESIDE_GAS = 500_000n

/** Most gas of a route that does not tell its gas. */
const MOST_ROUTE_GAS = 1_000_000n

/** Gas of a sweep, at most what one by such a route may need. */
export const bounded = (gas: bigint, routeGas = MOST_ROUTE_GAS): bigint => {
  const most = routeGas + MOST_BESIDE_GAS
  return gas < most ? gas : most
}

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

/** The part of a cost beside the gas that its route expected. Its gas is negative if a service expects more than the whole sweep takes. */
export const beside = ({ dataFee, gas }: CostSample, routeGas: bigint): CostSample => ({ gas: gas - routeGas, dataFee })

/** Cost of a sweep whose route expects this gas, and which costs `rest` {@link beside} it. No sweep undercuts {@link LEAST_SWEEP_GAS}. */
export const together = ({ dataFee, gas }: CostSample, routeGas: bigint): CostSample => ({
  gas: gas + routeGas < LEAST_SWEEP_GAS ? LEAST_SWEEP_GAS : gas + routeGas,
  dataFee
})

/** Least cost in wei that may be assumed: that of a sweep like the sample that needs as little gas as possible. */
export const leastAssumption = ({ gas }: Pick<CostSample, "gas">, gasPrice: bigint): bigint =>
  (gas < LEAST_SWEEP_GAS ? gas : LEAST_SWEEP_GAS) * gasPrice

/**
 * Cost in wei at which an order is first built. It is the typical cost, or the least possible cost if the fees of the typical cost
 * do not fit into the amount: only a simulated cost may refuse a sweep that could be cheaper.
 */
export const firstAssumption = (sample: CostSample, gasPrice: bigint, fits: (cost: bigint) => boolean): bigint => {
  const cost = weiOf(sample, gasPrice)
  return fits(cost) ? cost : leastAssumption(sample, gasPrice)
}
