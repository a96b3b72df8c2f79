/**
 * Signatures without cryptography, for tests that check thousands of them. A signature contains its signer and a hash
 * of the signed digest, so anyone can forge one. Never use it in production.
 */
import { Effect, Layer, Option } from "effect"
import { concatHex, keccak256, padHex, sliceHex } from "viem"
import * as Address from "../../../domain/Address.ts"
import { type Authorization, authorizationHash } from "../../../domain/Delegation.ts"
import { type Hash, type Hex, size } from "../../../domain/Hex.ts"
import { digest } from "../../../domain/SweepOrder.ts"
import { Signatures } from "../../../ports/orchestrator/Signatures.ts"

/** 31 bytes, so that it is below every bound on `s`. */
const seal = (signer: Address.Address, hash: Hash): Hex =>
  padHex(sliceHex(keccak256(concatHex([signer, hash])), 0, 31), { size: 32 })

/** 65-byte signature of `signer` over `hash`, which this adapter recovers. */
export const sign = (signer: Address.Address, hash: Hash): Hex =>
  concatHex([padHex(signer, { size: 32 }), seal(signer, hash), "0x1b"])

/** Authorization of `signer`, which this adapter recovers. */
export const authorize = (
  signer: Address.Address,
  authorization: Pick<Authorization, "address" | "chainId" | "nonce">
): Authorization => ({
  ...authorization,
  r: padHex(signer, { size: 32 }),
  s: seal(signer, authorizationHash(authorization)),
  yParity: 0
})

const recover = (hash: Hash, r: Hex, s: Hex): Option.Option<Address.Address> => {
  const signer = Address.of(sliceHex(r, 12))
  return s.toLowerCase() === seal(signer, hash) ? Option.some(signer) : Option.none()
}

export const layer = Layer.succeed(Signatures, {
  orderDigest: (order, domain) => Effect.sync(() => digest(order, domain)),
  recover: (hash, signature) =>
    Effect.sync(() =>
      size(signature) === 65 && signature.endsWith("1b")
        ? recover(hash, sliceHex(signature, 0, 32), sliceHex(signature, 32, 64))
        : Option.none()
    ),
  recoverAuthority: (authorization) =>
    Effect.sync(() => recover(authorizationHash(authorization), authorization.r, authorization.s))
})
