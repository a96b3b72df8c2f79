/** Which IP addresses belong to the internet, and to no network of our own or of the host we run on. */
import { BlockList, isIP, isIPv6 } from "node:net"

/** What the registries of special-purpose addresses (RFC 6890 and its updates) keep out of the internet, and multicast. */
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

/** Within 2000::/3, what is special (RFC 9637 among others), or stands for an IPv4 address (6to4, Teredo). */
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
/** All of the IPv6 internet. IPv4-mapped, NAT64, local, link-local and multicast addresses lie outside. */
const global6 = listOf(["2000::/3"], "ipv6")

/** Whether the address is one of the internet; what is no address is not. */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 0 || address.includes("%")) return false
  return isIPv6(address)
    ? global6.check(address, "ipv6") && !special6.check(address, "ipv6")
    : !special4.check(address, "ipv4")
}
