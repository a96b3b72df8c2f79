/** Hook of an account's balances, for a page that draws them by itself. */
import { useCallback, useEffect, useState } from "react"
import type { Address, Portfolio, SweepableToken, SweepClient } from "../../../sdk/index.ts"

export interface PortfolioState {
  /** The balances, and which of them are worth sweeping. Earlier ones stay while they are read again. */
  readonly portfolio: Portfolio<SweepableToken> | undefined
  /** Error of the last attempt. Undefined after a success. */
  readonly error: unknown
  readonly isLoading: boolean
  /** Reads the balances again. Stable. */
  readonly reload: () => void
}

export interface UsePortfolioOptions {
  /**
   * At most 20 tokens to look for on every chain, beside those of the lists, such as the address that a user pasted. May be a new array at each
   * render. Default: none.
   */
  readonly tokens?: ReadonlyArray<Address>
}

interface Read extends Pick<PortfolioState, "portfolio" | "error"> {
  readonly client: SweepClient
  readonly owner: Address
  readonly attempt: number
  /** The tokens to look for, as one text. */
  readonly asked: string
}

/**
 * Reads the balances of an account on every served chain.
 *
 * @param client - must be a stable object
 * @param owner - undefined while no wallet is connected
 * @example
 * const { error, portfolio, reload } = usePortfolio(client, account?.address, { tokens: pasted })
 */
export const usePortfolio = (
  client: SweepClient,
  owner: Address | undefined,
  { tokens = [] }: UsePortfolioOptions = {}
): PortfolioState => {
  const asked = tokens.join()
  const [read, setRead] = useState<Read>()
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt((last) => last + 1), [])
  useEffect(() => {
    if (owner === undefined) return undefined
    const stop = new AbortController()
    const keep = (found: (last: Portfolio<SweepableToken> | undefined) => Pick<Read, "portfolio" | "error">) => {
      if (stop.signal.aborted) return
      setRead((last) => ({
        ...found(last?.client === client && last.owner === owner ? last.portfolio : undefined),
        client,
        owner,
        attempt,
        asked
      }))
    }
    const given = asked === "" ? [] : (asked.split(",") as ReadonlyArray<Address>)
    client.sweepable(owner, { signal: stop.signal, tokens: given }).then(
      (portfolio) => keep(() => ({ portfolio, error: undefined })),
      (error: unknown) => keep((portfolio) => ({ portfolio, error }))
    )
    return () => stop.abort()
  }, [client, owner, attempt, asked])
  const known = read?.client === client && read.owner === owner ? read : undefined
  return {
    portfolio: known?.portfolio,
    error: known?.error,
    isLoading: owner !== undefined && (known?.attempt !== attempt || known.asked !== asked),
    reload
  }
}
