/** Reasons for which payments of a chain's vaults may be missing from a reconciliation. Each of them stops payouts. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Chain, vaults } from "../../domain/Chain.ts"
import type { SweepBooking } from "../../domain/LostSweeps.ts"
import type { ChainView } from "../../orchestrator/shared/ChainView.ts"
import type { Open } from "./Report.ts"

const stopping = (text: string): Open => ({ stopsPayouts: true, text })

/** Reasons for which a later look at the chain may show more payments. */
export const unsettled = Effect.fnUntraced(function* ({ client, confirmed }: ChainView, recordedAtMs: number) {
  const { chain } = client
  if (Option.isNone(confirmed) || Number(confirmed.value.timestamp) * 1000 < recordedAtMs) {
    return [stopping(`${chain.name} has no confirmed block from after the restore yet. Run this again in a moment`)]
  }
  const { number } = confirmed.value
  const found = yield* Effect.forEach(vaults(chain), (vault) =>
    Effect.map(
      Effect.all([client.transactionCount(vault, number), client.transactionCount(vault, "pending")]),
      ([used, pending]) =>
        pending > used
          ? [
              stopping(
                `the vault ${vault} has a transaction on ${chain.name} that is not confirmed. Run this again in a moment`
              )
            ]
          : []
    )
  )
  return found.flat()
})

/** Accounts that recent orders name as the vault of a chain, and that no chain's settings name. */
export const foreign = (
  chains: ReadonlyArray<Pick<Chain, "builderVault" | "formerVaults">>,
  recent: ReadonlyArray<Address.Address>
): ReadonlyArray<Open> => {
  const known = new Set(chains.flatMap(vaults))
  return recent
    .filter((address) => !known.has(address))
    .map((address) =>
      stopping(
        `recent orders name the vault ${address}, which CHAINS_FILE does not have, so its payments were not read. Add it to formerVaults ` +
          "of the chains that had it, and run this again"
      )
    )
}

/**
 * Accounts that may be vaults which the chain's settings do not name: `strays` are fees that went to an account that is no vault and no
 * builder's, and `former` are accounts that settled orders name as the vault.
 */
export const unnamed = (
  { name }: Pick<Chain, "name">,
  strays: ReadonlyArray<SweepBooking>,
  former: ReadonlyArray<Address.Address>
): ReadonlyArray<Open> => {
  const fees = Map.groupBy(strays, ({ sweep }) => sweep.recipient)
  return [
    ...former.map((address) =>
      stopping(
        `settled orders name the vault ${address} on ${name}, which CHAINS_FILE does not have, so its payments were not read. ` +
          "Add it to formerVaults, and run this again"
      )
    ),
    ...[...fees]
      .filter(([address]) => !former.includes(address))
      .map(([address, own]) =>
        stopping(
          `builder fees of ${own.length} sweeps on ${name} went to ${address}, which is no vault of CHAINS_FILE and no builder's payout ` +
            `address: ${own.map(({ sweep }) => sweep.sweepId).join(", ")}. If it was the vault, add it to formerVaults. If it is a builder's, ` +
            "let the builder sign up again with this payout address. Then run this again"
        )
      )
  ]
}
