/** How the fees of a stuck transaction rise, so that every node takes the replacement. */

/** EIP-1559 fees in wei per gas. */
export interface GasFees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Geth asks for 10 % more on both fees, Nethermind and others for 12.5 %. */
const STEP_DIVISOR = 8n

/** Beyond this multiple of the market, it is not the fee that keeps a transaction out. */
const CEILING = 4n

const raised = (fee: bigint): bigint => fee + max((fee + STEP_DIVISOR - 1n) / STEP_DIVISOR, 1n)

const max = (...[first, ...rest]: readonly [bigint, ...ReadonlyArray<bigint>]): bigint =>
  rest.reduce((most, value) => (value > most ? value : most), first)

/** Fees for the next version of a transaction: 12.5 % above the previous ones, and not below what the market asks. */
export const raise = (previous: GasFees, market: GasFees): GasFees => {
  const maxPriorityFeePerGas = max(raised(previous.maxPriorityFeePerGas), market.maxPriorityFeePerGas)
  return {
    maxPriorityFeePerGas,
    maxFeePerGas: max(raised(previous.maxFeePerGas), market.maxFeePerGas, maxPriorityFeePerGas)
  }
}

/** Whether paying `fees` can still help: within four times what the market asks for. */
export const isWorthwhile = (fees: GasFees, market: GasFees): boolean =>
  fees.maxFeePerGas <= CEILING * max(market.maxFeePerGas, market.maxPriorityFeePerGas)
