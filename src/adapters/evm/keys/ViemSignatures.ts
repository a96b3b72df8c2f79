/** The `Signatures` port by viem. Its secp256k1 is pure TypeScript, so it runs on every platform. */
import { Effect, Layer, Option } from "effect"
import { hexToBigInt, recoverAddress, sliceHex } from "viem"
import * as Address from "../../../domain/Address.ts"
import { authorizationHash } from "../../../domain/Delegation.ts"
import { type Hash, type Hex, size } from "../../../domain/Hex.ts"
import { digest } from "../../../domain/SweepOrder.ts"
import { Signatures } from "../../../ports/orchestrator/Signatures.ts"

/** Largest `s` that EIP-2 and EIP-7702 accept: half of secp256k1's order. */
const MAX_LOW_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

export interface Parts {
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

/**
 * Splits a signature exactly as the delegate does, so that none is accepted here that the chain refuses. 65 bytes must end in 27 or
 * 28, because ecrecover accepts nothing else.
 */
export const parse = (signature: Hex): Option.Option<Parts> => {
  const bytes = size(signature)
  if (bytes !== 64 && bytes !== 65) return Option.none()
  const r = sliceHex(signature, 0, 32)
  const s = sliceHex(signature, 32, 64)
  if (bytes === 64) {
    const word = hexToBigInt(s)
    return Option.some({
      r,
      s: `0x${BigInt.asUintN(255, word).toString(16).padStart(64, "0")}`,
      yParity: Number(word >> 255n)
    })
  }
  const v = Number(sliceHex(signature, 64))
  return v === 27 || v === 28 ? Option.some({ r, s, yParity: v - 27 }) : Option.none()
}

/** Recovers the signer; none when `r` or `s` is not a scalar of the curve, or no key has such a signature. */
const signer = (hash: Hash, parts: Parts): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.tryPromise(() => recoverAddress({ hash, signature: parts })).pipe(Effect.map(Address.of), Effect.option)

const recover: Signatures["Service"]["recover"] = (hash, signature) =>
  Option.match(parse(signature), {
    onNone: () => Effect.succeedNone,
    onSome: (parts) => signer(hash, parts)
  })

/** Rule of EIP-2, by which a key has only one valid signature of a message. */
export const hasLowS = ({ s }: Pick<Parts, "s">): boolean => hexToBigInt(s) <= MAX_LOW_S

const recoverAuthority: Signatures["Service"]["recoverAuthority"] = (authorization) =>
  hasLowS(authorization) ? signer(authorizationHash(authorization), authorization) : Effect.succeedNone

export const layer = Layer.succeed(Signatures, {
  orderDigest: (order, domain) => Effect.sync(() => digest(order, domain)),
  recover,
  recoverAuthority
})
