/** Whether a wallet, of whatever kind, signed a message. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"

export class WalletSignatures extends Context.Service<
  WalletSignatures,
  {
    /**
     * Whether `signature` is `wallet`'s over `message` (EIP-191): by the account's key, which asks no node; else by the
     * account's contract on `chainId`, deployed (ERC-1271) or not yet (ERC-6492). False on a chain that is not configured.
     */
    readonly verify: (claim: {
      readonly wallet: Address.Address
      readonly message: string
      readonly signature: Hex
      readonly chainId: ChainId
    }) => Effect.Effect<boolean, ChainUnavailable>
  }
>()("sweep/ports/WalletSignatures") {}
