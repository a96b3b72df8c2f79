/**
 * Divides an amount among several paths of one exchange, if that pays clearly more than the best single path. Pure and total. The output
 * of a pool is a concave function of the amount, so the first part of an amount earns more than the last, and a second pool may pay more for it.
 */
import { type Candidate, FLEETING_BPS, type GasWorth, netOutput } from "./RouteChoice.ts"
import { impactBps } from "./SlippageTolerance.ts"

/** Output and gas of a path for an amount. */
export interface Sample extends Candidate {
  readonly amountIn: bigint
}

/** A path with samples, by rising amounts. */
export interface Curve<Path> {
  readonly path: Path
  readonly samples: ReadonlyArray<Sample>
}

/** An amount on one path, with what it pays. */
export interface Part<Path> extends Sample {
  readonly path: Path
}

/** More parts cost more gas than they gain. */
export const MAX_PARTS = 3

/** Least gain over the best single path, after gas, in basis points of what that pays. */
export const MIN_GAIN_BPS = 30n

/** Parts are multiples of this fraction of the amount. */
const STEPS = 20

/** Curves that are combined. */
const MAX_CURVES = 5

const BPS = 10_000n

/**
 * Output and gas of an amount: on the straight line between two samples, which is never above what the path pays. The line begins at an
 * amount of nothing. Undefined beyond the last sample.
 */
export const payout = (samples: ReadonlyArray<Sample>, amountIn: bigint): Candidate | undefined => {
  const index = samples.findIndex((sample) => sample.amountIn >= amountIn)
  const high = samples[index]
  if (high === undefined || amountIn <= 0n) return undefined
  const low = samples[index - 1] ?? { amountIn: 0n, amountOut: 0n, gas: 0n }
  if (high.amountIn <= low.amountIn) return undefined
  const rise = ((high.amountOut - low.amountOut) * (amountIn - low.amountIn)) / (high.amountIn - low.amountIn)
  return { amountOut: low.amountOut + rise, gas: high.gas > low.gas ? high.gas : low.gas }
}

const bestOf = <Path>(curves: ReadonlyArray<Curve<Path>>, amountIn: bigint): Candidate | undefined =>
  curves
    .flatMap(({ samples }) => payout(samples, amountIn) ?? [])
    .reduce<Candidate | undefined>(
      (best, paid) => (best !== undefined && best.amountOut >= paid.amountOut ? best : paid),
      undefined
    )

/**
 * True if a division could gain enough by coarse samples: no division pays more than the whole amount at the best price of an amount of
 * nothing. Fewer samples than two of a path tell nothing about that price.
 */
export const mayGain = <Path>(curves: ReadonlyArray<Curve<Path>>, amountIn: bigint): boolean => {
  const best = bestOf(curves, amountIn)
  if (best === undefined || curves.length < 2) return false
  return curves.some(({ samples }) => {
    const [fewer, more] = [samples[0], samples.at(-1)]
    const impact = fewer === undefined || more === undefined ? undefined : impactBps(fewer, more)
    if (more === undefined || impact === undefined) return false
    const rest = BPS - BigInt(impact)
    // The output of the whole amount at the price before the trade.
    return more.amountOut * amountIn * BPS * BPS >= best.amountOut * (BPS + MIN_GAIN_BPS) * more.amountIn * rest
  })
}

/** All sets of two to {@link MAX_PARTS} of the curves, none of which share a pool. */
const combinations = <Path>(
  curves: ReadonlyArray<Curve<Path>>,
  areApart: (a: Path, b: Path) => boolean
): ReadonlyArray<ReadonlyArray<Curve<Path>>> => {
  const grow = (chosen: ReadonlyArray<Curve<Path>>, from: number): ReadonlyArray<ReadonlyArray<Curve<Path>>> => [
    ...(chosen.length > 1 ? [chosen] : []),
    ...(chosen.length === MAX_PARTS
      ? []
      : curves.flatMap((curve, index) =>
          index >= from && chosen.every(({ path }) => areApart(path, curve.path))
            ? grow([...chosen, curve], index + 1)
            : []
        ))
  ]
  return grow([], 0)
}

