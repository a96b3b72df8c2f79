/** An operator's limits for what the service spends and risks on one chain. */
import { Schema } from "effect"
import { Uint256 } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"

/** A depth for sweeps of a value. */
export const ConfirmationRule = Schema.Struct({
  /** US dollars. The rule holds for a transaction whose sweeps are worth more together. */
  aboveUsd: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  /** Number of blocks after which such a transaction counts as settled. */
  confirmations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
})
export type ConfirmationRule = typeof ConfirmationRule.Type

/** Fields of a chain. All are optional. */
export const fields = {
  /** Minimum balance of a lane. Default: `MIN_LANE_BALANCE_WEI`. */
  minLaneBalanceWei: Schema.optionalKey(Uint256),
  /** Maximum gas cost of all lanes in 24 hours. Default: `DAILY_SPEND_CAP_WEI`. */
  dailySpendCapWei: Schema.optionalKey(Uint256),
  /**
   * Loss of all sweeps with unlisted tokens in one hour, in wei. 0: only sweeps of listed tokens. Default:
   * `UNLISTED_LOSS_BUDGET_WEI`, converted to the native currency.
   */
  unlistedLossBudgetWei: Schema.optionalKey(Uint256),
  /**
   * Loss of all sweeps of listed tokens in one hour, in wei. Default: `LOSS_BUDGET_WEI`, converted to the native currency.
   */
  lossBudgetWei: Schema.optionalKey(Uint256),
  /**
   * Loss of owners' first sweeps of listed tokens in one hour, in wei. 0: none is sent. Default: `FIRST_SWEEPS_LOSS_BUDGET_WEI`,
   * converted to the native currency, or no limit if the currency is unknown.
   */
  firstSweepsLossBudgetWei: Schema.optionalKey(Uint256),
  /** Maximum fee per gas. Nothing is sent while the base fee is above it. Default: no limit. */
  maxFeePerGasWei: Schema.optionalKey(Uint256),
  /** Minimum tip per gas. Default: 0.001 gwei. */
  minPriorityFeePerGasWei: Schema.optionalKey(Uint256),
  /** Maximum tip per gas. Default: no limit. */
  maxPriorityFeePerGasWei: Schema.optionalKey(Uint256),
  /** Deeper confirmations for more value. Default: `confirmations` for every value. */
  confirmationsByValue: Schema.optionalKey(Schema.Array(ConfirmationRule))
}

const ChainMoney = Schema.Struct(fields)
export type ChainMoney = typeof ChainMoney.Type

/** Tip in wei per gas where recent blocks had none and the operator sets no minimum. */
const MIN_TIP = 1_000_000n

const least = (a: bigint, b: bigint | undefined): bigint => (b === undefined || a < b ? a : b)

/** Least tip in wei per gas that a transaction is sent with. */
export const minimumTip = (bounds: ChainMoney): bigint =>
  least(bounds.minPriorityFeePerGasWei ?? MIN_TIP, bounds.maxPriorityFeePerGasWei)

/**
 * Fees in wei per gas by the base fee of the next block and the market's tip, within the operator's bounds. The cap is twice the
 * base fee, which covers six full blocks (EIP-1559 raises it by at most an eighth per block). A cap below the base fee means
 * that nothing should be sent.
 */
export const feesWithin = (market: { readonly baseFeePerGas: bigint; readonly tip: bigint }, bounds: ChainMoney) => {
  const { baseFeePerGas } = market
  const minimum = bounds.minPriorityFeePerGasWei ?? MIN_TIP
  const tip = least(market.tip > minimum ? market.tip : minimum, bounds.maxPriorityFeePerGasWei)
  const maxFeePerGas = least(2n * baseFeePerGas + tip, bounds.maxFeePerGasWei)
  return { baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) }
}

/** False while the base fee is above the operator's maximum: nothing that is sent would be mined. */
export const isWithinLimit = (fees: { readonly baseFeePerGas: bigint; readonly maxFeePerGas: bigint }): boolean =>
  fees.baseFeePerGas <= fees.maxFeePerGas

/** Factor by which the prices of two endpoints may differ. A base fee changes by less in five blocks (EIP-1559). */
const ALIKE_FACTOR = 2n

/** True if the prices differ by no more than endpoints with different heads do. */
export const arePricesAlike = (one: bigint, other: bigint): boolean =>
  one <= ALIKE_FACTOR * other && other <= ALIKE_FACTOR * one

/** The lower one of the prices of two endpoints. Zero beside another price counts as no answer. */
export const lowerPrice = (one: bigint, other: bigint): bigint =>
  one === 0n || (other !== 0n && other < one) ? other : one

interface BaseFee {
  readonly baseFeePerGas: bigint
}

/** True if the base fees of two endpoints do not contradict each other. */
export const areFeesAlike = (one: BaseFee, other: BaseFee): boolean =>
  arePricesAlike(one.baseFeePerGas, other.baseFeePerGas)

/** The fees with the lower base fee, see {@link lowerPrice}. */
export const lowerFees = <A extends BaseFee>(one: A, other: A): A =>
  lowerPrice(one.baseFeePerGas, other.baseFeePerGas) === one.baseFeePerGas ? one : other

const USD = 10n ** 18n

/** US dollars as they are written in settings, scaled by 10^18. */
const scaled = (usd: number): UsdPrice => (BigInt(Math.round(usd * 1e6)) * USD) / 1_000_000n

/**
 * Number of blocks after which a transaction counts as settled whose sweeps are worth this much together, in US dollars scaled by
 * 10^18. An unknown value counts as above every rule.
 */
export const confirmationsFor = (
  chain: Pick<ChainMoney, "confirmationsByValue"> & { readonly confirmations: number },
  value: UsdPrice | undefined
): number =>
  (chain.confirmationsByValue ?? [])
    .filter(({ aboveUsd }) => value === undefined || value > scaled(aboveUsd))
    .reduce((most, { confirmations }) => Math.max(most, confirmations), chain.confirmations)

/** The contradiction in a chain's limits, for its operator; undefined without one. */
export const objection = (chain: ChainMoney & { readonly confirmations: number }): string | undefined => {
  const { confirmationsByValue = [], maxFeePerGasWei, maxPriorityFeePerGasWei, minPriorityFeePerGasWei } = chain
  const isAbove = (low: bigint | undefined, high: bigint | undefined) =>
    low !== undefined && high !== undefined && low > high
  if (isAbove(minPriorityFeePerGasWei, maxPriorityFeePerGasWei)) {
    return "minPriorityFeePerGasWei is above maxPriorityFeePerGasWei"
  }
  if (isAbove(minPriorityFeePerGasWei, maxFeePerGasWei)) return "minPriorityFeePerGasWei is above maxFeePerGasWei"
  const shallow = confirmationsByValue.find(({ confirmations }) => confirmations < chain.confirmations)
  return shallow === undefined
    ? undefined
    : `confirmationsByValue: ${shallow.confirmations} confirmations above ${shallow.aboveUsd} USD are fewer than confirmations, ${chain.confirmations}`
}
