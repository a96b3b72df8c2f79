/** ECDSA signatures of orders as wallets return them. */
import { type Hex, size } from "./Hex.ts"

/**
 * A signature in the form in which it is stored: in lower case, with 27 or 28 as recovery byte. These are the only values that `ecrecover`
 * accepts; some hardware wallets return 0 or 1. Other signatures, such as compact ones (EIP-2098), keep their bytes.
 */
export const normalized = (signature: Hex): Hex => {
  const digits = signature.slice(2).toLowerCase()
  const recovery = Number.parseInt(digits.slice(-2), 16)
  return size(signature) !== 65 || recovery > 1
    ? `0x${digits}`
    : `0x${digits.slice(0, -2)}${(recovery + 27).toString(16)}`
}

const WORD_DIGITS = 64

/**
 * Packs a signature of 65 bytes into 64: the parity takes the highest bit of `s` (EIP-2098). So it costs less calldata, and contracts
 * that accept both forms recover the same signer. A signature that cannot be packed is returned unchanged: one with a high `s`, or of
 * another length.
 */
export const compact = (signature: Hex): Hex => {
  const normal = normalized(signature)
  if (size(normal) !== 65) return signature
  const s = BigInt(`0x${normal.slice(2 + WORD_DIGITS, 2 + 2 * WORD_DIGITS)}`)
  const recovery = Number.parseInt(normal.slice(-2), 16)
  if (s >> 255n !== 0n || (recovery !== 27 && recovery !== 28)) return signature
  const packed = s | (BigInt(recovery - 27) << 255n)
  return `0x${normal.slice(2, 2 + WORD_DIGITS)}${packed.toString(16).padStart(WORD_DIGITS, "0")}`
}