/** Gives each step of the amount to the path that pays most for it, which is best for concave outputs. The last step has the remainder. */
const allot = <Path>(curves: ReadonlyArray<Curve<Path>>, amountIn: bigint): ReadonlyArray<Part<Path>> => {
  const amounts = curves.map(() => 0n)
  let left = amountIn
  for (let step = STEPS; step > 0; step--) {
    const more = step === 1 ? left : amountIn / BigInt(STEPS)
    const gains = curves.map(({ samples }, index) => {
      const amount = amounts[index] ?? 0n
      const after = payout(samples, amount + more)
      return after === undefined ? -1n : after.amountOut - (payout(samples, amount)?.amountOut ?? 0n)
    })
    const best = gains.reduce((most, gain, index) => (gain > (gains[most] ?? -1n) ? index : most), 0)
    if ((gains[best] ?? -1n) < 0n) return []
    amounts[best] = (amounts[best] ?? 0n) + more
    left -= more
  }
  return curves.flatMap(({ path, samples }, index) => {
    const part = amounts[index] ?? 0n
    const paid = payout(samples, part)
    return paid === undefined ? [] : [{ path, amountIn: part, ...paid }]
  })
}

/** Orders by falling amounts. Equal ones keep their order. */
const falling = (a: bigint, b: bigint): number => (a < b ? 1 : a > b ? -1 : 0)

/** The curves without those that pay more than {@link FLEETING_BPS} above the deepest one for a small amount: they do not last. */
const lasting = <Path>(curves: ReadonlyArray<Curve<Path>>, amountIn: bigint): ReadonlyArray<Curve<Path>> => {
  const outputOf = ({ samples }: Curve<Path>, amount: bigint) => payout(samples, amount)?.amountOut ?? 0n
  const [deepest] = curves.toSorted((a, b) => falling(outputOf(a, amountIn), outputOf(b, amountIn)))
  return deepest === undefined
    ? []
    : curves.filter((curve) => {
        const [least] = curve.samples
        return (
          curve === deepest ||
          least === undefined ||
          least.amountOut * BPS <= outputOf(deepest, least.amountIn) * (BPS + FLEETING_BPS)
        )
      })
}

/** Output and gas of all parts together, with the gas of each part beyond the first. */
export const totalOf = (parts: ReadonlyArray<Candidate>, partGas: bigint): Candidate => ({
  amountOut: parts.reduce((sum, { amountOut }) => sum + amountOut, 0n),
  gas: parts.reduce((sum, { gas }) => sum + gas, partGas * BigInt(Math.max(0, parts.length - 1)))
})

export interface Terms<Path> {
  readonly amountIn: bigint
  /** True if the paths have no pool in common. The output of a pool for one part depends on the others. */
  readonly areApart: (a: Path, b: Path) => boolean
  /** Prices of gas and output. */
  readonly worth: GasWorth
  /** Best single path by other samples, which a division must outdo as well. Default: none. */
  readonly single?: Candidate
  /** Gas of each part beyond the first, in addition to that of its pools. */
  readonly partGas: bigint
}

/**
 * The parts of the best division, two or three, which add up to the amount. None if no division gains {@link MIN_GAIN_BPS} after its gas
 * over the best single path. Paths that do not last have no part ({@link FLEETING_BPS}).
 */
export const divide = <Path>(
  curves: ReadonlyArray<Curve<Path>>,
  { amountIn, areApart, partGas, single: other, worth }: Terms<Path>
): ReadonlyArray<Part<Path>> => {
  const singles = curves.flatMap(({ samples }) => payout(samples, amountIn) ?? [])
  const [single] = [...singles, ...(other === undefined ? [] : [other])].toSorted((a, b) =>
    falling(netOutput(a, worth), netOutput(b, worth))
  )
  if (single === undefined) return []
  const third = amountIn / BigInt(MAX_PARTS)
  const outputOf = ({ samples }: Curve<Path>) => payout(samples, third)?.amountOut ?? 0n
  const used = lasting(curves, amountIn)
    .toSorted((a, b) => falling(outputOf(a), outputOf(b)))
    .slice(0, MAX_CURVES)
  const netOf = (parts: ReadonlyArray<Candidate>) => netOutput(totalOf(parts, partGas), worth)
  const least = netOutput(single, worth) + (single.amountOut * MIN_GAIN_BPS + BPS - 1n) / BPS
  return combinations(used, areApart)
    .map((chosen) => allot(chosen, amountIn))
    .filter((parts) => parts.length > 1 && netOf(parts) >= least)
    .reduce<ReadonlyArray<Part<Path>>>(
      (best, parts) => (best.length > 0 && netOf(best) >= netOf(parts) ? best : parts),
      []
    )
}
