/**
 * Bearer secrets that are stored only as their SHA-256: API keys and session tokens. A secret is 256 random bits, so its
 * plain hash cannot be inverted or guessed, and looking a hash up tells nothing by its timing about another secret.
 */
import { Redacted } from "effect"
import { bytesToHex, sha256, stringToBytes } from "viem"
import type { Hash } from "./Hex.ts"

/** Random bytes of a secret. */
export const SECRET_BYTES = 32

/** What keeps an API key apart from other secrets, for people and for secret scanners. */
const API_KEY_PREFIX = "swp_"
const API_KEY = /^swp_[0-9a-f]{64}$/
const SESSION_TOKEN = /^[0-9a-f]{64}$/

/** How much of a key is kept readable: enough to tell keys apart, 32 of 256 bits. */
const SHOWN = API_KEY_PREFIX.length + 8

const hexOf = (random: Uint8Array): string => bytesToHex(random).slice(2)

/** An API key of {@link SECRET_BYTES} random bytes. */
export const apiKey = (random: Uint8Array): Redacted.Redacted => Redacted.make(`${API_KEY_PREFIX}${hexOf(random)}`)

/** A session token of {@link SECRET_BYTES} random bytes. */
export const sessionToken = (random: Uint8Array): Redacted.Redacted => Redacted.make(hexOf(random))

export const isApiKey = (secret: Redacted.Redacted): boolean => API_KEY.test(Redacted.value(secret))

export const isSessionToken = (secret: Redacted.Redacted): boolean => SESSION_TOKEN.test(Redacted.value(secret))

/** What is stored in place of a secret. */
export const hash = (secret: Redacted.Redacted): Hash => sha256(stringToBytes(Redacted.value(secret)))

/** The beginning of an API key, by which its owner recognises it. */
export const displayPrefix = (key: Redacted.Redacted): string => Redacted.value(key).slice(0, SHOWN)
