/** Values of the local network's tokens, at the prices at which its pools were opened. */
import { parseEther } from "viem"
import { TOKENS, type Symbol } from "../../src/devnet/Tokens.ts"

/** US dollars of one whole unit of native currency. */
const NATIVE_USD = TOKENS.WETH.usd

/** Tokens with a price, by which gains and losses are counted. */
export const PRICED = ["WETH", "USDC", "USDT", "DAI", "WBTC", "BLK"] as const satisfies ReadonlyArray<Symbol>

export type Priced = (typeof PRICED)[number]

/** Value of an amount in the token's smallest unit, in wei. */
export const weiOf = (symbol: Priced, amount: bigint): bigint => {
  const { decimals, usd } = TOKENS[symbol]
  return (amount * usd * parseEther("1")) / (NATIVE_USD * 10n ** BigInt(decimals))
}
