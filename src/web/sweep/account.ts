/** The account to sweep, as one interface for wallets, keys and a host's signer. */
import type { Address, Node, RevocationSender, SweepSigner } from "../../sdk/index.ts"

/** A wallet's current chain. A wallet signs only orders of this chain. */
export interface ChainSwitch {
  readonly current: () => Promise<number>
  readonly switchTo: (chainId: number) => Promise<void>
  /** Calls back with each change. Returns the function that stops it. */
  readonly watch: (listener: (chainId: number) => void) => () => void
}

export interface SweepAccount {
  readonly kind: "wallet" | "key" | "host"
  /** Display name: the wallet's name. */
  readonly name: string
  readonly icon?: string
  readonly address: Address
  readonly signer: SweepSigner
  /** True if it can sign EIP-7702 authorizations. */
  readonly canAuthorize: boolean
  /** Absent if orders of any chain can be signed at any time. */
  readonly chain?: ChainSwitch
  /** Client that reads a chain. Undefined if none is available. */
  readonly node: (chainId: number, current: number | undefined) => Node | undefined
  /** Sends the owner's revocations. Absent if they cannot be sent. */
  readonly sender?: (chainId: number) => RevocationSender | undefined
}
