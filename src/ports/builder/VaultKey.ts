/**
 * Key of the vault, the account that holds what builders are owed. The key signs payouts and never leaves the adapter.
 */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { permitTypedData } from "../../domain/PayoutPayment.ts"
import type { SignedTransaction, UnsignedTransaction } from "../shared/Transaction.ts"

/** The key could not sign. */
export class VaultSigningFailed extends Schema.TaggedError<VaultSigningFailed>()("VaultSigningFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the vault's key could not sign: ${this.detail}`
  }
}

export class VaultKey extends Context.Service<
  VaultKey,
  {
    /** The vault's account. */
    readonly address: Address.Address
    /** Signs an EIP-1559 transaction. Sends nothing. */
    readonly signTransaction: (
      transaction: Omit<UnsignedTransaction, "authorizationList">
    ) => Effect.Effect<SignedTransaction, VaultSigningFailed>
    /** Signs Permit2 typed data (EIP-712); a 65-byte signature. */
    readonly signPermit: (permit: ReturnType<typeof permitTypedData>) => Effect.Effect<Hex, VaultSigningFailed>
  }
>()("sweep/ports/VaultKey") {}
