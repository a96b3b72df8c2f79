/** What every part of the widget works with, once service and account are there. */
import { queryOptions, useQuery } from "@tanstack/react-query"
import { createContext, use } from "react"
import type { Intent, SweepClient } from "../../sdk/index.ts"
import type { SweepAccount } from "./account.ts"
import type { Catalog } from "./catalog.ts"
import type { Submissions } from "./submissions.ts"

export interface Session {
  readonly client: SweepClient
  readonly catalog: Catalog
  readonly account: SweepAccount
  /** The chain that the wallet is on; undefined where it does not matter. */
  readonly walletChain: number | undefined
  readonly isLocal: boolean
  readonly submissions: Submissions
  readonly apiKey: string | undefined
  readonly onDelivered: (intent: Intent) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = use(SessionContext)
  if (session === undefined) throw new Error("this part belongs into a SweepWidget")
  return session
}

/** Keys of queries about what the account runs begin with it. */
export const DELEGATION = "delegation"

const HOLDINGS_STALE_MILLIS = 30_000

export const holdings = ({ account, client }: Pick<Session, "account" | "client">) =>
  queryOptions({
    queryKey: ["holdings", account.address],
    queryFn: ({ signal }) => client.sweepable(account.address, { signal }),
    staleTime: HOLDINGS_STALE_MILLIS
  })

/** What the owner holds, and what of it is worth sweeping. */
export const useHoldings = () => useQuery(holdings(useSession()))
