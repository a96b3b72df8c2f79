/** EIP-712 typed data of an order, built from the order and never taken from the service. */
import type { Address } from "./Address.ts"
import { DEFAULT_DOMAIN_NAME } from "./DomainName.ts"
import type { SweepOrder, TypeMember } from "./Sweep.ts"

/** EIP-712 domain version of the specification. */
export const DOMAIN_VERSION = "1"

/** EIP-712 type of an order, in signing order. */
export const ORDER_TYPES = {
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

/** Type of the EIP-712 domain. */
export const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" }
] as const

/** Argument of `signTypedData` in viem; ethers takes its `domain`, `types` and `message`. */
export interface OrderTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Address
  }
  readonly types: typeof ORDER_TYPES
  readonly primaryType: "SweepOrder"
  readonly message: SweepOrder
}

/** Typed data of an order or a batch as a wallet gets it. `signTypedData` of viem and of ethers take it, or its members. */
export interface SignableTypedData {
  /** The domain of a batch has no chain. */
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId?: number
    readonly verifyingContract: Address
  }
  readonly types: Readonly<Record<string, Array<TypeMember>>>
  readonly primaryType: "SweepOrder" | "SweepBatch"
  readonly message: Readonly<Record<string, unknown>>
}

/** Typed data of an order or a batch. */
export interface AnyTypedData extends Pick<SignableTypedData, "domain" | "primaryType"> {
  readonly types: Readonly<Record<string, ReadonlyArray<TypeMember>>>
  readonly message: object
}

/** Makes a copy of typed data for a wallet, which may change what it gets. */
export const signable = (typedData: AnyTypedData): SignableTypedData => structuredClone(typedData as SignableTypedData)

/**
 * Builds the typed data of an order (EIP-712). The verifying contract is the owner's own account, which runs the delegate.
 *
 * @param sourceChainId - chain on which the order settles first
 * @example
 * const typedData = orderTypedData(order, 8453)
 * const signature = await account.signTypedData(typedData)
 */
export const orderTypedData = (
  order: SweepOrder,
  sourceChainId: number,
  domainName: string = DEFAULT_DOMAIN_NAME
): OrderTypedData => ({
  domain: { name: domainName, version: DOMAIN_VERSION, chainId: sourceChainId, verifyingContract: order.owner },
  types: ORDER_TYPES,
  primaryType: "SweepOrder",
  message: order
})

/** Returns the types with that of the domain, as wallets take them. The domain of a batch has no chain. */
export const withDomainType = (typedData: { readonly domain: object; readonly types: object }) => ({
  EIP712Domain: DOMAIN_TYPE.filter(({ name }) => name in typedData.domain),
  ...typedData.types
})

/**
 * Encodes typed data as the JSON that `eth_signTypedData_v4` takes: `EIP712Domain` is among the types, and integers are strings.
 *
 * @example
 * await provider.request({ method: "eth_signTypedData_v4", params: [owner, toJson(review.typedData)] })
 */
export const toJson = (typedData: AnyTypedData): string =>
  JSON.stringify({ ...typedData, types: withDomainType(typedData) }, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value
  )
