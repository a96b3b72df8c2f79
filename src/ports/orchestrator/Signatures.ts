/** Who signed an order or an authorization. Behind a port because recovery is what intake spends its time on. */
import { Context, type Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { SigningDomain, SweepOrder } from "../../domain/SweepOrder.ts"

export class Signatures extends Context.Service<
  Signatures,
  {
    /** The EIP-712 digest of the order; see `SweepOrder.digest`. */
    readonly orderDigest: (order: SweepOrder, domain: SigningDomain) => Effect.Effect<Hash>
    /** The signer of a digest, from a 65-byte or compact 64-byte (EIP-2098) signature; none when it is malformed. */
    readonly recover: (digest: Hash, signature: Hex) => Effect.Effect<Option.Option<Address.Address>>
    /** The account that an EIP-7702 authorization delegates; none when its signature is malformed or its `s` is high. */
    readonly recoverAuthority: (authorization: Authorization) => Effect.Effect<Option.Option<Address.Address>>
  }
>()("sweep/ports/Signatures") {}
