/**
 * Order nonces. The guard keeps one bit per nonce, 256 to a storage word; a fresh word costs 17,100 gas more than a used
 * one, so the service issues consecutive nonces per owner and chain.
 */

/** Bits in one word of the guard's bitmap. */
export const BITS = 256n

/** Where the guard keeps the nonce: `word` of the owner's bitmap, and the bit in it. */
export const position = (nonce: bigint): { readonly word: bigint; readonly mask: bigint } => ({
  word: nonce / BITS,
  mask: 1n << (nonce % BITS)
})

/** The first nonce at or after `from` that is unused in `word`'s bitmap, or the first of the next word. */
export const firstUnused = (from: bigint, bitmap: bigint): bigint => {
  const end = (from / BITS + 1n) * BITS
  for (let nonce = from; nonce < end; nonce++) {
    if ((bitmap & position(nonce).mask) === 0n) return nonce
  }
  return end
}
