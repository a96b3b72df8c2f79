/**
 * Decides if a signed transfer of a lane's rest can be mined now, and makes the version that replaces one that cannot. Only one version of
 * a nonce is mined, and all of them have one recipient, so a replacement never pays twice. Pure and total.
 */
import { type GasFees, raise } from "./FeeBump.ts"
import { movable } from "./LaneState.ts"
import * as RollupFee from "./RollupFee.ts"

/** The chain's fee for the data may rise before the transfer is mined. */
const DATA_FEE_FACTOR = 2n

/** Content of a signed transfer. */
export interface Terms extends GasFees {
  /** Wei that the recipient gets. */
  readonly amount: bigint
  /** Gas limit. */
  readonly gas: bigint
}

/** State of the lane and its chain. */
export interface Conditions {
  /** Balance of the lane in wei. */
  readonly balance: bigint
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  /** Fees of the market within the operator's limit. */
  readonly market: GasFees
  /** The operator's maximum fee per gas in wei. Undefined: no limit. */
  readonly limit: bigint | undefined
  /** Gas that a transfer to the recipient needs. Zero if the node could not tell it. */
  readonly gas: bigint
  readonly rollup: RollupFee.RollupFee
}

/** Reason for which no block includes a transfer. */
export type Obstacle =
  | { readonly _tag: "fee"; readonly maxFeePerGas: bigint; readonly baseFeePerGas: bigint }
  | { readonly _tag: "gas"; readonly gas: bigint; readonly needed: bigint }
  | { readonly _tag: "balance"; readonly balance: bigint; readonly needed: bigint }

const withMargin = (gas: bigint): bigint => (gas * 6n) / 5n

const dataFee = ({ rollup }: Conditions, gas: bigint): bigint => rollup.data + RollupFee.operatorFee(rollup, gas)

/** Balance in wei below which a transfer of any amount cannot be signed with this gas limit and fee cap. */
const reserveOf = (now: Conditions, gas: bigint, maxFeePerGas: bigint): bigint =>
  gas * maxFeePerGas + DATA_FEE_FACTOR * dataFee(now, gas)

/** The obstacle to the transfer under these conditions, or undefined. */
export const obstacle = ({ amount, gas, maxFeePerGas }: Terms, now: Conditions): Obstacle | undefined => {
  const { balance, baseFeePerGas } = now
  if (maxFeePerGas < baseFeePerGas) return { _tag: "fee", maxFeePerGas, baseFeePerGas }
  if (gas < now.gas) return { _tag: "gas", gas, needed: now.gas }
  const needed = amount + gas * maxFeePerGas + dataFee(now, gas)
  return balance < needed ? { _tag: "balance", balance, needed } : undefined
}

/** The fee cap that a version needs, above the one that the operator's limit allows. Both in wei per gas. */
export interface AboveLimit {
  readonly allowed: bigint
  readonly needed: bigint
}

/** A version of the transfer, or the wei that the lane lacks for the smallest one. None is signed above the operator's limit. */
export type Version = { readonly terms: Terms } | { readonly missing: bigint } | AboveLimit

const versionOf = (now: Conditions, gas: bigint, fees: GasFees): Version => {
  const { baseFeePerGas, market } = now
  const needed = fees.maxFeePerGas > baseFeePerGas ? fees.maxFeePerGas : baseFeePerGas
  // Fees of the market below the base fee are those of a limit.
  const allowed = now.limit ?? (market.maxFeePerGas < baseFeePerGas ? market.maxFeePerGas : needed)
  if (needed > allowed) return { allowed, needed }
  const reserve = reserveOf(now, gas, fees.maxFeePerGas)
  const amount = movable(now.balance, reserve)
  return amount === 0n ? { missing: reserve + 1n - now.balance } : { terms: { ...fees, amount, gas } }
}

/** The first version for a nonce. */
export const first = (now: Conditions): Version => versionOf(now, withMargin(now.gas), now.market)

/**
 * The version that replaces a signed one. Both fees grow by the same factor, so that of two replacements whose fee caps differ by what
 * nodes require, the later one also replaces the earlier.
 */
export const replacement = (signed: Terms, now: Conditions): Version => {
  const { maxFeePerGas, maxPriorityFeePerGas: tip } = raise(signed, now.market)
  const { maxFeePerGas: cap, maxPriorityFeePerGas: signedTip } = signed
  const inStep = cap === 0n ? tip : (signedTip * maxFeePerGas + cap - 1n) / cap
  const gas = withMargin(now.gas)
  return versionOf(now, gas > signed.gas ? gas : signed.gas, {
    maxFeePerGas,
    maxPriorityFeePerGas: inStep > tip ? inStep : tip
  })
}

const aboveLimit = ({ allowed, needed }: AboveLimit): string =>
  `A version that can be mined needs a fee cap of ${needed} wei per gas, and maxFeePerGasWei allows ${allowed} wei.`

const higherLimit = ({ needed }: AboveLimit): string =>
  `maxFeePerGasWei to at least ${needed} with \`sweep operate limits\``

/** Says for an operator that the first version for a nonce would be above the limit, and what to do. */
export const firstAdvice = (above: AboveLimit): string =>
  `${aboveLimit(above)} Raise ${higherLimit(above)}, or wait until gas costs less.`

/**
 * Says for an operator what to do if a replacement would be above the limit. `found`: the obstacle to the signed transfer. Undefined if
 * the nodes refuse it all the same.
 */
export const adviceOf = (above: AboveLimit, found: Obstacle | undefined): string => {
  switch (found?._tag) {
    // Then the signed transfer can be mined, which needs no other limit.
    case "balance":
      return `Send at least ${found.needed - found.balance} wei to the lane.`
    case "fee":
      return firstAdvice(above)
    case "gas":
      return `${aboveLimit(above)} Only a higher limit ends this: raise ${higherLimit(above)}.`
    case undefined:
      return `${aboveLimit(above)} Raise ${higherLimit(above)}.`
  }
}

/** Says for an operator why no block includes the transfer. */
export const causeOf = (found: Obstacle): string => {
  switch (found._tag) {
    case "fee":
      return `Its fee cap of ${found.maxFeePerGas} wei per gas is below the base fee of ${found.baseFeePerGas}.`
    case "gas":
      return `Its gas limit of ${found.gas} is below the ${found.needed} that it needs.`
    case "balance":
      return `The lane has ${found.balance} wei, and the transfer may cost ${found.needed}.`
  }
}
