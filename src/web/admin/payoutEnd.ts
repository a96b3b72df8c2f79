/** Conclusion of a payout batch. */
import type { Hash } from "../../domain/Hex.ts"

/** Way in which a batch is concluded. */
export type Ending = "paid" | "failed"

/** Request that concludes a batch: as paid by a transaction, or as failed for a reason. */
export type PayoutEnd = { readonly txHash: Hash } | { readonly reason: string }

const HASH = /^0x[0-9a-fA-F]{64}$/

const isHash = (text: string): text is Hash => HASH.test(text)

/** The request for a text that the operator entered. Undefined if the text does not fit. The text never changes the kind of the request. */
export const payoutEnd = (ending: Ending, text: string): PayoutEnd | undefined => {
  if (ending === "paid") return isHash(text) ? { txHash: text } : undefined
  return text.trim() === "" ? undefined : { reason: text }
}
