/** The key of the account that holds what builders are owed. It signs payouts, and nothing else sees it. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { permitTypedData } from "../../domain/PayoutPayment.ts"
import type { SignedTransaction, UnsignedTransaction } from "../shared/Transaction.ts"

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
    readonly address: Address.Address
    readonly signTransaction: (
      transaction: Omit<UnsignedTransaction, "authorizationList">
    ) => Effect.Effect<SignedTransaction, VaultSigningFailed>
    readonly signPermit: (permit: ReturnType<typeof permitTypedData>) => Effect.Effect<Hex, VaultSigningFailed>
  }
>()("sweep/ports/VaultKey") {}
