/** The chains of the chains file, with the urls of their nodes. */
import { Effect, Option } from "effect"
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import { ChainsConfig } from "../config/Chains.ts"
import { UsageError } from "./UsageError.ts"

/** Fails if DEFAULT_SOURCE_CHAIN is not among the chains. */
export const configuredChains = Effect.gen(function* () {
  const { chainsFile, defaultSourceChain, domainName } = yield* ChainsConfig
  const entries = yield* ChainsFile.read(chainsFile)
  if (Option.isSome(defaultSourceChain) && !entries.some(({ id }) => id === defaultSourceChain.value)) {
    return yield* new UsageError({
      detail: `DEFAULT_SOURCE_CHAIN: chain ${defaultSourceChain.value} is not in the chains file`
    })
  }
  return entries.map((entry) => ({ chain: chainOf(entry, domainName), rpcUrls: entry.rpcUrls, wsUrl: entry.wsUrl }))
})
