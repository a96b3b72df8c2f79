/**
 * Exchanges that exist on several of the chains, from the deployment documentation of each. The guard lists none of them by itself: until
 * the operator adds a router, its exchange is not used.
 */
import type { Venue } from "../domain/Venue.ts"

type Facts = typeof Venue.Encoded

export const uniswapV2 = (router: string): Facts => ({ name: "uniswap-v2", family: "uniswap-v2", router })

/**
 * By this project's router (`contracts/src/UniswapV4Router.sol`), whose address follows from the PoolManager and the wrapped native currency.
 * `./sweep deploy --uniswap-v4` deploys it where nobody has done so. The other addresses are of Uniswap's documentation.
 */
export const uniswapV4 = (contracts: {
  readonly router: string
  readonly poolManager: string
  readonly quoter: string
}): Facts => ({ name: "uniswap-v4", family: "uniswap-v4", ...contracts })

export const sushiswapV2 = (router: string): Facts => ({ name: "sushiswap-v2", family: "uniswap-v2", router })

/** Its router is the first SwapRouter of Uniswap v3. */
export const sushiswapV3 = (router: string, quoter: string): Facts => ({
  name: "sushiswap-v3",
  family: "uniswap-v3",
  router,
  quoter,
  hasDeadlineInSwap: true
})

export const pancakeswapV2 = (router: string): Facts => ({ name: "pancakeswap-v2", family: "uniswap-v2", router })

/** The SmartRouter. The quoter has one address on all chains. */
export const pancakeswapV3 = (router: string): Facts => ({
  name: "pancakeswap-v3",
  family: "uniswap-v3",
  router,
  quoter: "0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997",
  feeTiers: [100, 500, 2_500, 10_000]
})
