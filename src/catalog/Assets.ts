/**
 * Tokens that are one asset on several chains, so that a bridge pays out one for the other. Only this table and the operator's
 * `assets` tie tokens. A symbol proves nothing, and decimals differ: USDC and USDT have 18 on BNB Chain and 6 elsewhere.
 *
 * A row holds tokens that Across's SpokePools exchange at par (`@across-protocol/constants`), or that one issuer mints on each chain.
 * Older bridged forms, such as USDC.e, are other assets.
 */
import type { ChainId } from "../domain/ChainId.ts"
import type { TokenInfo } from "../domain/Token.ts"

type Token = typeof TokenInfo.Encoded

/** Tokens of an asset by chain id. */
export type AssetTokens = Readonly<Record<ChainId, Token>>

/** Tokens with the same symbol, name and decimals on each chain. */
const alike = (
  symbol: string,
  name: string,
  decimals: number,
  addresses: Readonly<Record<ChainId, string>>
): AssetTokens =>
  Object.fromEntries(
    Object.entries(addresses).map(([id, address]) => [id, { chainId: Number(id), address, symbol, name, decimals }])
  )

/** By the asset's name. */
export const ASSETS: Readonly<Record<string, AssetTokens>> = {
  USDC: {
    // Native USDC of Circle.
    ...alike("USDC", "USD Coin", 6, {
      1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      10: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
      137: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
      8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      42161: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
    }),
    // Binance-Peg: Circle mints none there.
    ...alike("USDC", "Binance-Peg USD Coin", 18, { 56: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d" })
  },
  USDT: {
    ...alike("USDT", "Tether USD", 6, {
      1: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      10: "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
      137: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
      8453: "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2",
      42161: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"
    }),
    ...alike("USDT", "Binance-Peg Tether USD", 18, { 56: "0x55d398326f99059fF775485246999027B3197955" })
  },
  // Across exchanges no DAI of BNB Chain.
  DAI: alike("DAI", "Dai Stablecoin", 18, {
    1: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
    10: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    137: "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063",
    8453: "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb",
    42161: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"
  }),
  WETH: {
    ...alike("WETH", "Wrapped Ether", 18, {
      1: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
      10: "0x4200000000000000000000000000000000000006",
      137: "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619",
      8453: "0x4200000000000000000000000000000000000006",
      42161: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"
    }),
    ...alike("ETH", "Binance-Peg Ethereum Token", 18, { 56: "0x2170Ed0880ac9A755fd29B2688956BD959F933F8" })
  },
  WBTC: alike("WBTC", "Wrapped BTC", 8, {
    1: "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
    10: "0x68f180fcCe6836688e9084f035309E29Bf0A2095",
    137: "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6",
    8453: "0x0555E30da8f98308EdB960aa94C0Db47230d2B9c",
    42161: "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f"
  }),
  // Coinbase mints it at one address.
  cbBTC: alike("cbBTC", "Coinbase Wrapped BTC", 8, {
    1: "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
    8453: "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
    42161: "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf"
  })
}

/** The chain's tokens that are assets of the table, in the table's order. */
export const assetTokens = (chainId: ChainId): ReadonlyArray<Token> =>
  Object.values(ASSETS).flatMap((tokens) => tokens[chainId] ?? [])

/** The chain's `assets`: addresses by the names of the assets. */
export const assetsOn = (chainId: ChainId): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(ASSETS).flatMap(([name, tokens]) => {
      const token = tokens[chainId]
      return token === undefined ? [] : [[name, token.address]]
    })
  )
