/** Bytes as text: `0x` and two hexadecimal digits per byte. */
export type Hex = `0x${string}`
