/** Digests and signer recovery. A port, since intake spends most of its CPU time here and adapters differ in speed. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { SigningDomain, SweepOrder } from "../../domain/SweepOrder.ts"

export class Signatures extends Context.Service<
  Signatures,
  {
    /** EIP-712 digest of the order; see `SweepOrder.digest`. */
    readonly orderDigest: (order: SweepOrder, domain: SigningDomain) => Effect.Effect<Hash>
    /**
     * Signer of a digest, from a 65-byte signature or a compact 64-byte signature (EIP-2098); none if the signature is
     * malformed.
     */
    readonly recover: (digest: Hash, signature: Hex) => Effect.Effect<Option.Option<Address.Address>>
    /**
     * Account that an EIP-7702 authorization delegates; none if its signature is malformed or its `s` is in the upper
     * half of the curve order.
     */
    readonly recoverAuthority: (authorization: Authorization) => Effect.Effect<Option.Option<Address.Address>>
  }
>()("sweep/ports/Signatures") {}
