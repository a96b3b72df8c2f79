/** The tokens of a local chain: ordinary ones with three different decimals, and ones with unusual behavior. */
import { encodeDeployData, encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../domain/Address.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { TokenInfo } from "../domain/Token.ts"
import { devBlocklistToken, devFeeToken, devNoReturnToken, devToken } from "./artifacts.generated.ts"
import type { Artifacts } from "./Artifacts.ts"
import type { Script } from "./Script.ts"

export const wethAbi = parseAbi(["function deposit() payable", "function withdraw(uint256)"])

/** The mint function of every token of the network. Anyone may call it. */
const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

/** Fee of the fee-on-transfer token, in basis points. */
const TRANSFER_FEE_BPS = 100n

/** `usd` is the price at which pools are opened. The fee-on-transfer token has none, because Uniswap v3 does not support it. */
export const TOKENS = {
  WETH: { name: "Wrapped Ether", decimals: 18, usd: 3_000n },
  USDC: { name: "USD Coin", decimals: 6, usd: 1n },
  USDT: { name: "Tether USD", decimals: 6, usd: 1n },
  DAI: { name: "Dai Stablecoin", decimals: 18, usd: 1n },
  WBTC: { name: "Wrapped BTC", decimals: 8, usd: 90_000n },
  BLK: { name: "Blocklisting Token", decimals: 18, usd: 2n },
  FOT: { name: "Fee On Transfer Token", decimals: 18, usd: undefined }
} as const

export type Symbol = keyof typeof TOKENS

export const SYMBOLS: ReadonlyArray<Symbol> = ["WETH", "USDC", "USDT", "DAI", "WBTC", "BLK", "FOT"]

export type Tokens = Readonly<Record<Symbol, Address.Address>>

/** Converts whole tokens to the smallest unit. */
export const units = (symbol: Symbol, whole: bigint): bigint => whole * 10n ** BigInt(TOKENS[symbol].decimals)

const ordinary = (symbol: "USDC" | "DAI" | "WBTC") => {
  const { decimals, name } = TOKENS[symbol]
  return encodeDeployData({ abi: devToken.abi, bytecode: devToken.creationCode, args: [name, symbol, decimals] })
}

export const deploy = (script: Script, artifacts: Artifacts): Tokens => ({
  WETH: script.deploy("WETH", artifacts.weth9),
  USDC: script.deploy("USDC", ordinary("USDC")),
  // As in the original, transfer, transferFrom and approve return nothing.
  USDT: script.deploy(
    "USDT",
    encodeDeployData({
      abi: devNoReturnToken.abi,
      bytecode: devNoReturnToken.creationCode,
      args: [TOKENS.USDT.name, "USDT"]
    })
  ),
  DAI: script.deploy("DAI", ordinary("DAI")),
  WBTC: script.deploy("WBTC", ordinary("WBTC")),
  BLK: script.deploy(
    "BLK",
    encodeDeployData({
      abi: devBlocklistToken.abi,
      bytecode: devBlocklistToken.creationCode,
      args: [TOKENS.BLK.name, "BLK", TOKENS.BLK.decimals, script.sender]
    })
  ),
  FOT: script.deploy(
    "FOT",
    encodeDeployData({
      abi: devFeeToken.abi,
      bytecode: devFeeToken.creationCode,
      args: [TOKENS.FOT.name, "FOT", TRANSFER_FEE_BPS]
    })
  )
})

export const mint = (to: Address.Address, amount: bigint) =>
  encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [to, amount] })

/** The chain's token list. */
export const list = (chainId: ChainId, tokens: Tokens): ReadonlyArray<TokenInfo> =>
  SYMBOLS.map((symbol) => ({
    chainId,
    address: tokens[symbol],
    symbol,
    name: TOKENS[symbol].name,
    decimals: TOKENS[symbol].decimals
  }))
