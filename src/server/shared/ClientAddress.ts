/**
 * Identifies the client of a request for rate limits. Each proxy appends the address that it saw to `X-Forwarded-For`, so only
 * the entries of trusted proxies, on the right, are reliable. The client can write anything to their left.
 */
import { Effect, Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { ServerSettings } from "./ServerSettings.ts"

/** Bucket of all clients with unknown addresses. */
export const ANONYMOUS = "anonymous"

/** An IPv6 client has at least a /64, so a single address does not identify it. */
const IPV6_PREFIX = 64

/** A /48 is what a customer of a provider commonly has, with 65,536 of the networks that are clients. */
const IPV6_SITE_PREFIX = 48

/** An address as proxies write it: `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:567`. */
const parse = (text: string): Option.Option<NetAddress.IpAddress> => {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text
  const address = Result.orElse(NetAddress.ipFromString(bare), () =>
    Result.map(NetAddress.inetAddressFromString(text), (inet) => inet.address)
  )
  return Option.map(Result.getSuccess(address), (ip) => NetAddress.toCanonical(ip))
}

/** One key per IPv4 address (also when mapped into IPv6) and per IPv6 /64; none if `text` is not an address. */
export const addressKey = (text: string): Option.Option<string> =>
  Option.map(parse(text.trim()), (address) =>
    NetAddress.isIpv4Address(address)
      ? NetAddress.formatIp(address)
      : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, IPV6_PREFIX))
  )

/** Key of the IPv6 /48 that contains the client of a key; none for other clients. */
export const siteKey = (key: string): Option.Option<string> =>
  key.includes(":")
    ? Option.map(parse(key.split("/")[0] ?? ""), (address) =>
        IpNetwork.format(IpNetwork.fromAddressUnsafe(address, IPV6_SITE_PREFIX))
      )
    : Option.none()

/**
 * Rate limit key of a request: the entry of `X-Forwarded-For` that is `trustedProxyHops` from the right, or the socket's peer
 * for 0 hops. If the header is absent, too short or malformed there, the key is {@link ANONYMOUS}: the peer is then a proxy
 * that all clients share.
 */
export const clientKey = (options: {
  readonly trustedProxyHops: number
  readonly forwardedFor: string | undefined
  readonly peer: string | undefined
}): string => {
  const { forwardedFor, peer, trustedProxyHops } = options
  const claimed = trustedProxyHops === 0 ? peer : forwardedFor?.split(",").at(-trustedProxyHops)
  return Option.getOrElse(addressKey(claimed ?? ""), () => ANONYMOUS)
}

export const fromRequest = (request: HttpServerRequest.HttpServerRequest, trustedProxyHops: number): string =>
  clientKey({
    trustedProxyHops,
    forwardedFor: request.headers["x-forwarded-for"],
    // Reading the socket is slow, and behind a proxy its peer is the proxy.
    peer: trustedProxyHops === 0 ? Option.getOrUndefined(request.remoteAddress) : undefined
  })

/**
 * Key under which wrong tokens of a request are counted: that of {@link fromRequest}, except for a request that no proxy forwarded. Its key
 * is then the address of its peer, because a bucket that all internal callers share would let one of them lock out the others. The prefix
 * keeps a forged header from reaching the key of a peer.
 */
export const guesserKey = (request: HttpServerRequest.HttpServerRequest, trustedProxyHops: number): string => {
  const key = fromRequest(request, trustedProxyHops)
  if (trustedProxyHops === 0 || key !== ANONYMOUS) return key
  return Option.match(request.remoteAddress, {
    onNone: () => ANONYMOUS,
    onSome: (peer) => `peer:${Option.match(parse(peer), { onNone: () => peer, onSome: NetAddress.formatIp })}`
  })
}

/**
 * Makes `warn(request)`, which logs a warning for the first request with an `X-Forwarded-For` that no setting trusts: either a
 * client tries to disguise itself, or all clients come through a proxy and share one limit.
 */
export const makeWarning = Effect.map(ServerSettings, ({ trustedProxyHops }) => {
  let warned = trustedProxyHops > 0
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.suspend(() => {
      if (warned || request.headers["x-forwarded-for"] === undefined) return Effect.void
      warned = true
      return Effect.logWarning(
        "a request has the header X-Forwarded-For, which is ignored while TRUSTED_PROXY_HOPS is 0: rate limits count the " +
          "address of the connection. If the service runs behind proxies, set TRUSTED_PROXY_HOPS to their number"
      )
    })
})
