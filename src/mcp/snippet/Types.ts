/** Types of the generated module: the order, the responses of the service, the request and the signer. */
import { TYPES } from "../../domain/SweepOrder.ts"
import { literal } from "./Literal.ts"

const orderTypes = TYPES.SweepOrder.map(
  ({ name, type }) => `    { name: ${literal(name)}, type: ${literal(type)} }`
).join(",\n")

const orderFields = TYPES.SweepOrder.map(
  ({ name, type }) => `  ${name}: ${type === "uint256" ? "string" : "Hex"}`
).join("\n")

const uintFields = TYPES.SweepOrder.filter(({ type }) => type === "uint256")
  .map(({ name }) => `  | ${literal(name)}`)
  .join("\n")

export const DECLARATIONS = `\
/** EIP-712 type of an order. */
const ORDER_TYPES = {
  SweepOrder: [
${orderTypes}
  ]
} as const

/** EIP-712 types of a batch: orders on any chains, under one signature. */
const BATCH_TYPES = {
  SweepBatch: [{ name: "legs", type: "SweepLeg[]" }],
  SweepLeg: [
    { name: "chainId", type: "uint256" },
    { name: "order", type: "SweepOrder" }
  ],
  ...ORDER_TYPES
} as const

/** An order as JSON: every uint256 is a decimal string. */
interface SweepOrder {
${orderFields}
}

type UintField =
${uintFields}

/** An order as wallets take it. */
type OrderMessage = Omit<SweepOrder, UintField> & Record<UintField, bigint>

interface Quote {
  id: string
  crossChain: boolean
  expiresAtMs: number
  total: string
  settlementAddress: Hex
  sourceChainId: number
  estimatedAmountOut: string
  minAmountOut: string
  /** Arrives if a swap on arrival fails. Absent without one. */
  arrivesInsteadIfSwapFails?: { token: Hex; minAmount: string }
}

interface Quoted {
  quote: Quote
  order: SweepOrder
}

/** Response of POST /quote. Its typed data is not read: the module builds its own from the reviewed order. */
export interface Offer extends Quoted {
  signing: { authorization: AuthorizationRequest }
}

interface AuthorizationRequest {
  address: Hex
  chainId: number
  nonce: string
}

export interface SweepRequest {
  tokenIn: Hex
  /** In the smallest unit of tokenIn. */
  amountIn: bigint
  tokenOut: Hex
  /** Default: the owner. */
  destination?: Hex
  destChainId: number
  /** Chain of tokenIn. Default: SOURCE_CHAIN_ID. */
  sourceChainId?: number
  /** Least amount to accept, in the smallest unit of tokenOut. Default: 1. */
  minAmountOut?: bigint
  /** Route hint such as "base->optimism". Needed if tokenIn is on several chains. */
  route?: string
  /** User for the fee policy. Default: the owner. */
  userId?: string
}

/** A wallet that can sign both. viem's local accounts can. */
export interface Signer {
  address: Hex
  signTypedData: {
    (order: {
      domain: TypedDataDomain
      types: typeof ORDER_TYPES
      primaryType: "SweepOrder"
      message: OrderMessage
    }): Promise<Hex>
    (batch: {
      domain: TypedDataDomain
      types: typeof BATCH_TYPES
      primaryType: "SweepBatch"
      message: { legs: { chainId: bigint; order: OrderMessage }[] }
    }): Promise<Hex>
  }
  signAuthorization: (authorization: { address: Hex; chainId: number; nonce: number }) => Promise<{
    r: Hex
    s: Hex
    yParity?: number | undefined
  }>
}

/** Response of GET /intents/:id. */
export interface Intent {
  id: string
  status: "quoted" | "submitted" | "settled_source" | "delivered" | "failed"
  txHash?: Hex
  failureReason?: string
}
`
