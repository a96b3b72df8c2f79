/**
 * Payment of a batch by one transaction of the vault's account: Permit2's batched `permitTransferFrom` with the vault
 * as owner and caller (Uniswap/permit2, `SignatureTransfer`). Its nonce follows from the batch, and Permit2 spends a
 * nonce once, so any number of versions of the payment can be signed and sent, and the chain executes at most one.
 */
import { Option, Schema } from "effect"
import {
  decodeFunctionData,
  encodeFunctionData,
  hexToBigInt,
  keccak256,
  parseAbi,
  parseTransaction,
  stringToHex
} from "viem"
import * as Address from "./Address.ts"
import { MAX_UINT256 } from "./Amount.ts"
import type { ChainId } from "./ChainId.ts"
import type { GasFees } from "./FeeBump.ts"
import { Hash, Hex } from "./Hex.ts"
import { described } from "./Described.ts"

/** Signed version of a batch's payment, stored before it is sent. */
export const PayoutPayment = Schema.Struct({
  txHash: described(Hash, "Hash of the signed transaction."),
  raw: described(Hex, "Signed transaction."),
  deadline: described(Schema.Int, "UNIX time in seconds after which the payment has no effect."),
  recordedAtMs: described(Schema.Int, "UNIX time in milliseconds when the payment was recorded.")
}).annotate({ identifier: "PayoutPayment" })
export type PayoutPayment = typeof PayoutPayment.Type

/** Fields of a batch that determine its payment. */
export interface Payable {
  readonly id: string
  readonly chainId: ChainId
  readonly token: Address.Address
  readonly lines: ReadonlyArray<{ readonly payoutAddress: Address.Address; readonly amount: bigint }>
}

/** The paying account and the contract that it pays through. */
export interface Payer {
  readonly vault: Address.Address
  readonly permit2: Address.Address
}

const permit2Abi = /* @__PURE__ */ parseAbi([
  "struct TokenPermissions { address token; uint256 amount; }",
  "struct PermitBatchTransferFrom { TokenPermissions[] permitted; uint256 nonce; uint256 deadline; }",
  "struct SignatureTransferDetails { address to; uint256 requestedAmount; }",
  "function permitTransferFrom(PermitBatchTransferFrom permit, SignatureTransferDetails[] transferDetails, address owner, bytes signature)",
  "function nonceBitmap(address owner, uint256 word) view returns (uint256)"
])

const PERMIT_TYPES = {
  PermitBatchTransferFrom: [
    { name: "permitted", type: "TokenPermissions[]" },
    { name: "spender", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" }
  ],
  TokenPermissions: [
    { name: "token", type: "address" },
    { name: "amount", type: "uint256" }
  ]
} as const

/** Permit2 nonce of the batch. Batch ids are random, so no other batch of any deployment has it. */
export const permitNonce = (batchId: string): bigint =>
  hexToBigInt(keccak256(stringToHex(`token sweep payout ${batchId}`)))

const permitted = ({ lines, token }: Payable) => lines.map(({ amount }) => ({ token, amount }))

/** Typed data (EIP-712) that the vault signs to let Permit2 move its tokens. `deadline` in UNIX seconds. */
export const permitTypedData = (batch: Payable, { permit2, vault }: Payer, deadline: bigint) => ({
  domain: { name: "Permit2", chainId: batch.chainId, verifyingContract: permit2 },
  types: PERMIT_TYPES,
  primaryType: "PermitBatchTransferFrom" as const,
  message: { permitted: permitted(batch), spender: vault, nonce: permitNonce(batch.id), deadline }
})

/** Call of Permit2 that pays every line. */
export const paymentData = (batch: Payable, vault: Address.Address, deadline: bigint, signature: Hex): Hex =>
  encodeFunctionData({
    abi: permit2Abi,
    functionName: "permitTransferFrom",
    args: [
      { permitted: permitted(batch), nonce: permitNonce(batch.id), deadline },
      batch.lines.map(({ amount, payoutAddress }) => ({ to: payoutAddress, requestedAmount: amount })),
      vault,
      signature
    ]
  })

/** Call that reads the bitmap word of the batch's nonce. {@link isSpent} decodes its result. */
export const spentData = (batchId: string, vault: Address.Address): Hex =>
  encodeFunctionData({ abi: permit2Abi, functionName: "nonceBitmap", args: [vault, permitNonce(batchId) >> 8n] })

/** True if the bit of the batch's nonce is set in its bitmap word. */
export const isSpent = (batchId: string, bitmap: bigint): boolean =>
  ((bitmap >> (permitNonce(batchId) & 0xffn)) & 1n) === 1n

/** Decoded fields of a signed payment. */
export interface SignedPayment {
  readonly txHash: Hash
  /** Transaction nonce of the account. */
  readonly nonce: bigint
  readonly gas: bigint
  readonly fees: GasFees
  /** UNIX seconds. */
  readonly deadline: bigint
}

const parsed = /* @__PURE__ */ Option.liftThrowable((raw: Hex) => parseTransaction(raw))

const permitOf = /* @__PURE__ */ Option.liftThrowable((data: Hex) => {
  const { args, functionName } = decodeFunctionData({ abi: permit2Abi, data })
  if (functionName !== "permitTransferFrom") throw new Error("another function")
  const [{ deadline }, , , signature] = args
  return { deadline, signature }
})

/**
 * Decodes a signed transaction that pays the batch; none if it does anything else. The caller must check that `payer`
 * signed it.
 */
export const readPayment = (batch: Payable, payer: Payer, raw: Hex): Option.Option<SignedPayment> =>
  Option.gen(function* () {
    const transaction = yield* parsed(raw)
    const { chainId, data, gas = 0n, maxFeePerGas, maxPriorityFeePerGas, nonce = 0, to, type, value = 0n } = transaction
    if (type !== "eip1559" || chainId !== batch.chainId || value !== 0n || maxFeePerGas === undefined) {
      return yield* Option.none()
    }
    if (typeof to !== "string" || Address.of(to) !== payer.permit2 || data === undefined) return yield* Option.none()
    const { deadline, signature } = yield* permitOf(data)
    if (paymentData(batch, payer.vault, deadline, signature) !== data.toLowerCase()) return yield* Option.none()
    const fees = { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n }
    return { txHash: keccak256(raw), nonce: BigInt(nonce), gas, fees, deadline }
  })

/**
 * Approvals of Permit2 that paying `total` needs: none, or one unlimited approval, which stays. Before it, one of zero
 * if there is an allowance already, since tokens like USDT allow no change from one amount to another.
 */
export const approvals = (allowance: bigint, total: bigint): ReadonlyArray<bigint> => {
  if (allowance >= total) return []
  return allowance === 0n ? [MAX_UINT256] : [0n, MAX_UINT256]
}
