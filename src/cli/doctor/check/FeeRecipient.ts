/** Checks the fee recipient of each chain, and the treasury's key for it. */
import { Effect, Option } from "effect"
import * as FeeRecipient from "../../../domain/doctor/FeeRecipient.ts"
import type { Check, Deployment, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
import { accountsOf, unusable } from "../NamedKeys.ts"
import { orNotChecked } from "../NotChecked.ts"
import { isSanctioned } from "../Oracle.ts"

const judged = Effect.fnUntraced(function* (
  { client }: Served,
  lanes: ReadonlyArray<string>,
  keyAccount: string | undefined
) {
  const { feeRecipient, name } = client.chain
  const [code, sanctioned] = yield* Effect.all([client.code(feeRecipient), isSanctioned(client, feeRecipient)], {
    concurrency: 2
  })
  return FeeRecipient.judge({
    chain: name,
    address: feeRecipient,
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
    // Wrong keys are findings of the checks of settings and lanes.
    const accounts = accountsOf(yield* Effect.orElseSucceed(lanes, () => []))
    const keys = Option.toArray(yield* feeRecipientKey)
    const [keyAccount] = accountsOf(keys)
    const judgedOnChains = Effect.flatMap(served, (all) => eachChain(all, (one) => judged(one, accounts, keyAccount)))
    return [...unusable(keys), ...(yield* orNotChecked(name, judgedOnChains))]
  })
}
