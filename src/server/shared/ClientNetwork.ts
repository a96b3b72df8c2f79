/**
 * Network of a client, in which a single person has many addresses: /24 of IPv4, /64 of IPv6. Budgets count by it, and no address is
 * stored.
 */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ClientAddress from "./ClientAddress.ts"

/** Networks that are no client's: this host, private ones and those of link-local addresses (RFC 1918, 3927, 4193, 6598). */
const INTERNAL = [
  /^127\./,
  /^10\./,
  /^192\.168\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^169\.254\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^::\/64$/,
  /^f[cd]/,
  /^fe[89ab]/
]

/** The network of a rate limit key; none if the address is unknown or belongs to no client's network. */
export const ofKey = (key: string): Option.Option<string> => {
  if (key === ClientAddress.ANONYMOUS || INTERNAL.some((pattern) => pattern.test(key))) return Option.none()
  if (key.includes(":")) return Option.some(key)
  const [a, b, c] = key.split(".")
  return Option.some(`${a}.${b}.${c}.0/24`)
}

/** The network of a request's client, as `ClientAddress` identifies it. */
export const fromRequest = (
  request: HttpServerRequest.HttpServerRequest,
  trustedProxyHops: number
): Option.Option<string> => ofKey(ClientAddress.fromRequest(request, trustedProxyHops))
