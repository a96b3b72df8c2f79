/**
 * Typed data of the retained, unused allowance path: Permit2's `PermitWitnessTransferFrom` with the order as its witness
 * (https://github.com/Uniswap/permit2, PermitHash.sol). Pure.
 */
import type { SweepOrder } from "../domain/SweepOrder.ts"
import { TYPES } from "../domain/SweepOrder.ts"

/** Address of Permit2 on every chain that has it. */
export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"

/** Argument `witnessTypeString` of `permitWitnessTransferFrom`, from which Permit2 rebuilds the type. */
export const WITNESS_TYPE_STRING = `SweepOrder witness)SweepOrder(${TYPES.SweepOrder.map(({ name, type }) => `${type} ${name}`).join(",")})TokenPermissions(address token,uint256 amount)`

const PERMIT_TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" }
  ],
  PermitWitnessTransferFrom: [
    { name: "permitted", type: "TokenPermissions" },
    { name: "spender", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
    { name: "witness", type: "SweepOrder" }
  ],
  TokenPermissions: [
    { name: "token", type: "address" },
    { name: "amount", type: "uint256" }
  ],
  ...TYPES
} as const

/**
 * Builds the typed data. Token, amount, nonce and deadline are the order's.
 *
 * @param spender - router that pulls the tokens
 * @param chainId - source chain
 */
export const allowanceTypedData = <Order extends { readonly [Field in keyof SweepOrder]: string }>(
  order: Order,
  spender: string,
  chainId: number
) => ({
  domain: { name: "Permit2", chainId, verifyingContract: PERMIT2 },
  types: PERMIT_TYPES,
  primaryType: "PermitWitnessTransferFrom" as const,
  message: {
    permitted: { token: order.tokenIn, amount: order.amountIn },
    spender,
    nonce: order.nonce,
    deadline: order.deadline,
    witness: order
  }
})
