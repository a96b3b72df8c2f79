/** Chooses among the routes of several bridges, by what arrives at least and by how long that takes. Pure. */
import type * as Address from "./Address.ts"

export interface BridgeOption {
  /** Least amount that arrives, in the smallest unit of the output token. */
  readonly minAmountOut: bigint
  /** Expected amount, in the same unit. */
  readonly amountOut: bigint
  readonly estimatedSeconds: number
}

/** Weight of time against amounts. */
export interface TimeValue {
  /** Basis points of the amount that an hour less is worth. */
  readonly bpsPerHour: number
}

/** Basis points of an amount times the seconds of an hour. */
const WHOLE = 36_000_000n

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The least arrival less the value of the time until it, scaled by 36,000,000. Zero if the time is worth more. */
export const score = ({ estimatedSeconds, minAmountOut }: BridgeOption, { bpsPerHour }: TimeValue): bigint =>
  minAmountOut * max(0n, WHOLE - BigInt(bpsPerHour) * BigInt(Math.ceil(estimatedSeconds)))

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1)

/** The options, best first. Of equal ones the larger expected amount, then the faster one, then the earlier in the list comes first. */
export const ranked = <A extends BridgeOption>(options: ReadonlyArray<A>, value: TimeValue): ReadonlyArray<A> =>
  options.toSorted(
    (a, b) =>
      compare(score(a, value), score(b, value)) ||
      compare(a.amountOut, b.amountOut) ||
      a.estimatedSeconds - b.estimatedSeconds
  )

/** The terms of a deposit that a request fixes. */
export interface DepositTerms {
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  readonly tokenOut: Address.Address
  readonly minAmountOut: bigint
  readonly destChainId: bigint
  readonly depositor: Address.Address
  readonly recipient: Address.Address
}

/** The names of the terms in which a deposit differs from what was asked for. */
export const differences = (wanted: DepositTerms, deposit: DepositTerms): ReadonlyArray<keyof DepositTerms> =>
  (["tokenIn", "amountIn", "tokenOut", "minAmountOut", "destChainId", "depositor", "recipient"] as const).filter(
    (term) => wanted[term] !== deposit[term]
  )
