/** Fee that a rollup charges for a transaction in addition to the price of its gas. */
import { mulDivUp } from "./Amount.ts"
import { arePricesAlike, lowerPrice } from "./ChainMoney.ts"

export interface RollupFee {
  /** Wei for publishing the transaction's bytes. */
  readonly data: bigint
  /** Wei of the operator's fee for any transaction. */
  readonly operatorBase: bigint
  /** Wei of the operator's fee for {@link RATE_GAS} of gas. */
  readonly operatorRate: bigint
}

/** Gas that a rate is given for, so that its unit is fine enough. */
export const RATE_GAS = 10n ** 9n

export const NONE: RollupFee = { data: 0n, operatorBase: 0n, operatorRate: 0n }

/** Wei that the operator of the chain charges for a transaction that uses this much gas, rounded up. */
export const operatorFee = ({ operatorBase, operatorRate }: RollupFee, gas: bigint): bigint =>
  operatorBase + mulDivUp(gas, operatorRate, RATE_GAS)

/**
 * Wei for one of the sweeps of a transaction. `bytes` is the length of the calldata that the fee was read for, and `own` the length that
 * this sweep needs.
 */
export const share = (
  fee: RollupFee,
  { bytes, gas, own }: { readonly bytes: number; readonly own: number; readonly gas: bigint }
): bigint => mulDivUp(fee.data, BigInt(own), BigInt(bytes)) + operatorFee(fee, gas)

/** True if the fees of two endpoints do not contradict each other. */
export const areAlike = (one: RollupFee, other: RollupFee): boolean =>
  arePricesAlike(one.data, other.data) &&
  arePricesAlike(one.operatorBase, other.operatorBase) &&
  arePricesAlike(one.operatorRate, other.operatorRate)

/** The lower fees of two endpoints. */
export const lower = (one: RollupFee, other: RollupFee): RollupFee => ({
  data: lowerPrice(one.data, other.data),
  operatorBase: lowerPrice(one.operatorBase, other.operatorBase),
  operatorRate: lowerPrice(one.operatorRate, other.operatorRate)
})
