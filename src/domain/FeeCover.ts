/**
 * The network fee of a sweep and the cost that it covers. A quote fixes the fee, and the price of gas changes until the sweep is in
 * a block. A sweep is sent only while its fee covers its present cost, and no version of its transaction may cost more than the fee
 * and the allowed loss.
 */
import { BPS } from "./Amount.ts"
import { type GasFees, raise } from "./FeeBump.ts"

/** Cost that the network fee of a quote covers. */
export interface FeeCover {
  /** Gas that the quote counted, including that of a rollup's data. */
  readonly gas: bigint
  /** Price at which the quote counted it, in wei per gas. */
  readonly gasPrice: bigint
  /** Value of the network fee at the quote, with its margin, in wei. */
  readonly value: bigint
}

/** Limits of the operator. */
export interface CoverPolicy {
  /** Part of the covered value by which the present cost may exceed it when a sweep is sent, in basis points. */
  readonly toleranceBps: number
  /** Part of the covered value that may be lost on a sweep, in basis points. */
  readonly lossBps: number
  /** Wei that may be lost on a sweep, as a share of an hourly budget. Undefined: no limit. */
  readonly lossLeft?: bigint | undefined
}

/** Fees of the next block, in wei per gas. */
export interface MarketFees extends GasFees {
  readonly baseFeePerGas: bigint
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const share = (value: bigint, bps: number): bigint => (value * BigInt(bps)) / BPS

/** Wei that a quote's network fee covers when its cost of `cost` wei was charged with this margin, in basis points. */
export const coveredValue = (cost: bigint, marginBps: number): bigint => cost + share(cost, marginBps)

/** Wei that may be lost on a sweep. */
export const allowedLoss = ({ value }: Pick<FeeCover, "value">, { lossBps, lossLeft }: CoverPolicy): bigint => {
  const loss = share(value, lossBps)
  return lossLeft === undefined ? loss : least(loss, most(lossLeft, 0n))
}

/**
 * Least price at which a transaction can be in the next block, in wei per gas. Its tip is the market's only if the fee of a sweep
 * covers that: a block that has room takes less.
 */
export const leastPrice = (market: MarketFees, minimumTip: bigint): bigint =>
  presentPrice({ ...market, maxPriorityFeePerGas: least(market.maxPriorityFeePerGas, minimumTip) })

/** Price that a transaction with these fees would pay in the next block, in wei per gas. */
export const presentPrice = ({ baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas }: MarketFees): bigint =>
  least(baseFeePerGas + maxPriorityFeePerGas, maxFeePerGas)

/** Present cost of a sweep in wei. A sweep that needs more gas than its quote counted costs more. */
export const presentCost = (
  cover: Pick<FeeCover, "gas">,
  present: { readonly price: bigint; readonly dataFee: bigint; readonly gas?: bigint | undefined }
): bigint => most(cover.gas, present.gas ?? 0n) * present.price + present.dataFee

/** Highest present cost in wei at which a sweep is sent. */
export const sendingLimit = (cover: Pick<FeeCover, "value">, policy: CoverPolicy): bigint =>
  cover.value + least(share(cover.value, policy.toleranceBps), allowedLoss(cover, policy))

/** Highest price in wei per gas at which a sweep is sent. `dataFee`: wei that a rollup charges in addition to the gas. */
export const sendingPrice = (cover: FeeCover, policy: CoverPolicy, dataFee: bigint): bigint =>
  most(sendingLimit(cover, policy) - dataFee, 0n) / most(cover.gas, 1n)

/**
 * Highest fee per gas in wei that a transaction with the sweep may be signed with. At this price the sweep costs its covered
 * value and the allowed loss. `dataFee`: wei that a rollup charges in addition to the gas.
 */
export const ceiling = (cover: FeeCover, policy: CoverPolicy, dataFee: bigint): bigint => {
  const payable = cover.value + allowedLoss(cover, policy) - dataFee
  return payable <= 0n ? 0n : payable / most(cover.gas, 1n)
}

/**
 * The ceiling of a sweep on a chain with this fee limit, in wei per gas. An operator may set the limit below what the sweep pays.
 * Undefined: no limit.
 */
export const ceilingWithin = (ceiling: bigint, limit: bigint | undefined): bigint =>
  limit === undefined ? ceiling : least(ceiling, limit)

/** Highest fee of which one replacement is at most `fee`. {@link raise} adds an eighth, rounded up. */
const beforeRaise = (fee: bigint): bigint => (fee * 8n) / 9n

/** Prices in wei per gas that a sweep allows for its transaction. */
export interface PriceLimits {
  /** Highest price at which it is sent: {@link sendingPrice}. */
  readonly sending: bigint
  /** Highest fee that its transaction is signed with: {@link ceiling}. */
  readonly ceiling: bigint
}

/**
 * Fees of a new transaction with these sweeps. Its cap is at most the lowest ceiling, and leaves room for one replacement unless
 * the present price needs the room. Its tip is the market's as far as every sweep is sent at that price, and at least the minimum.
 */
export const capped = (market: MarketFees, sweeps: ReadonlyArray<PriceLimits>, minimumTip: bigint): MarketFees => {
  const [first, ...rest] = sweeps
  if (first === undefined) return market
  const lowest = rest.reduce((so, each) => least(so, each.ceiling), first.ceiling)
  const sending = rest.reduce((so, each) => least(so, each.sending), first.sending)
  const room = most(beforeRaise(lowest), least(presentPrice(market), lowest))
  const maxFeePerGas = least(market.maxFeePerGas, room)
  const tip = least(market.maxPriorityFeePerGas, most(sending - market.baseFeePerGas, minimumTip))
  return {
    baseFeePerGas: market.baseFeePerGas,
    maxFeePerGas,
    maxPriorityFeePerGas: least(tip, maxFeePerGas)
  }
}

/** Least fees of a replacement that nodes accept and that the next block can include. */
const needed = (previous: GasFees, { baseFeePerGas }: MarketFees): GasFees => {
  const { maxFeePerGas, maxPriorityFeePerGas } = raise(previous, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
  return { maxPriorityFeePerGas, maxFeePerGas: most(maxFeePerGas, baseFeePerGas + maxPriorityFeePerGas) }
}

/** A replacement of a transaction: its fees, and the sweeps whose fees cover it. */
export interface Replacement<A> {
  readonly fees: GasFees
  readonly members: ReadonlyArray<A>
}

/**
 * Replacement of a transaction whose members may pay at most their ceilings. Its tip is the market's as far as they pay that.
 * Members that the least useful fees exceed are left out. Undefined if they exceed the ceiling of every member: the transaction
 * then stays as it is.
 */
export const replacement = <A extends { readonly ceiling: bigint }>(
  previous: GasFees,
  market: MarketFees,
  members: ReadonlyArray<A>
): Replacement<A> | undefined => {
  const low = needed(previous, market)
  const able = members.filter((member) => member.ceiling >= low.maxFeePerGas)
  if (able.length === 0) return undefined
  const lowest = able.reduce((so, member) => least(so, member.ceiling), able[0]?.ceiling ?? 0n)
  const maxFeePerGas = most(low.maxFeePerGas, least(raise(previous, market).maxFeePerGas, lowest))
  const tip = least(market.maxPriorityFeePerGas, maxFeePerGas - market.baseFeePerGas)
  return {
    fees: { maxPriorityFeePerGas: most(low.maxPriorityFeePerGas, tip), maxFeePerGas },
    members: able
  }
}

/**
 * Fees of a replacement that uses this much gas and may cost at most `allowed` wei, such as a self-send that frees a nonce.
 * Undefined if the least useful fees cost more. `allowed` is undefined without a limit.
 */
export const replacementWithin = (
  previous: GasFees,
  market: MarketFees,
  { allowed, gas }: { readonly gas: bigint; readonly allowed: bigint | undefined }
): GasFees | undefined =>
  allowed === undefined
    ? raise(previous, market)
    : replacement(previous, market, [{ ceiling: allowed / most(gas, 1n) }])?.fees

/** Bound of {@link blocksUntil}, which ends its search. */
const MOST_BLOCKS = 200

/** Least number of blocks until a cost is within its limit: the base fee falls by at most an eighth in a block (EIP-1559). */
export const blocksUntil = (cost: bigint, limit: bigint): number => {
  let blocks = 0
  for (let left = cost; left > limit && blocks < MOST_BLOCKS; blocks++) left -= (left + 7n) / 8n
  return blocks
}
