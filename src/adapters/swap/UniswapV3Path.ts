/** Paths through concentrated pools from one token to another, and their encoding: those of Uniswap v3, and of exchanges like it. */
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { DEFAULT_FEE_TIERS } from "../../domain/Venue.ts"
import type { KindsOf } from "./PoolMemory.ts"

/** The fee tiers that every deployment enables, in hundredths of a basis point. */
export const FEES: ReadonlyArray<Fee> = DEFAULT_FEE_TIERS

/** Tells the pools of a pair apart: a fee, or the tick spacing of Slipstream. */
export type Fee = number

/** The values that an exchange's pools may have, and the type that its functions give them. */
export interface Kinds {
  readonly type: "uint24" | "int24"
  readonly values: ReadonlyArray<Fee>
}

export const FEE_TIERS: Kinds = { type: "uint24", values: FEES }

/** One pool, or two with a token between them. */
export type Path =
  | { readonly _tag: "Direct"; readonly fee: Fee }
  | { readonly _tag: "Via"; readonly token: Address.Address; readonly fees: readonly [Fee, Fee] }

/** A pool, which trades in both directions. */
export interface Pool {
  readonly tokens: readonly [Address.Address, Address.Address]
  readonly fee: Fee
}

/** All direct pools, and all pairs of pools through each hop. `feesOf`: the pools of a pair. */
export const candidates = (
  tokenIn: Address.Address,
  tokenOut: Address.Address,
  hops: ReadonlyArray<Address.Address>,
  feesOf: KindsOf<Fee> = () => FEES
): ReadonlyArray<Path> => {
  const via = new Set(hops)
  via.delete(tokenIn)
  via.delete(tokenOut)
  return [
    ...feesOf(tokenIn, tokenOut).map((fee): Path => ({ _tag: "Direct", fee })),
    ...[...via].flatMap((token) => {
      const seconds = feesOf(token, tokenOut)
      return feesOf(tokenIn, token).flatMap((first) =>
        seconds.map((second): Path => ({ _tag: "Via", token, fees: [first, second] }))
      )
    })
  ]
}

/** The pools of a path. */
export const poolsOf = (tokenIn: Address.Address, path: Path, tokenOut: Address.Address): ReadonlyArray<Pool> =>
  path._tag === "Direct"
    ? [{ tokens: [tokenIn, tokenOut], fee: path.fee }]
    : [
        { tokens: [tokenIn, path.token], fee: path.fees[0] },
        { tokens: [path.token, tokenOut], fee: path.fees[1] }
      ]

/** Encoding of a path of two pools: token ‖ fee (3 bytes) ‖ token ‖ fee ‖ token. */
export const encode = (
  tokenIn: Address.Address,
  path: Extract<Path, { _tag: "Via" }>,
  tokenOut: Address.Address
): Hex => `0x${tokenIn.slice(2)}${ofFee(path.fees[0])}${path.token.slice(2)}${ofFee(path.fees[1])}${tokenOut.slice(2)}`

/** Three bytes. */
const ofFee = (fee: Fee): string => fee.toString(16).padStart(6, "0")
