/**
 * Bearer secrets, of which only the SHA-256 is stored: API keys and session tokens. A secret is 256 random bits, so its
 * plain hash cannot be inverted or guessed, and the timing of a look-up by hash reveals nothing about other secrets.
 */
import { Redacted } from "effect"
import { bytesToHex, sha256, stringToBytes } from "viem"
import type { Hash } from "./Hex.ts"

/** Number of random bytes of a secret. */
export const SECRET_BYTES = 32

/** Prefix of API keys, by which people and secret scanners recognize them. */
const API_KEY_PREFIX = "swp_"
const API_KEY = /^swp_[0-9a-f]{64}$/
const SENT_API_KEY = /^[ -~]{1,256}$/
const SESSION_TOKEN = /^[0-9a-f]{64}$/

/** Number of readable characters of a key: enough to tell keys apart, 32 of 256 bits. */
const SHOWN = API_KEY_PREFIX.length + 8

const hexOf = (random: Uint8Array): string => bytesToHex(random).slice(2)

/** API key of {@link SECRET_BYTES} random bytes. */
export const apiKey = (random: Uint8Array): Redacted.Redacted => Redacted.make(`${API_KEY_PREFIX}${hexOf(random)}`)

/** Session token of {@link SECRET_BYTES} random bytes. */
export const sessionToken = (random: Uint8Array): Redacted.Redacted => Redacted.make(hexOf(random))

export const isApiKey = (secret: Redacted.Redacted): boolean => API_KEY.test(Redacted.value(secret))

/**
 * The API key that a client sent, without the white space around it. Undefined for text that no key has: a key is 1 to 256 printable ASCII
 * characters. Anybody can send such text, and a request with it in a header fails.
 */
export const sentApiKey = (text: string): Redacted.Redacted | undefined => {
  const key = text.trim()
  return SENT_API_KEY.test(key) ? Redacted.make(key) : undefined
}

export const isSessionToken = (secret: Redacted.Redacted): boolean => SESSION_TOKEN.test(Redacted.value(secret))

/** Stored form of a secret: its SHA-256. */
export const hash = (secret: Redacted.Redacted): Hash => sha256(stringToBytes(Redacted.value(secret)))

/** Readable beginning of an API key, by which its owner recognizes it. */
export const displayPrefix = (key: Redacted.Redacted): string => Redacted.value(key).slice(0, SHOWN)
