/**
 * Turns the answers of a key management service (KMS) into an Ethereum account and its signatures. A KMS knows ECDSA in general: it
 * returns public keys and signatures in DER, signatures with a high `s` half of the time, and no parity. Parsing and curve arithmetic
 * are those of noble's secp256k1.
 */
import { Result, Schema } from "effect"
import { Secp256k1 } from "ox"
import * as Address from "../../../domain/Address.ts"
import type { Authorization } from "../../../domain/Delegation.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import * as Keccak from "../codec/Keccak.ts"

const PROBLEMS = {
  malformed_pem: "the public key is not one PEM block of the type PUBLIC KEY",
  other_key: "the public key is not an uncompressed key of secp256k1",
  no_point: "the public key is not a point of secp256k1",
  malformed_signature: "the signature is not an ECDSA signature of secp256k1 in DER",
  foreign_signature: "the signature is of another key or of another message"
} as const

/** An answer that is not what was asked for. The message has no part of the answer. */
export class UnusableAnswer extends Schema.TaggedError<UnusableAnswer>()("UnusableAnswer", {
  problem: Schema.Literals(["malformed_pem", "other_key", "no_point", "malformed_signature", "foreign_signature"])
}) {
  override get message(): string {
    return PROBLEMS[this.problem]
  }
}

/** A signature whose `s` is low (EIP-2). `r` and `s` have 32 bytes. */
export type KmsSignature = Pick<Authorization, "r" | "s" | "yParity">

const refused = (problem: UnusableAnswer["problem"]) => Result.fail(new UnusableAnswer({ problem }))

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----\s*$/

/** Bytes of a public key in PEM (RFC 7468, section 13). */
export const publicKeyOfPem = (pem: string): Result.Result<Uint8Array, UnusableAnswer> => {
  const base64 = PEM.exec(pem)?.[1]?.replaceAll(/\s/g, "")
  if (base64 === undefined) return refused("malformed_pem")
  const bytes = Buffer.from(base64, "base64")
  return bytes.toString("base64") === base64 ? Result.succeed(bytes) : refused("malformed_pem")
}

/**
 * SubjectPublicKeyInfo of secp256k1 up to the point (RFC 5480, section 2). DER has one encoding of each value, so every uncompressed key
 * begins with these bytes: the sequence, the algorithm id-ecPublicKey, the curve 1.3.132.0.10, and the bit string of 65 bytes.
 */
const SPKI_PREFIX = Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex")

const POINT_BYTES = 65

const noble = Secp256k1.noble

const accountOf = (point: Uint8Array): Address.Address => Address.of(`0x${Keccak.digits(point.subarray(1)).slice(24)}`)

/** Account of a public key in DER. The key must be uncompressed, as every KMS returns it. */
export const accountOfPublicKey = (spki: Uint8Array): Result.Result<Address.Address, UnusableAnswer> => {
  const point = spki.subarray(SPKI_PREFIX.length)
  const isExpected =
    SPKI_PREFIX.equals(spki.subarray(0, SPKI_PREFIX.length)) && point.length === POINT_BYTES && point[0] === 4
  if (!isExpected) return refused("other_key")
  try {
    // Decoding checks that the point is on the curve.
    return Result.succeed(accountOf(noble.ProjectivePoint.fromHex(point).toRawBytes(false)))
  } catch {
    return refused("no_point")
  }
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

/** True if this parity recovers the account. A signature of another message may have no key at all. */
const isBy = (account: Address.Address, recover: () => Uint8Array): boolean => {
  try {
    return accountOf(recover()) === account
  } catch {
    return false
  }
}

/**
 * Signature of `digest` by `account`, from a KMS's signature in DER (RFC 3279, section 2.2.3). A high `s` is replaced by its negation
 * (EIP-2). The parity is the one that recovers the account, so a signature that passes is certainly the account's.
 */
export const signatureOf = (
  der: Uint8Array,
  { account, digest }: { readonly account: Address.Address; readonly digest: Hash }
): Result.Result<KmsSignature, UnusableAnswer> => {
  let signature: ReturnType<typeof noble.Signature.fromDER>
  try {
    signature = noble.Signature.fromDER(der).normalizeS()
  } catch {
    return refused("malformed_signature")
  }
  const { r, s } = signature
  const message = Keccak.bytesOf(digest)
  for (const yParity of [0, 1] as const) {
    if (isBy(account, () => signature.addRecoveryBit(yParity).recoverPublicKey(message).toRawBytes(false))) {
      return Result.succeed({ r: word(r), s: word(s), yParity })
    }
  }
  return refused("foreign_signature")
}
