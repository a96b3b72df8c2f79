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

type Listed = Pick<Chain, "id" | "name" | "builderVault" | "formerVaults">

/** Vaults that every chain has. */
export const shared = (chains: ReadonlyArray<Listed>): ReadonlyArray<Address.Address> => {
  const [first, ...others] = chains.map(vaults)
  return (first ?? []).filter((vault) => others.every((own) => own.includes(vault)))
}

/**
 * Accounts that recent orders name as the vault of a chain, and that its settings do not name. A chain of the books that is not
 * listed is open by itself.
 */
export const foreign = (
  chains: ReadonlyArray<Listed>,
  recent: ReadonlyArray<{ readonly chainId: number; readonly vault: Address.Address }>
): ReadonlyArray<Open> =>
  chains.flatMap((chain) =>
    recent
      .filter(({ chainId, vault }) => chainId === chain.id && !vaults(chain).includes(vault))
      .map(({ vault }) =>
        stopping(
          `recent orders name the vault ${vault} on ${chain.name}, which CHAINS_FILE does not have there, so its payments were not read. ` +
            "Add it to formerVaults of the chain, and run this again"
        )
      )
  )

/**
 * Accounts that may be vaults which the chain's settings do not name: `strays` are fees that went to an account that is no vault and no
 * builder's, and `former` are accounts that settled orders name as the vault.
 */
export const unnamed = (
  { id, name }: Pick<Chain, "id" | "name">,
  strays: ReadonlyArray<SweepBooking>,
  former: ReadonlyArray<Address.Address>
): ReadonlyArray<Open> => {
  const fees = Map.groupBy(strays, ({ sweep }) => sweep.recipient)
  return [
    ...former.map((address) =>
      stopping(
        `settled orders name the vault ${address} on ${name}, which CHAINS_FILE does not have there, so its payments were not read. ` +
          "Add it to formerVaults of the chain, and run this again"
      )
    ),
    ...[...fees]
      .filter(([address]) => !former.includes(address))
      .map(([address, own]) =>
        stopping(
          `builder fees of ${own.length} sweeps on ${name} went to ${address}, which is no vault of CHAINS_FILE and no builder's payout ` +
            `address: ${own.map(({ sweep }) => sweep.sweepId).join(", ")}. If it was the vault, add it to formerVaults. If it is a builder's, ` +
            "let the builder sign up again with this payout address. Then run this again. If it is neither, accept the fees with " +
            `\`sweep reconcile accept --chain ${id} --reason …\``
        )
      )
  ]
}
