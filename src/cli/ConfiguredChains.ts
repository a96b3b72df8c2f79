/** The chains of the chains file, with the urls of their nodes. */
import { Effect, Option } from "effect"
import { chainOf } from "../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import { chains, ChainsConfig } from "../config/Chains.ts"
import { UsageError } from "./UsageError.ts"

/** Reads the chains file, whatever other settings of the chains are. */
export const chainsFile = Effect.flatMap(chains.chainsFile.config, ChainsFile.read)

/** Fails if DEFAULT_SOURCE_CHAIN is not among the chains. */
export const configuredChains = Effect.gen(function* () {
  const { chainsFile, defaultSourceChain, domainName } = yield* ChainsConfig
  const entries = yield* ChainsFile.read(chainsFile)
  if (Option.isSome(defaultSourceChain) && !entries.some(({ id }) => id === defaultSourceChain.value)) {
    return yield* new UsageError({
      detail: `DEFAULT_SOURCE_CHAIN: chain ${defaultSourceChain.value} is not in the chains file`
    })
  }
  return entries.map((entry) => ({
    chain: chainOf(entry, domainName),
    rpcUrls: entry.rpcUrls,
    broadcastUrls: entry.broadcastUrls,
    privateUrls: entry.privateUrls,
    publicAfterSeconds: entry.publicAfterSeconds,
    wsUrl: entry.wsUrl
  }))
})
