/** Tells public IP addresses of the internet from special-purpose and private ones. */
import { BlockList, isIP, isIPv6 } from "node:net"

/** Special-purpose IPv4 ranges (RFC 6890 and its updates) and multicast, which are not public. */
const SPECIAL_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
]

/** Special-purpose ranges within 2000::/3 (RFC 9637 among others), and ranges that embed IPv4 addresses (6to4, Teredo). */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const listOf = (subnets: ReadonlyArray<string>, type: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/")
    list.addSubnet(network, Number(prefix), type)
  }
  return list
}

const special4 = listOf(SPECIAL_V4, "ipv4")
const special6 = listOf(SPECIAL_V6, "ipv6")
/** All public IPv6 addresses. IPv4-mapped, NAT64, local, link-local and multicast addresses are outside of it. */
const global6 = listOf(["2000::/3"], "ipv6")

/** True for a public address. False for a text that is not an address. */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 0 || address.includes("%")) return false
  return isIPv6(address)
    ? global6.check(address, "ipv6") && !special6.check(address, "ipv6")
    : !special4.check(address, "ipv4")
}
