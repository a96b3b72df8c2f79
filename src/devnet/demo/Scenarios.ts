/** The sweeps of the demo. Amounts are in whole tokens, and symbols are those of the local network. */
import type { PayoutMode } from "../../domain/Builder.ts"

/** A sweep of one token. */
export interface TokenScenario {
  readonly title: string
  /** Index into the network's chains. */
  readonly sourceChain: number
  readonly destChain: number
  /** `ETH` is the chain's native currency. */
  readonly tokenIn: string
  readonly amountIn: string
  readonly tokenOut: string
  /** Recipient of the output: the owner, or a new account. */
  readonly destination: "owner" | "other"
  /** Payout mode of the builder to which the sweep is attributed, if any. */
  readonly builder?: PayoutMode
}

/** A sweep of many tokens of one owner, who signs once and is the destination. */
export interface WalletScenario {
  readonly title: string
  readonly holdings: ReadonlyArray<{
    /** Index into the network's chains. */
    readonly chain: number
    readonly token: string
    readonly amount: string
  }>
  readonly destChain: number
  readonly tokenOut: string
}

export type Scenario = TokenScenario | WalletScenario

export const SCENARIOS: ReadonlyArray<Scenario> = [
  {
    title: "ERC-20 to ERC-20 on one chain",
    sourceChain: 0,
    destChain: 0,
    tokenIn: "DAI",
    amountIn: "250",
    tokenOut: "USDC",
    destination: "owner"
  },
  {
    title: "ERC-20 across two chains, to another account",
    sourceChain: 0,
    destChain: 1,
    tokenIn: "USDC",
    amountIn: "100",
    tokenOut: "USDC",
    destination: "other"
  },
  {
    title: "Into another token on another chain",
    sourceChain: 0,
    destChain: 1,
    tokenIn: "DAI",
    amountIn: "150",
    tokenOut: "ETH",
    destination: "other"
  },
  {
    title: "Native currency to ERC-20",
    sourceChain: 0,
    destChain: 0,
    tokenIn: "ETH",
    amountIn: "0.2",
    tokenOut: "USDC",
    destination: "other"
  },
  {
    title: "USDT, whose transfer returns nothing",
    sourceChain: 0,
    destChain: 0,
    tokenIn: "USDT",
    amountIn: "80",
    tokenOut: "DAI",
    destination: "owner"
  },
  {
    title: "With a builder's API key, paid by the sweep",
    sourceChain: 0,
    destChain: 0,
    tokenIn: "USDC",
    amountIn: "300",
    tokenOut: "DAI",
    destination: "owner",
    builder: "onchain"
  },
  {
    title: "With a builder's API key, owed by the ledger",
    sourceChain: 1,
    destChain: 0,
    tokenIn: "USDC",
    amountIn: "120",
    tokenOut: "USDC",
    destination: "other",
    builder: "ledger"
  },
  {
    title: "Six tokens on two chains, one signature",
    holdings: [
      { chain: 0, token: "DAI", amount: "300" },
      { chain: 0, token: "USDT", amount: "120" },
      { chain: 0, token: "WBTC", amount: "0.01" },
      { chain: 1, token: "USDC", amount: "200" },
      { chain: 1, token: "DAI", amount: "150" },
      { chain: 1, token: "USDT", amount: "90" }
    ],
    destChain: 0,
    tokenOut: "USDC"
  }
]
