/** Fee recipient and asset of each chain, and whether the service may sell there. */
import { Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import type { TreasuryChain } from "../../domain/Treasury.ts"
import { type Signer, TreasuryKey } from "../../ports/orchestrator/TreasuryKey.ts"
import type { Alert } from "../../ports/shared/Alerts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** True if the fee recipient is the builders' vault, too: its balance is not the protocol's alone. */
const isVaultShared = ({ builderVault, feeRecipient }: Chain): boolean => builderVault === feeRecipient

/**
 * Makes `describe(chain)`, `signerOf(chain)` and `review`, which raises an alert for each chain whose fee recipient has another key or is
 * the builders' vault, and ends alerts about tokens that the service no longer sells. No signer exists for a vault.
 */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const chains = yield* Chains
  const key = yield* TreasuryKey
  const { assets } = (yield* OrchestratorSettings).treasury

  const signerOf = (chain: Chain): Option.Option<Signer> =>
    Option.filter(key, ({ address }) => address === chain.feeRecipient && !isVaultShared(chain))

  const describe = (chain: Chain): TreasuryChain => {
    const asset = assets.find(({ chainId }) => chainId === chain.id)?.token
    const keyed = Option.isNone(key) ? "no_key" : Option.isNone(signerOf(chain)) ? "other_key" : "on"
    return {
      chainId: chain.id,
      feeRecipient: chain.feeRecipient,
      ...(asset === undefined ? {} : { asset }),
      selling: asset === undefined ? "no_asset" : isVaultShared(chain) ? "shared_vault" : keyed
    }
  }

  const sells = ({ chainId, token }: Alert["details"]): boolean =>
    chains.all.some(({ chain }) => {
      const { asset, selling } = describe(chain)
      const isListed = chain.tokens.some(({ address }) => address === token)
      return chain.id === chainId && selling === "on" && isListed && token !== asset
    })

  const reviewTokens = alerts.clearWhere(({ details, kind }) => kind === "treasury_unsellable" && !sells(details))

  const reviewKeys = Effect.forEach(
    chains.all,
    ({ chain }) => {
      const alert = `treasury_key:${chain.id}`
      const other = Option.filter(key, () => describe(chain).selling === "other_key")
      return Option.match(other, {
        onNone: () => alerts.clear(alert),
        onSome: ({ address }) =>
          alerts.raise({
            key: alert,
            severity: "warning",
            kind: "treasury_key",
            message: `FEE_RECIPIENT_KEY or FEE_RECIPIENT_KMS_KEY is the key of ${address}, not of ${chain.feeRecipient}, which collects the fees on ${chain.name}, so they are not sold. Set the key of that account, or remove ${chain.name} from TREASURY_ASSETS.`,
            details: { chainId: chain.id, feeRecipient: chain.feeRecipient, keyAccount: address }
          })
      })
    },
    { discard: true }
  )

  const reviewVaults = Effect.forEach(
    chains.all,
    ({ chain }) => {
      const alert = `treasury_vault:${chain.id}`
      if (describe(chain).selling !== "shared_vault") return alerts.clear(alert)
      return alerts.raise({
        key: alert,
        severity: "warning",
        kind: "treasury_vault",
        message: `${chain.feeRecipient} collects the fees on ${chain.name} and is the builders' vault, too, so its fees are not sold. Remove ${chain.name} from TREASURY_ASSETS first. To sell its fees, set builderVault as docs/how-to/turn-fees-into-money.md says: what builders are owed is sold otherwise.`,
        details: { chainId: chain.id, feeRecipient: chain.feeRecipient }
      })
    },
    { discard: true }
  )

  return {
    describe,
    signerOf,
    review: Effect.all([reviewKeys, reviewVaults, reviewTokens], { discard: true }),
    hasKey: Option.isSome(key)
  }
})
