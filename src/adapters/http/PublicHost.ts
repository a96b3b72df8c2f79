/** Tells if the host of a URL is public. */
import * as Dns from "node:dns"
import { isIP } from "node:net"
import { Effect } from "effect"
import { isPublic } from "./PublicAddress.ts"

/** Time limit of a look-up in milliseconds. */
const LIMIT = 800

const addressesOf = (hostname: string): Effect.Effect<ReadonlyArray<string>> =>
  isIP(hostname) === 0
    ? Effect.tryPromise(() => Dns.promises.lookup(hostname, { all: true })).pipe(
        Effect.map((found) => found.map(({ address }) => address)),
        Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.succeed([]) }),
        Effect.orElseSucceed(() => [])
      )
    : Effect.succeed([hostname])

/** True if the host has an address, and all its addresses are public. */
export const isPublicHost = (url: string): Effect.Effect<boolean> =>
  Effect.map(
    addressesOf(new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")),
    (addresses) => addresses.length > 0 && addresses.every(isPublic)
  )
