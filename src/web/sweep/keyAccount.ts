/** A private key in this tab. Only loaded on the local network, where keys are worthless. */
import { createWalletClient, defineChain, http } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Hex } from "../../sdk/index.ts"
import type { SweepAccount } from "./account.ts"

export type Nodes = Readonly<Record<number, string>>

export const newKey = (): Hex => generatePrivateKey()

/** Undefined for a text that is not a private key. */
export const keyAccount = (text: string, nodes: Nodes): SweepAccount | undefined => {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim())?.[1]
  if (digits === undefined) return undefined
  try {
    const account = privateKeyToAccount(`0x${digits}`)
    return {
      kind: "key",
      name: "Local key",
      address: account.address,
      signer: account,
      canAuthorize: true,
      node: (chainId) => nodes[chainId],
      sender: (chainId) => {
        const url = nodes[chainId]
        if (url === undefined) return undefined
        const chain = defineChain({
          id: chainId,
          name: `local ${chainId}`,
          nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
          rpcUrls: { default: { http: [url] } }
        })
        return createWalletClient({ account, chain, transport: http(url) })
      }
    }
  } catch {
    // Not every 32 bytes are a valid key of the curve.
    return undefined
  }
}
