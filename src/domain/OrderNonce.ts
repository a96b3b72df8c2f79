/**
 * Order nonces. The guard stores one bit per nonce, 256 in a storage word. The first nonce in a word costs 17,100 gas
 * more, so the service issues consecutive nonces per owner and chain.
 */

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
