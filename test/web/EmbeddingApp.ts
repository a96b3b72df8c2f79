/** The other app that embeds the sweep, in `host/`: its address with the settings that it reads there. */
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

export interface Settings {
  readonly orchestrator: string
  /** Key of the app's user. */
  readonly key: Hex
  readonly chainId: number
  /** URL of the chain's node. Default: one that nobody answers at. */
  readonly node?: string
  readonly apiKey?: string
  /** The delegate that the app knows. */
  readonly delegate?: string
}

const NOBODY = "http://127.0.0.1:9"

/** Address of the app that is served at a URL. */
export const addressOf = (
  served: string,
  { apiKey, chainId, delegate, key, node = NOBODY, orchestrator }: Settings
): string =>
  `${served}?${new URLSearchParams({
    orchestrator,
    key,
    address: privateKeyToAccount(key).address,
    chain: String(chainId),
    node,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(delegate === undefined ? {} : { delegate })
  })}`
