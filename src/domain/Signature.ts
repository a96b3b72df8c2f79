/** ECDSA signatures of orders as wallets return them. */
import { type Hex, size } from "./Hex.ts"

/**
 * The signature with a recovery byte of 27 or 28, which is all that `ecrecover` takes: some hardware wallets return 0 or 1
 * there. Anything else is left as it is, compact (EIP-2098) signatures included.
 */
export const withRecoveryByte = (signature: Hex): Hex => {
  if (size(signature) !== 65) return signature
  const recovery = Number.parseInt(signature.slice(-2), 16)
  return recovery > 1 ? signature : `0x${signature.slice(2, -2)}${(recovery + 27).toString(16)}`
}
