/** The account that is swept, and what can be done with it: one shape for wallets, for keys and for a host's signer. */
import type { Address, Node, RevocationSender, SweepSigner } from "../../sdk/index.ts"

/** The chain that a wallet is on. It signs orders of that one alone. */
export interface ChainSwitch {
  readonly current: () => Promise<number>
  readonly switchTo: (chainId: number) => Promise<void>
  /** Calls back with each change; returns how to stop. */
  readonly watch: (listener: (chainId: number) => void) => () => void
}

export interface SweepAccount {
  readonly kind: "wallet" | "key" | "host"
  /** As people know it: the wallet's name. */
  readonly name: string
  readonly icon?: string
  readonly address: Address
  readonly signer: SweepSigner
  /** Whether it can sign EIP-7702 authorizations. */
  readonly canAuthorize: boolean
  /** Absent where any chain's order can be signed at any time. */
  readonly chain?: ChainSwitch
  /** Reads a chain; undefined where nothing does right now. */
  readonly node: (chainId: number, current: number | undefined) => Node | undefined
  /** Sends the owner's revocations; absent where nothing does. */
  readonly sender?: (chainId: number) => RevocationSender | undefined
}
