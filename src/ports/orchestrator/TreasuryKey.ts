/** Key of the fee recipient, the account that collects fees. It signs sales and never leaves the adapter. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { typedData } from "../../domain/SweepOrder.ts"

/** The key could not sign. */
export class TreasurySigningFailed extends Schema.TaggedError<TreasurySigningFailed>()("TreasurySigningFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the fee recipient's key could not sign: ${this.detail}`
  }
}

export interface Signer {
  /** Account of the key. */
  readonly address: Address.Address
  /** Signs an order (EIP-712); a 65-byte signature. Two signatures of one order may differ. */
  readonly signOrder: (order: ReturnType<typeof typedData>) => Effect.Effect<Hex, TreasurySigningFailed>
  /** Signs an authorization (EIP-7702). Two signatures of one authorization may differ. */
  readonly signAuthorization: (
    authorization: Pick<Authorization, "address" | "chainId" | "nonce">
  ) => Effect.Effect<Authorization, TreasurySigningFailed>
}

/** None if no key is configured: the treasury plans and does not sell. */
export class TreasuryKey extends Context.Service<TreasuryKey, Option.Option<Signer>>()("sweep/ports/TreasuryKey") {}
