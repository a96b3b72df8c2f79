/** Form of a chain's public facts, and contracts that have one address on several chains. */
import type { Chain } from "../domain/Chain.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { TokenInfo } from "../domain/Token.ts"

/**
 * Facts that no operator decides, in the form of the chains file, and optionally a public WebSocket endpoint for new heads. HTTP
 * endpoints are the operator's: public ones limit the calls that a service needs.
 */
export type ChainFacts = Omit<typeof Chain.Encoded, "feeRecipient" | "builderVault" | "contracts"> & {
  readonly wsUrl?: string
}

/** Permit2 and Multicall3 have one address on every chain. */
export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"

/** Contracts with one address on all of these chains. Across: `broadcast/deployed-addresses.json` of `@across-protocol/contracts`. */
export const SHARED_CONTRACTS = {
  spokePoolPeriphery: "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4",
  multicallHandler: "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E",
  permit2: PERMIT2,
  multicall3: MULTICALL3
} as const

/** Chainalysis's oracle of sanctioned addresses on all of these chains but Base. */
export const SANCTIONS_ORACLE = "0x40C57923924B5c5c5455c48D93317139ADDaC8fb"

/** Uniswap's first deployment: Ethereum, Optimism, Polygon and Arbitrum. */
export const SWAP_ROUTER_02 = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"
export const QUOTER_V2 = "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"

/** Predeploy on every OP stack chain. */
export const OP_STACK_WETH = "0x4200000000000000000000000000000000000006"

/** Wei as they are written in the chains file. */
export const gwei = (amount: number): string => BigInt(Math.round(amount * 1e9)).toString()

/** A token that has no counterpart on another chain. */
export const token = (
  chainId: ChainId,
  symbol: string,
  name: string,
  decimals: number,
  address: string
): typeof TokenInfo.Encoded => ({ chainId, address, symbol, name, decimals })
