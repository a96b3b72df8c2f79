/** Fees of replacement transactions, which every node accepts. */

/** EIP-1559 fees in wei per gas. */
export interface GasFees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Geth requires 10 % more of both fees, Nethermind and others 12.5 %. */
const STEP_DIVISOR = 8n

/** Largest useful multiple of the market fee. A transaction that pays more is stuck for another reason. */
const CEILING = 4n

const raised = (fee: bigint): bigint => fee + max((fee + STEP_DIVISOR - 1n) / STEP_DIVISOR, 1n)

const max = (...[first, ...rest]: readonly [bigint, ...ReadonlyArray<bigint>]): bigint =>
  rest.reduce((most, value) => (value > most ? value : most), first)

/** Fees of the next version of a transaction: 12.5 % above the previous ones, and at least the market's. */
export const raise = (previous: GasFees, market: GasFees): GasFees => {
  const maxPriorityFeePerGas = max(raised(previous.maxPriorityFeePerGas), market.maxPriorityFeePerGas)
  return {
    maxPriorityFeePerGas,
    maxFeePerGas: max(raised(previous.maxFeePerGas), market.maxFeePerGas, maxPriorityFeePerGas)
  }
}

/** True if `fees` are within the limit and at most four times the market's, so that a replacement can still help. */
export const isWorthwhile = (fees: GasFees, market: GasFees, limit?: bigint): boolean =>
  (limit === undefined || fees.maxFeePerGas <= limit) &&
  fees.maxFeePerGas <= CEILING * max(market.maxFeePerGas, market.maxPriorityFeePerGas)
