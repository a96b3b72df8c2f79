import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { ANONYMOUS, clientKey } from "../../../src/server/shared/ClientAddress.ts"
import { ofKey } from "../../../src/server/shared/ClientNetwork.ts"

const networkOf = (peer: string) =>
  Option.getOrUndefined(ofKey(clientKey({ trustedProxyHops: 0, forwardedFor: undefined, peer })))

describe("the network of a client", () => {
  it("is the /24 of an IPv4 address and the /64 of an IPv6 address", () => {
    assert.strictEqual(networkOf("203.0.113.77"), "203.0.113.0/24")
    assert.strictEqual(networkOf("::ffff:203.0.113.77"), "203.0.113.0/24")
    assert.strictEqual(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64")
  })

  it("is unknown for an unknown address, this host and private networks", () => {
    assert.isTrue(Option.isNone(ofKey(ANONYMOUS)))
    const inside = ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "172.31.0.1", "169.254.1.1"]
    for (const peer of [...inside, "100.64.0.1", "fd00::1", "fe80::1"]) assert.isUndefined(networkOf(peer), peer)
    for (const peer of ["172.32.0.1", "100.128.0.1", "11.0.0.1"]) assert.isDefined(networkOf(peer), peer)
  })
})
