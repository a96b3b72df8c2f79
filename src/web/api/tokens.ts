/** Tokens and chains of the deployment. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { DeploymentView, PublicChain } from "../../api/builder/DeploymentApi.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import { chainName } from "../lib/chainName.ts"
import { NATIVE } from "../lib/native.ts"
import { plainToken } from "../lib/plainText.ts"
import { deployment } from "./queries.ts"

export interface TokenBook {
  readonly chains: ReadonlyArray<PublicChain>
  readonly chain: (id: number | undefined) => PublicChain | undefined
  /** Display name of a chain. */
  readonly chainName: (id: number) => string
  /** The listed token of an address in any case. Without a chain, only if exactly one chain lists the address. */
  readonly token: (chainId: number | undefined, address: string) => TokenInfo | undefined
}

const listed = (chain: PublicChain): ReadonlyArray<TokenInfo> => [
  ...chain.tokens,
  { chainId: chain.id, address: NATIVE, symbol: chain.nativeSymbol, name: chain.nativeSymbol, decimals: 18 }
]

export const makeTokenBook = (view: DeploymentView | undefined): TokenBook => {
  const chains = view?.chains ?? []
  const byAddress = Map.groupBy(chains.flatMap(listed).map(plainToken), ({ address }) => address.toLowerCase())
  const chain = (id: number | undefined) => chains.find((each) => each.id === id)
  return {
    chains,
    chain,
    chainName: (id) => chainName(chain(id), id),
    token: (chainId, address) => {
      const found =
        byAddress.get(address.toLowerCase())?.filter((token) => chainId === undefined || token.chainId === chainId) ??
        []
      return found.length === 1 ? found[0] : undefined
    }
  }
}

export const useTokenBook = (): TokenBook => {
  const { data } = useQuery(deployment)
  return useMemo(() => makeTokenBook(data), [data])
}
