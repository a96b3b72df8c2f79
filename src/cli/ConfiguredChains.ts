/** The chains of the chains file, with the urls of their nodes. */
import { Effect } from "effect"
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import { ChainsConfig } from "../config/Chains.ts"

export const configuredChains = Effect.gen(function* () {
  const { chainsFile, domainName } = yield* ChainsConfig
  const entries = yield* ChainsFile.read(chainsFile)
  return entries.map((entry) => ({ chain: chainOf(entry, domainName), rpcUrls: entry.rpcUrls, wsUrl: entry.wsUrl }))
})
