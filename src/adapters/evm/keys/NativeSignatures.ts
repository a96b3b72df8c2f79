/**
 * The `Signatures` port by libsecp256k1 and a WebAssembly Keccak. Recovering signers is most of the CPU of a submission, and viem
 * takes ten times as long (`./sweep bench signatures`). Platforms without these libraries use viem's implementation.
 */
import { Effect, Layer, Option } from "effect"
import * as Address from "../../../domain/Address.ts"
import type { Authorization } from "../../../domain/Delegation.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import { DOMAIN_VERSION, type SigningDomain, type SweepOrder, TYPES } from "../../../domain/SweepOrder.ts"
import { Signatures } from "../../../ports/orchestrator/Signatures.ts"
import * as Keccak from "../codec/Keccak.ts"
import * as ViemSignatures from "./ViemSignatures.ts"

const keccak = Keccak.digits

type Recover = (signature: Uint8Array, yParity: number, hash: Uint8Array) => Uint8Array

const bytesOf = (digits: string): Uint8Array => Buffer.from(digits, "hex")
const digitsOf = (hex: Hex): string => hex.slice(2)

/** A 32-byte ABI word. */
const wordOf = (value: bigint | number): string => value.toString(16).padStart(64, "0")
const addressWordOf = (address: Address.Address): string => digitsOf(address).padStart(64, "0")

const typeText = (name: string, members: ReadonlyArray<{ readonly name: string; readonly type: string }>): Uint8Array =>
  Buffer.from(`${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`)

/** Fields of the domain (EIP-712, "Definition of domainSeparator"). */
const DOMAIN_MEMBERS = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" }
]

/** EIP-712 digest of orders, encoded by hand: every member is one word. */
const orderDigest = () => {
  const orderType = keccak(typeText("SweepOrder", TYPES.SweepOrder))
  const domainType = keccak(typeText("EIP712Domain", DOMAIN_MEMBERS))
  const version = keccak(Buffer.from(DOMAIN_VERSION))
  /** Domain separator up to the chain id. A deployment has one name. */
  let prefix: { readonly name: string; readonly words: string } | undefined

  const prefixOf = (name: string): string => {
    if (prefix?.name !== name) prefix = { name, words: domainType + keccak(Buffer.from(name)) + version }
    return prefix.words
  }

  return (order: SweepOrder, domain: SigningDomain): Hash => {
    const separator = keccak(bytesOf(prefixOf(domain.name) + wordOf(domain.chainId) + addressWordOf(order.owner)))
    const struct = keccak(
      bytesOf(
        orderType +
          addressWordOf(order.owner) +
          addressWordOf(order.tokenIn) +
          wordOf(order.amountIn) +
          wordOf(order.feeAmount) +
          addressWordOf(order.builder) +
          wordOf(order.builderFee) +
          addressWordOf(order.tokenOut) +
          wordOf(order.minAmountOut) +
          addressWordOf(order.destination) +
          addressWordOf(order.swapTarget) +
          keccak(bytesOf(digitsOf(order.swapCalldata))) +
          wordOf(order.deadline) +
          wordOf(order.nonce) +
          wordOf(order.destChainId)
      )
    )
    return `0x${keccak(bytesOf(`1901${separator}${struct}`))}`
  }
}

/** RLP of an integer: its shortest big-endian bytes. A byte below 128 has no prefix. */
const rlpInteger = (value: bigint): string => {
  if (value === 0n) return "80"
  const digits = value.toString(16)
  const bytes = digits.length % 2 === 0 ? digits : `0${digits}`
  return value < 0x80n ? bytes : (0x80 + bytes.length / 2).toString(16) + bytes
}

/** RLP prefix of a string of 20 bytes. */
const ADDRESS_PREFIX = "94"

/** keccak256(0x05 ‖ rlp([chainId, address, nonce])) (EIP-7702); the list is always shorter than 56 bytes. */
const authorizationBytes = ({ address, chainId, nonce }: Authorization): Uint8Array => {
  const items = rlpInteger(BigInt(chainId)) + ADDRESS_PREFIX + digitsOf(address) + rlpInteger(nonce)
  return bytesOf(`05${(0xc0 + items.length / 2).toString(16)}${items}`)
}

const make = (ecdsaRecover: Recover): Signatures["Service"] => {
  const digest = orderDigest()

  const signer = (hash: Uint8Array, { r, s, yParity }: ViemSignatures.Parts): Option.Option<Address.Address> => {
    try {
      const key = ecdsaRecover(bytesOf(digitsOf(r) + digitsOf(s)), yParity, hash)
      const digits = keccak(key.subarray(1)).slice(24)
      return Option.some(Address.checksummed(digits, keccak(Buffer.from(digits))))
    } catch {
      // `r` or `s` is not a scalar of the curve, or no key has such a signature.
      return Option.none()
    }
  }

  return {
    orderDigest: (order, domain) => Effect.sync(() => digest(order, domain)),
    recover: (hash, signature) =>
      Effect.sync(() =>
        Option.flatMap(ViemSignatures.parse(signature), (parts) => signer(bytesOf(digitsOf(hash)), parts))
      ),
    recoverAuthority: (authorization) =>
      Effect.sync(() =>
        ViemSignatures.hasLowS(authorization)
          ? signer(bytesOf(keccak(authorizationBytes(authorization))), authorization)
          : Option.none()
      )
  }
}

const native = Effect.gen(function* () {
  const { default: bindings } = yield* Effect.tryPromise(() => import("secp256k1/bindings.js"))
  return make((signature, yParity, hash) => bindings.ecdsaRecover(signature, yParity, hash, false))
})

/** Fails on platforms without the native library. */
export const layerNative = Layer.effect(Signatures, native)

/** The native implementation, or viem's on platforms without it. */
export const layer: Layer.Layer<Signatures> = layerNative.pipe(
  Layer.catch((error) =>
    ViemSignatures.layer.pipe(
      Layer.merge(
        Layer.effectDiscard(Effect.logWarning("signatures are recovered by viem, ten times slower", error.cause))
      )
    )
  )
)
