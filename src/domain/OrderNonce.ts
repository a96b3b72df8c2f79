/**
 * Order nonces. The upper 128 bits of a nonce are the lower 128 bits of its guard's address, so that no order runs under two
 * guards. Below them is an index. The guard stores one bit per nonce, 256 in a storage word. The first nonce in a word costs
 * 17,100 gas more, so the service issues consecutive indices per owner and chain.
 */
import type * as Address from "./Address.ts"

/** Number of bits of a nonce's index. */
const INDEX_BITS = 128n
const INDEX_MASK = (1n << INDEX_BITS) - 1n

/** Upper half of the nonces of a guard: the lower 128 bits of its address. */
export const guardPart = (guard: Address.Address): bigint => BigInt(guard) & INDEX_MASK

/** Upper half of a nonce: {@link guardPart} of its guard. 0 in orders of the first generation, which name no guard. */
export const guardPartOf = (nonce: bigint): bigint => nonce >> INDEX_BITS

/** The nonce with an index at a guard. */
export const bound = (guard: Address.Address, index: bigint): bigint => (guardPart(guard) << INDEX_BITS) | index

/** Lower half of a nonce. */
export const indexOf = (nonce: bigint): bigint => nonce & INDEX_MASK

/** Number of bits in one word of the guard's bitmap. */
export const BITS = 256n

/** Position of a nonce in the guard: the word of the owner's bitmap and the bit in it. */
export const position = (nonce: bigint): { readonly word: bigint; readonly mask: bigint } => ({
  word: nonce / BITS,
  mask: 1n << (nonce % BITS)
})

/** First nonce at or after `from` that is unused in the bitmap of its word, or the first nonce of the next word. */
export const firstUnused = (from: bigint, bitmap: bigint): bigint => {
  const end = (from / BITS + 1n) * BITS
  for (let nonce = from; nonce < end; nonce++) {
    if ((bitmap & position(nonce).mask) === 0n) return nonce
  }
  return end
}
