import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClientAddress from "../../../src/server/shared/ClientAddress.ts"

const key = (trustedProxyHops: number, forwardedFor?: string, peer?: string) =>
  ClientAddress.clientKey({ trustedProxyHops, forwardedFor, peer })

const octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Ipv4 = Schema.Tuple([octet, octet, octet, octet])
const segment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
// The first segment keeps clear of the IPv4-mapped range.
const Ipv6 = Schema.Tuple([
  Schema.Int.check(Schema.isBetween({ minimum: 0x2000, maximum: 0x3fff })),
  ...Array.from({ length: 7 }, () => segment)
])
const ipv4 = (octets: ReadonlyArray<number>) => octets.join(".")
const ipv6 = (segments: ReadonlyArray<number>) => segments.map((part) => part.toString(16)).join(":")

describe("ClientAddress", () => {
  it("counts hops from the right", () => {
    assert.strictEqual(key(1, "1.1.1.1, 2.2.2.2, 3.3.3.3"), "3.3.3.3")
    assert.strictEqual(key(2, "1.1.1.1, 2.2.2.2, 3.3.3.3"), "2.2.2.2")
    assert.strictEqual(key(3, "1.1.1.1,2.2.2.2,3.3.3.3"), "1.1.1.1")
  })

  it("uses the peer, and not the header, without proxies", () => {
    assert.strictEqual(key(0, "1.1.1.1", "9.9.9.9"), "9.9.9.9")
    assert.strictEqual(key(0, "1.1.1.1", undefined), ClientAddress.ANONYMOUS)
  })

  it.each([[undefined], [""], [" "], ["unknown"], ["1.1.1.1, "], ["1.1.1.256"], ["_hidden"], ["1.1.1.1, evil"]])(
    "puts %j into the anonymous bucket, whoever the peer is",
    (header) => {
      assert.strictEqual(key(1, header, "9.9.9.9"), ClientAddress.ANONYMOUS)
    }
  )

  it("puts a header that is too short into the anonymous bucket", () => {
    assert.strictEqual(key(2, "1.1.1.1"), ClientAddress.ANONYMOUS)
  })

  it("reads the notations of proxies", () => {
    assert.strictEqual(key(1, "1.2.3.4:5678"), "1.2.3.4")
    assert.strictEqual(key(1, "[2001:db8::1]"), "2001:db8::/64")
    assert.strictEqual(key(1, "[2001:db8::1]:443"), "2001:db8::/64")
    assert.strictEqual(key(1, "2001:DB8:0:0:1:2:3:4"), "2001:db8::/64")
    assert.strictEqual(key(1, "::ffff:1.2.3.4"), "1.2.3.4")
    assert.strictEqual(key(0, undefined, "::ffff:127.0.0.1"), "127.0.0.1")
  })

  it.prop("whatever the client writes to the left changes nothing", [Schema.String, Ipv4], ([written, octets]) => {
    assert.strictEqual(key(1, `${written}, ${ipv4(octets)}`), ipv4(octets))
  })

  it.prop("one key per IPv4 address, also when mapped into IPv6", [Ipv4, Ipv4], ([a, b]) => {
    assert.strictEqual(key(1, `::ffff:${ipv4(a)}`), ipv4(a))
    assert.strictEqual(key(1, ipv4(a)) === key(1, ipv4(b)), ipv4(a) === ipv4(b))
  })

  it.prop("one key per IPv6 /64", [Ipv6, Ipv6], ([a, b]) => {
    const neighbour = [...a.slice(0, 4), ...b.slice(4)]
    assert.strictEqual(key(1, ipv6(a)), key(1, ipv6(neighbour)))
    const sameNetwork = ipv6(a.slice(0, 4)) === ipv6(b.slice(0, 4))
    assert.strictEqual(key(1, ipv6(a)) === key(1, ipv6(b)), sameNetwork)
  })

  it.prop("never fails", [Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))], (input) => {
    const [header, hops] = input
    assert.isString(key(hops, header, header))
  })
})
