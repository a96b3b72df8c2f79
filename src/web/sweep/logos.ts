/** Simplified logos of the catalogue's assets and chains, drawn in a circle of 32 units. */

export interface Logo {
  /** Colour of the circle. */
  readonly ground: string
  /** Colour of the path. Default: white. */
  readonly ink?: string
  readonly path: string
}

const ETHER = "M16 4.5 9 16.2l7 4.1 7-4.1ZM9 17.6 16 27.5l7-9.9-7 4.1Z"
const BITCOIN =
  "M13 7.5h2v2h1.5v-2h2v2.2c2.2.4 3.4 1.6 3.4 3.3 0 1.3-.7 2.3-1.8 2.8 1.6.5 2.5 1.6 2.5 3.2 0 2.2-1.6 3.5-4.1 3.7v2.3h-2v-2.2H15v2.2h-2v-2.2h-3.5v-2H11v-8.6H9.5v-2H13Zm.4 4.2v3h2.7c1.3 0 2-.5 2-1.5s-.7-1.5-2-1.5Zm0 5v3.4h3c1.5 0 2.3-.6 2.3-1.7s-.8-1.7-2.3-1.7Z"
const DOLLAR =
  "M15 6.5h2v2.1c2.2.4 3.7 1.8 3.9 3.9h-2.4c-.2-1.1-1.1-1.8-2.5-1.8-1.5 0-2.4.7-2.4 1.7 0 .9.7 1.4 2.2 1.7l1.4.3c2.6.6 3.9 1.8 3.9 3.9 0 2.2-1.5 3.7-4.1 4.1v2.1h-2v-2.1c-2.5-.3-4.1-1.8-4.2-4.1h2.4c.2 1.3 1.2 2 2.9 2 1.6 0 2.6-.7 2.6-1.8 0-.9-.6-1.4-2.1-1.8l-1.5-.3c-2.5-.6-3.8-1.8-3.8-3.8 0-2.1 1.5-3.6 3.7-4Z"

const TOKENS: Readonly<Record<string, Logo>> = {
  ETH: { ground: "#5c6bc0", path: ETHER },
  WETH: { ground: "#b5367f", path: ETHER },
  WBTC: { ground: "#c9701a", path: BITCOIN },
  cbBTC: { ground: "#0052ff", path: BITCOIN },
  USDC: { ground: "#2563b8", path: DOLLAR },
  USDT: {
    ground: "#1c7f65",
    path: "M8.5 8h15v3.6h-5.7v2.1c4 .2 7 1 7 2.1s-3 1.9-7 2.1V24h-3.6v-6.1c-4-.2-7-1-7-2.1s3-1.9 7-2.1v-2.1H8.5Zm5.7 7.1c-3 .1-5 .5-5 .9s2.6 1 6.8 1 6.8-.5 6.8-1-2-.8-5-.9v1.2h-3.6Z"
  },
  DAI: {
    ground: "#b87a08",
    path: "M9 8h7.5c4 0 6.9 2 7.9 5.2H26v1.9h-1.2v1.8H26v1.9h-1.6C23.4 22 20.5 24 16.5 24H9v-5.2H6.5v-1.9H9v-1.8H6.5v-1.9H9Zm2.4 2v3.2h10.5c-.9-2-2.8-3.2-5.5-3.2Zm0 5.1v1.8h11v-1.8Zm0 3.7V22h5c2.7 0 4.6-1.2 5.5-3.2Z"
  },
  BNB: {
    ground: "#a87908",
    path: "m16 6 3.6 3.6L16 13.2l-3.6-3.6Zm-6.4 6.4L13.2 16l-3.6 3.6L6 16Zm12.8 0L26 16l-3.6 3.6-3.6-3.6ZM16 13.4l2.6 2.6-2.6 2.6-2.6-2.6Zm0 5.4 3.6 3.6L16 26l-3.6-3.6Z"
  },
  POL: {
    ground: "#6d3bd1",
    path: "m11.5 10.5 5 2.9v5.8l-5 2.9-5-2.9v-5.8Zm0 2.6-2.7 1.6v3.2l2.7 1.6 2.7-1.6v-3.2Zm9-2.6 5 2.9v5.8l-5 2.9-4-2.3v-2.6l4 2.3 2.7-1.6v-3.2l-2.7-1.6-4 2.3v-2.6Z"
  }
}

const CHAINS: Readonly<Record<string, Logo>> = {
  ethereum: { ground: "#5c6bc0", path: ETHER },
  base: { ground: "#0052ff", path: "M16 7a9 9 0 1 1-8.95 10H18v-2H7.050A9 9 0 0 1 16 7Z" },
  arbitrum: { ground: "#1b6fb5", path: "M16 6.5 24 25h-3.8L16 14.7 11.8 25H8Z" },
  optimism: {
    ground: "#e0001a",
    path: "M11 11c2.8 0 4.6 1.5 4.6 4.2 0 3.4-2.2 5.8-5.5 5.8-2.8 0-4.6-1.5-4.6-4.2C5.5 13.4 7.7 11 11 11Zm-.2 2.4c-1.6 0-2.6 1.3-2.6 3.2 0 1.3.7 2 2 2 1.6 0 2.6-1.3 2.6-3.2 0-1.3-.7-2-2-2Zm7.7-2.2h4.6c2.4 0 3.6 1.1 3.6 2.9 0 2.4-1.7 3.9-4.4 3.9h-2.2l-.6 2.8h-2.6Zm2.3 2.2-.5 2.4h1.9c1.1 0 1.7-.5 1.7-1.4 0-.7-.4-1-1.2-1Z"
  },
  polygon: { ground: "#6d3bd1", path: "m16 7 7.8 4.5v9L16 25l-7.8-4.5v-9Zm0 3.5-4.7 2.7v5.6l4.7 2.7 4.7-2.7v-5.6Z" },
  bnb: {
    ground: "#a87908",
    path: "m16 6 3.6 3.6L16 13.2l-3.6-3.6Zm-6.4 6.4L13.2 16l-3.6 3.6L6 16Zm12.8 0L26 16l-3.6 3.6-3.6-3.6ZM16 18.8l3.6 3.6L16 26l-3.6-3.6Z"
  }
}

/** Logo of an asset by its name in the catalogue. */
export const tokenLogo = (asset: string | undefined): Logo | undefined =>
  asset !== undefined && Object.hasOwn(TOKENS, asset) ? TOKENS[asset] : undefined

/** Logo of a chain by its name in the catalogue. */
export const chainLogo = (name: string | undefined): Logo | undefined =>
  name !== undefined && Object.hasOwn(CHAINS, name) ? CHAINS[name] : undefined
