/**
 * Keccak-256 in WebAssembly: a batch's signed bytes are tens of kilobytes, on which it is ten times as fast as hashing in
 * JavaScript.
 */
import { createKeccak } from "hash-wasm"
import type { Hash, Hex } from "../../../domain/Hex.ts"

const hasher = await createKeccak(256)

/** Of bytes, as hex digits without prefix. */
export const digits = (bytes: Uint8Array): string => hasher.init().update(bytes).digest("hex")

/** The bytes that hex stands for. */
export const bytesOf = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), "hex")

export const hash = (bytes: Hex): Hash => `0x${digits(bytesOf(bytes))}`
