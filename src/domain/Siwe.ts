/** Sign-in messages (EIP-4361, "Sign-In with Ethereum") and the conditions for accepting them. */
import { Result } from "effect"
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"

/** Fields of a parsed message. */
export interface SiweMessage {
  /** URI scheme of the requesting origin. Absent if the message does not name it. */
  readonly scheme: string | undefined
  /** Authority of the requesting origin: its host and, if not the default, its port. */
  readonly domain: string
  readonly address: Address.Address
  readonly uri: string
  readonly version: string
  readonly chainId: ChainId
  readonly nonce: string
  readonly issuedAtMs: number
  readonly expirationMs: number | undefined
  readonly notBeforeMs: number | undefined
}

/** Conditions of this deployment. */
export interface SiwePolicy {
  /**
   * Origins of the dashboard, e.g. `https://dashboard.example.com`. The message's domain must be the host of one of
   * them.
   */
  readonly origins: ReadonlyArray<string>
  /** Further origins that the message's URI may name, such as the backend's own. */
  readonly resourceOrigins: ReadonlyArray<string>
  /** Maximum age of a message since its `issued-at`. */
  readonly lifetimeMillis: number
  /** Maximum difference of the wallet's clock. */
  readonly clockSkewMillis: number
}

export type SiweRefusal =
  | "domain"
  | "scheme"
  | "uri"
  | "version"
  | "issued_in_future"
  | "stale"
  | "expired"
  | "not_yet_valid"

const originOf = (uri: string): string | undefined => {
  const url = URL.parse(uri)
  return url === null || url.origin === "null" ? undefined : url.origin
}

/**
 * Checks a message except its nonce, its signature and its chain. Fails with the first field that is not acceptable. A key signs for
 * every chain alike, and domain, URI and nonce bind the message to this deployment, so the chain concerns contract wallets alone.
 */
export const accepts = (policy: SiwePolicy, message: SiweMessage, nowMs: number): Result.Result<void, SiweRefusal> => {
  const asking = policy.origins.filter((origin) => URL.parse(origin)?.host === message.domain.toLowerCase())
  if (asking.length === 0) return Result.fail("domain")
  if (message.scheme !== undefined && !asking.some((origin) => origin.startsWith(`${message.scheme}://`))) {
    return Result.fail("scheme")
  }
  const uriOrigin = originOf(message.uri)
  if (uriOrigin === undefined || ![...asking, ...policy.resourceOrigins].includes(uriOrigin)) return Result.fail("uri")
  if (message.version !== "1") return Result.fail("version")
  if (message.issuedAtMs > nowMs + policy.clockSkewMillis) return Result.fail("issued_in_future")
  if (message.issuedAtMs + policy.lifetimeMillis + policy.clockSkewMillis < nowMs) return Result.fail("stale")
  if (message.expirationMs !== undefined && message.expirationMs <= nowMs) return Result.fail("expired")
  if (message.notBeforeMs !== undefined && message.notBeforeMs > nowMs) return Result.fail("not_yet_valid")
  return Result.void
}

const HEADER = / wants you to sign in with your Ethereum account:$/

/**
 * True if an unparsable text is a sign-in message with an invalid nonce: absent, or not at least 8 alphanumeric
 * characters. Its sender is then asked to fetch a nonce.
 */
export const lacksNonce = (text: string): boolean => {
  const lines = text.split("\n")
  return HEADER.test(lines[0] ?? "") && !lines.some((line) => /^Nonce: [A-Za-z0-9]{8,}$/.test(line))
}
