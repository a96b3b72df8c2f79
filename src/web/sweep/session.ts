/** Service and account of the widget, for all of its parts. */
import { queryOptions, useQuery } from "@tanstack/react-query"
import { createContext, use } from "react"
import type { Address, Intent, Portfolio, SweepableToken, SweepClient } from "../../sdk/index.ts"
import { plainToken } from "../lib/plainText.ts"
import type { SweepAccount } from "./account.ts"
import type { Catalog } from "./catalog.ts"
import type { Submissions } from "./useSubmissions.ts"

export interface Session {
  readonly client: SweepClient
  readonly catalog: Catalog
  readonly account: SweepAccount
  /** The wallet's current chain. Undefined if it does not matter. */
  readonly walletChain: number | undefined
  readonly isLocal: boolean
  readonly submissions: Submissions
  readonly apiKey: string | undefined
  /** Name of the builder who takes a fee. */
  readonly builderName: string | undefined
  readonly onDelivered: (intent: Intent) => void
  /** Delegates by chain id that the review accepts. A chain without one has only that of the service. */
  readonly delegates: Readonly<Record<number, Address>>
}

export const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = use(SessionContext)
  if (session === undefined) throw new Error("this part belongs into a SweepWidget")
  return session
}

/** First element of the keys of queries about delegations. */
export const DELEGATION = "delegation"

const HOLDINGS_STALE_MILLIS = 30_000

/** The owner's tokens. `asked` are looked for beside the listed ones. */
export const holdings = (
  { account, client }: Pick<Session, "account"> & { readonly client: Pick<SweepClient, "sweepable"> },
  asked: ReadonlyArray<Address> = []
) =>
  queryOptions({
    queryKey: ["holdings", account.address, ...asked],
    queryFn: async ({ signal }) => {
      const found = await client.sweepable(account.address, { signal, tokens: asked })
      return { ...found, tokens: found.tokens.map(plainToken) }
    },
    staleTime: HOLDINGS_STALE_MILLIS
  })

/**
 * True if tokens of a chain are missing, or are not worth sweeping only because their price is missing. Tokens that no list has may never
 * have a price.
 */
export const isIncomplete = ({ tokens, unavailableChains }: Portfolio<SweepableToken>): boolean =>
  unavailableChains !== undefined ||
  tokens.some(({ reason, standing }) => reason === "no_price" && standing === undefined)

/** The owner's tokens, and which of them are worth sweeping. */
export const useHoldings = () => useQuery(holdings(useSession()))
