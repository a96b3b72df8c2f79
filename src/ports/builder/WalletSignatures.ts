/** Verifies that a wallet, key or contract, signed a message. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { ChainUnavailable } from "../shared/Chains.ts"

/** Source of a valid signature: the account's key, on every chain alike, or a contract, on one chain. */
export type SignatureKind = "key" | "contract"

export class WalletSignatures extends Context.Service<
  WalletSignatures,
  {
    /**
     * Kind of `signature`, if it is the signature of `wallet` over `message` (EIP-191). Checked against the account's key,
     * without a node, then against its contract on `chainId`, deployed (ERC-1271) or not yet deployed (ERC-6492). None
     * if it is not, or if the chain is not configured. Without `chainId`, only the key counts. The zero address has no signature.
     */
    readonly verify: (claim: {
      readonly wallet: Address.Address
      readonly message: string
      readonly signature: Hex
      readonly chainId?: ChainId
    }) => Effect.Effect<Option.Option<SignatureKind>, ChainUnavailable>
  }
>()("sweep/ports/WalletSignatures") {}
