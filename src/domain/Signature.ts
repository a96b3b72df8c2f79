/** ECDSA signatures of orders as wallets return them. */
import { type Hex, size } from "./Hex.ts"

/**
 * Sets the recovery byte of a signature to 27 or 28, the only values that `ecrecover` accepts; some hardware wallets
 * return 0 or 1. Other signatures, such as compact ones (EIP-2098), are returned unchanged.
 */
export const withRecoveryByte = (signature: Hex): Hex => {
  if (size(signature) !== 65) return signature
  const recovery = Number.parseInt(signature.slice(-2), 16)
  return recovery > 1 ? signature : `0x${signature.slice(2, -2)}${(recovery + 27).toString(16)}`
}
