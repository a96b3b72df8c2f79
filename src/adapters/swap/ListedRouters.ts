/**
 * Knows which routers the guard of a chain lists. A sweep through any other contract would revert. Remembered for some minutes, because
 * the list changes rarely, and a rehearsal would still find out.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as SwapTargets from "../evm/contracts/SwapTargets.ts"

/** Age at which the list is read again, beside a quote. */
export const REFRESH_MILLIS = 60_000

/** Age at which it is no longer used, as while the chain does not answer. */
export const LIFETIME_MILLIS = 900_000

/** Time limit of a read that a quote waits for, in milliseconds. */
const LIMIT_MILLIS = 1_500

/** Router of a named venue. */
export interface Declared {
  readonly venue: string
  readonly router: Address.Address
}

interface Known {
  readonly isListed: boolean
  /** UNIX milliseconds before the read. */
  readonly atMillis: number
}

const guardOf = ({ contracts, id }: Chain): string => `${id} ${contracts.guard}`

/** Routers among declared ones. */
export interface Listing {
  /** Routers that sweeps may call. */
  readonly usable: Set<Address.Address>
  /** Routers of which nothing is known, since the list cannot be read. */
  readonly unknown: Set<Address.Address>
}

/** Makes `listingOf(client, declared)`, which tells the routers that the list has, and those of which it could not be read. */
export const makeListing = () => {
  const known = new Map<string, Known>()
  const refreshing = new Set<string>()
  const told = new Set<string>()
  /** Guards whose list could not be read at the last attempt. */
  const unread = new Set<string>()

  const keyOf = ({ chain }: ChainClient, router: Address.Address) => `${guardOf(chain)} ${router}`

  /** Once for each venue, until its router is listed. */
  const tell = (client: ChainClient, { router, venue }: Declared, isListed: boolean) => {
    const key = `${keyOf(client, router)} ${venue}`
    if (isListed) return Effect.sync(() => void told.delete(key))
    if (told.has(key)) return Effect.void
    told.add(key)
    return Effect.annotateLogs(Effect.logWarning("venue.unlisted"), {
      venue,
      router,
      chain: client.chain.name,
      chainId: client.chain.id,
      guard: client.chain.contracts.guard
    })
  }

  /** Once for each guard, until its list is read. */
  const tellUnread = ({ chain }: ChainClient, detail: string) => {
    const key = guardOf(chain)
    if (unread.has(key)) return Effect.void
    unread.add(key)
    return Effect.annotateLogs(Effect.logWarning("venue.list_unread"), { chainId: chain.id, detail })
  }

  const refresh = (client: ChainClient, declared: ReadonlyArray<Declared>) =>
    Effect.gen(function* () {
      const atMillis = yield* Clock.currentTimeMillis
      const routers = [...new Set(declared.map(({ router }) => router))]
      const listings = yield* SwapTargets.read(client, routers)
      unread.delete(guardOf(client.chain))
      for (const { address, kind } of listings)
        known.set(keyOf(client, address), { isListed: kind === "router", atMillis })
      yield* Effect.forEach(
        declared,
        (each) => tell(client, each, known.get(keyOf(client, each.router))?.isListed === true),
        { discard: true }
      )
    }).pipe(Effect.catchTag("ChainUnavailable", ({ message }) => tellUnread(client, message)))

  return Effect.fnUntraced(function* (
    client: ChainClient,
    declared: ReadonlyArray<Declared>
  ): Effect.fn.Return<Listing> {
    const now = yield* Clock.currentTimeMillis
    const ages = declared.map(({ router }) => now - (known.get(keyOf(client, router))?.atMillis ?? -Infinity))
    const oldest = Math.max(-Infinity, ...ages)
    const chainKey = keyOf(client, client.chain.contracts.guard)
    if (oldest >= LIFETIME_MILLIS) yield* within(LIMIT_MILLIS)(refresh(client, declared))
    else if (oldest >= REFRESH_MILLIS && !refreshing.has(chainKey)) {
      refreshing.add(chainKey)
      yield* Effect.forkDetach(
        Effect.ensuring(
          refresh(client, declared),
          Effect.sync(() => refreshing.delete(chainKey))
        )
      )
    }
    const [usable, unknown] = [new Set<Address.Address>(), new Set<Address.Address>()]
    for (const { router } of declared) {
      const fact = known.get(keyOf(client, router))
      if (fact === undefined || now - fact.atMillis >= LIFETIME_MILLIS) unknown.add(router)
      else if (fact.isListed) usable.add(router)
    }
    return { usable, unknown }
  })
}

/** Makes `of(client, declared)`, for callers to which an unknown router is like one that is not listed. */
export const make = () => {
  const listingOf = makeListing()
  return {
    /** The routers among the declared ones that sweeps may call. Empty while the list cannot be read. */
    of: (client: ChainClient, declared: ReadonlyArray<Declared>) =>
      Effect.map(listingOf(client, declared), ({ usable }) => usable)
  }
}
