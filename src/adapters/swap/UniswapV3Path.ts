/** Paths through Uniswap v3 pools from one token to another, and their encoding. */
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"

/** The fee tiers that every deployment enables, in hundredths of a basis point. */
export const FEES = [100, 500, 3_000, 10_000] as const
export type Fee = (typeof FEES)[number]

/** One pool, or two with a token between them. */
export type Path =
  | { readonly _tag: "Direct"; readonly fee: Fee }
  | { readonly _tag: "Via"; readonly token: Address.Address; readonly fees: readonly [Fee, Fee] }

/** A pool, which trades in both directions. */
export interface Pool {
  readonly tokens: readonly [Address.Address, Address.Address]
  readonly fee: Fee
}

/** All direct pools, and all pairs of pools through each hop. */
export const candidates = (
  tokenIn: Address.Address,
  tokenOut: Address.Address,
  hops: ReadonlyArray<Address.Address>
): ReadonlyArray<Path> => {
  const via = new Set(hops)
  via.delete(tokenIn)
  via.delete(tokenOut)
  return [
    ...FEES.map((fee): Path => ({ _tag: "Direct", fee })),
    ...[...via].flatMap((token) =>
      FEES.flatMap((first) => FEES.map((second): Path => ({ _tag: "Via", token, fees: [first, second] })))
    )
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
