/** Checks chains that settings name by their ids. */
import { Effect } from "effect"
import { orchestrator } from "../config/Orchestrator.ts"
import type { ChainId } from "../domain/ChainId.ts"
import { chainsFile } from "./ConfiguredChains.ts"
import { UsageError } from "./UsageError.ts"

const { pausedChains, treasuryAssets } = orchestrator

/** Fails if TREASURY_ASSETS names two tokens for a chain, since the fees of a chain are sold into one. */
export const oneAssetPerChain = Effect.gen(function* () {
  const ids = (yield* treasuryAssets.config).map(({ chainId }) => chainId)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice === undefined) return
  return yield* new UsageError({
    detail: `${treasuryAssets.name} names chain ${twice} twice. Name one token for each chain`
  })
})

/** A chain that a setting names and the chains file lacks. */
export interface Unserved {
  readonly setting: string
  readonly chainId: ChainId
}

/** Entries of settings that have no effect, since the chains file lacks their chain. */
export const unserved = Effect.gen(function* () {
  const served = new Set<number>((yield* chainsFile).map(({ id }) => id))
  const named = [
    ...(yield* pausedChains.config).map((chainId) => ({ setting: pausedChains.name, chainId })),
    ...(yield* treasuryAssets.config).map(({ chainId }) => ({ setting: treasuryAssets.name, chainId }))
  ]
  return named.filter(({ chainId }): boolean => !served.has(chainId)) satisfies ReadonlyArray<Unserved>
})

/** Logs a warning for each of {@link unserved}. */
export const hints = Effect.gen(function* () {
  for (const { chainId, setting } of yield* unserved) {
    yield* Effect.annotateLogs(Effect.logWarning("settings.chain_unserved"), {
      setting,
      chainId,
      detail: "the chains file lacks the chain, so the entry has no effect: correct the id, or remove it"
    })
  }
})
