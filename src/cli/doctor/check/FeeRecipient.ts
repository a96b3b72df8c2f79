/** Checks the fee recipient and the builders' vault of each chain, and the treasury's key. */
import { Effect, Option } from "effect"
import { orchestrator } from "../../../config/Orchestrator.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import * as FeeRecipient from "../../../domain/doctor/FeeRecipient.ts"
import type { Check, Deployment, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
import { accountsOf, unusable } from "../NamedKeys.ts"
import { orNotChecked } from "../NotChecked.ts"
import { isSanctioned } from "../Oracle.ts"
import { addressesOf } from "./Contracts.ts"

/** Longest wait for the code of the accounts of a chain. */
const LIMIT = "20 seconds"

/** Contracts and tokens of the chain. No account of fees may be one of them. */
const contractsOf = (served: Served) => {
  const { contracts, earlierContracts = [], tokens } = served.client.chain
  return [
    ...addressesOf(served),
    ...[contracts, ...earlierContracts].flatMap((own) =>
      Object.entries(own).map(([field, address]) => ({ field: `the contract ${field}`, address }))
    ),
    ...tokens.map(({ address, symbol }) => ({ field: `the token ${symbol}`, address }))
  ]
}

const judged = Effect.fnUntraced(function* (
  served: Served,
  lanes: ReadonlyArray<string>,
  keyAccount: string | undefined,
  withAsset: ReadonlySet<ChainId>
) {
  const { client } = served
  const { builderVault, feeRecipient, id, name } = client.chain
  const [code, sanctioned, vaultSanctioned] = yield* Effect.all(
    [client.code(feeRecipient), isSanctioned(client, feeRecipient), isSanctioned(client, builderVault)],
    { concurrency: 3 }
  )
  return FeeRecipient.judge({
    chain: name,
    address: feeRecipient,
    vault: builderVault,
    hasAsset: withAsset.has(id),
    code,
    lanes,
    contracts: contractsOf(served),
    keyAccount,
    isSanctioned: Option.getOrUndefined(sanctioned),
    isVaultSanctioned: Option.getOrUndefined(vaultSanctioned)
  })
})

/** Code of the accounts of fees of a chain. None without an answer, which is a finding of the chain already. */
const accountsOfFees = ({ client }: Served) => {
  const { builderVault, feeRecipient, name } = client.chain
  return Effect.forEach([feeRecipient, builderVault], (address) =>
    Effect.map(client.code(address), (code): FeeRecipient.FeeAccount => ({ chain: name, address, code }))
  ).pipe(
    Effect.timeoutOption(LIMIT),
    Effect.map(Option.getOrElse((): ReadonlyArray<FeeRecipient.FeeAccount> => [])),
    Effect.orElseSucceed((): ReadonlyArray<FeeRecipient.FeeAccount> => [])
  )
}

const judgedAcross = (all: ReadonlyArray<Served>) =>
  Effect.map(Effect.forEach(all, accountsOfFees, { concurrency: "unbounded" }), (found) =>
    FeeRecipient.judgeAcross(found.flat())
  )

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
      Effect.map(
        Effect.all([eachChain(all, (one) => judged(one, accounts, keyAccount, withAsset)), judgedAcross(all)], {
          concurrency: 2
        }),
        (parts) => parts.flat()
      )
    )
    return [...unusable(keys), ...(yield* orNotChecked(name, judgedOnChains))]
  })
}
