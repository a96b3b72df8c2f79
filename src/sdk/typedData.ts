/** The EIP-712 typed data of an order, made from the order and never taken over from the service. */
import type { Address, SweepOrder } from "./types.ts"

/** The domain name that the specification fixes; a deployment may have its own. */
export const DEFAULT_DOMAIN_NAME = "Service"

const DOMAIN_VERSION = "1"

/** The order's EIP-712 type, in signing order. */
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

export const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" }
] as const

/** As viem's and ethers's `signTypedData` take it. */
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

/** The verifying contract is the owner's own, delegated account; the chain is the one that the order runs on. */
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

/** The same as JSON, as `eth_signTypedData_v4` takes it: the domain's type is among the types, integers are strings. */
export const toJson = ({ message, types, ...rest }: OrderTypedData): string =>
  JSON.stringify({ ...rest, types: { EIP712Domain: DOMAIN_TYPE, ...types }, message }, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value
  )
