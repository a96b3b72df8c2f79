/**
 * The order that an owner signs: 14 fields, in this order on the wire, in the EIP-712 type and in the delegate's type
 * hash (spec, "SweepOrder" and "Order signing"). A change here requires a change of the contracts.
 */
import { Schema } from "effect"
import { hashStruct, hashTypedData, stringToBytes } from "viem"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import type { ChainId } from "./ChainId.ts"
import { type Hash, Hex } from "./Hex.ts"
import { described } from "./Described.ts"

export const SweepOrder = Schema.Struct({
  owner: described(Address.Address, "Account that sweeps: the signer of the order."),
  tokenIn: described(Address.Address, "Token that is swept, on the source chain."),
  amountIn: described(Uint256, "Exact amount pulled from the owner, in the smallest unit of tokenIn."),
  feeAmount: described(Uint256, "Protocol fee, in the smallest unit of tokenIn."),
  builder: described(
    Address.Address,
    "Address that receives builderFee. The zero address if no builder is attributed."
  ),
  builderFee: described(Uint256, "Markup of the builder, in the smallest unit of tokenIn."),
  tokenOut: described(Address.Address, "Token that the destination receives."),
  minAmountOut: described(
    Uint256,
    "Minimum amount delivered, in the smallest unit of tokenOut. 0 for cross-chain orders: the bridge call holds the minimum."
  ),
  destination: described(Address.Address, "Recipient on the destination chain."),
  swapTarget: described(Address.Address, "Router or bridge that the owner's account calls."),
  swapCalldata: described(Hex, "Call of swapTarget, ABI-encoded."),
  deadline: described(Uint256, "UNIX time in seconds after which the order cannot settle."),
  nonce: described(Uint256, "Nonce of the order. Each nonce of an owner settles once."),
  destChainId: described(Uint256, "Chain on which tokenOut arrives.")
}).annotate({
  identifier: "SweepOrder",
  description: "The EIP-712 message that the owner signs; uint256 values are decimal strings"
})

export type SweepOrder = typeof SweepOrder.Type

/** Domain name of the spec. A deployment may rename it in contracts and service together. */
export const DEFAULT_DOMAIN_NAME = "Service"

/** The delegates store the name and its length in one word. */
export const DomainName = Schema.String.check(
  Schema.makeFilter((name: string) => {
    const { length } = stringToBytes(name)
    return (length > 0 && length < 32) || "the EIP-712 domain name must have 1 to 31 bytes"
  })
).annotate({ identifier: "DomainName" })

export const DOMAIN_VERSION = "1"

/** EIP-712 type of the order, in signing order. */
export const TYPES = {
  SweepOrder: [
    { name: "owner", type: "address" },
    { name: "tokenIn", type: "address" },
    { name: "amountIn", type: "uint256" },
    { name: "feeAmount", type: "uint256" },
    { name: "builder", type: "address" },
    { name: "builderFee", type: "uint256" },
    { name: "tokenOut", type: "address" },
    { name: "minAmountOut", type: "uint256" },
    { name: "destination", type: "address" },
    { name: "swapTarget", type: "address" },
    { name: "swapCalldata", type: "bytes" },
    { name: "deadline", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "destChainId", type: "uint256" }
  ]
} as const

export interface SigningDomain {
  readonly name: string
  /** The source chain, where the sweep runs as the owner's account. */
  readonly chainId: ChainId
}

/** EIP-712 typed data that the owner signs. The verifying contract is the owner's own, delegated account. */
export const typedData = (order: SweepOrder, domain: SigningDomain) => ({
  domain: {
    name: domain.name,
    version: DOMAIN_VERSION,
    chainId: domain.chainId,
    verifyingContract: order.owner
  },
  types: TYPES,
  primaryType: "SweepOrder" as const,
  message: order
})

/** Signed digest: keccak256(0x1901 ‖ domain separator ‖ struct hash). */
export const digest = (order: SweepOrder, domain: SigningDomain): Hash => hashTypedData(typedData(order, domain))

/** EIP-712 struct hash, without the domain. */
export const structHash = (order: SweepOrder): Hash =>
  hashStruct({ types: TYPES, primaryType: "SweepOrder", data: order })

/** True if the output arrives on a chain other than the source chain. */
export const isCrossChain = (order: SweepOrder, sourceChainId: ChainId): boolean =>
  order.destChainId !== BigInt(sourceChainId)
