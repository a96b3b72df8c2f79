/** Checks the fee recipient of each chain, and the treasury's key for it. */
import { Effect, Option } from "effect"
import * as FeeRecipient from "../../../domain/doctor/FeeRecipient.ts"
import type { Check, Deployment, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
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

export const feeRecipient: Check = {
  name: "fee recipient",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* ({ feeRecipientAccount, lanes, served }: Deployment) {
    // Wrong keys are findings of the check of settings.
    const accounts = yield* Effect.orElseSucceed(lanes, () => [])
    const keyAccount = Option.getOrUndefined(yield* feeRecipientAccount)
    return yield* eachChain(yield* served, (one) => judged(one, accounts, keyAccount))
  })
}
