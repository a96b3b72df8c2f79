/** Checks the fee recipient of each chain, and the treasury's key for it. */
import { Effect, Option } from "effect"
import { orchestrator } from "../../../config/Orchestrator.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import * as FeeRecipient from "../../../domain/doctor/FeeRecipient.ts"
import type { Check, Deployment, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
import { accountsOf, unusable } from "../NamedKeys.ts"
import { orNotChecked } from "../NotChecked.ts"
import { isSanctioned } from "../Oracle.ts"

const judged = Effect.fnUntraced(function* (
  { client }: Served,
  lanes: ReadonlyArray<string>,
  keyAccount: string | undefined,
  withAsset: ReadonlySet<ChainId>
) {
  const { builderVault, feeRecipient, id, name } = client.chain
  const [code, sanctioned] = yield* Effect.all([client.code(feeRecipient), isSanctioned(client, feeRecipient)], {
    concurrency: 2
  })
  return FeeRecipient.judge({
    chain: name,
    address: feeRecipient,
    vault: builderVault,
    hasAsset: withAsset.has(id),
    code,
    lanes,
    keyAccount,
    isSanctioned: Option.getOrUndefined(sanctioned)
  })
})

const name = "fee recipient"

export const feeRecipient: Check = {
  name,
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* ({ feeRecipientKey, lanes, served }: Deployment) {
    // Wrong keys and assets are findings of the checks of settings and lanes.
    const accounts = accountsOf(yield* Effect.orElseSucceed(lanes, () => []))
    const keys = Option.toArray(yield* feeRecipientKey)
    const [keyAccount] = accountsOf(keys)
    const assets = yield* Effect.orElseSucceed(orchestrator.treasuryAssets.config, () => [])
    const withAsset = new Set(assets.map(({ chainId }) => chainId))
    const judgedOnChains = Effect.flatMap(served, (all) =>
      eachChain(all, (one) => judged(one, accounts, keyAccount, withAsset))
    )
    return [...unusable(keys), ...(yield* orNotChecked(name, judgedOnChains))]
  })
}
