/**
 * Fee of Across's liquidity providers, by the rate model of a token and the utilization of its pool on Ethereum. Fractions are scaled by
 * 10^18. Pure.
 */

const ONE = 10n ** 18n

/** The yearly rate is `R0` without utilization, rises by `R1` up to a utilization of `UBar`, and by `R2` from there to all of the pool. */
export interface RateModel {
  readonly UBar: bigint
  readonly R0: bigint
  readonly R1: bigint
  readonly R2: bigint
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Utilization below and above the kink. */
const partsOf = ({ UBar }: RateModel, utilization: bigint) => ({
  below: least(UBar, utilization),
  above: utilization > UBar ? utilization - UBar : 0n
})

/** The yearly rate at a utilization. */
const rateAt = (model: RateModel, utilization: bigint): bigint => {
  const { R0, R1, R2, UBar } = model
  const { above, below } = partsOf(model, utilization)
  return R0 + (UBar === 0n ? R1 : (below * R1) / UBar) + (UBar >= ONE ? 0n : (above * R2) / (ONE - UBar))
}

/** Area under the curve of the rate, from no utilization to this one. Scaled by 10^36, so that small differences are exact. */
const areaAt = (model: RateModel, utilization: bigint): bigint => {
  const { R0, R1, R2, UBar } = model
  const { above, below } = partsOf(model, utilization)
  const first = R0 * below + (UBar === 0n ? 0n : (R1 * below * below) / (2n * UBar))
  const second = (R0 + R1) * above + (UBar >= ONE ? 0n : (R2 * above * above) / (2n * (ONE - UBar)))
  return first + second
}

/** Weeks of a year, by which the yearly rate is compounded: liquidity is lent for about one. */
const WEEKS = 52

/**
 * Part of a deposit that the liquidity costs, rounded up: the mean rate between the utilization before and after the deposit, for a week.
 */
export const lpFee = (model: RateModel, before: bigint, after: bigint): bigint => {
  const [low, high] = before < after ? [before, after] : [after, before]
  const yearly = low === high ? rateAt(model, low) : (areaAt(model, high) - areaAt(model, low)) / (high - low)
  return yearly <= 0n ? 0n : BigInt(Math.ceil(Math.expm1(Math.log1p(Number(yearly) / 1e18) / WEEKS) * 1e18))
}
