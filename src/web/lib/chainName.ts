/** Display names of chains: one spelling on every page. */

/** Names of chains in `route` hints whose display name is not the same word with a capital. */
const NAMES: Readonly<Record<string, string>> = {
  optimism: "OP Mainnet",
  bnb: "BNB Chain"
}

/** `Base` for `base`. A chain that is not served is named by its id. */
export const chainName = (chain: { readonly name: string } | undefined, id: number): string =>
  chain === undefined
    ? `chain ${id}`
    : (NAMES[chain.name.toLowerCase()] ?? chain.name.charAt(0).toUpperCase() + chain.name.slice(1))
