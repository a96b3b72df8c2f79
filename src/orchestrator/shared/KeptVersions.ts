/**
 * The alert about lanes with a transaction that waits for a lower price of gas, since higher fees are not covered or exceed the chain's
 * `maxFeePerGasWei`. A lane has one alert, also while several of its transactions wait, and others of it are mined meanwhile.
 */
import { Context, Effect, Layer } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import type { Attempt, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { FeesPerGas } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { StandingAlerts } from "./StandingAlerts.ts"

type Place = Pick<RelayTransaction, "lane" | "nonce">

const keyOf = ({ id }: Chain, { lane }: Pick<Place, "lane">): string => `gas_price:${id}:${lane}`

export class KeptVersions extends Context.Service<
  KeptVersions,
  {
    /** Raises the alert: the transaction keeps its newest version. */
    readonly keep: (
      chain: Chain,
      transaction: Place,
      newest: Attempt,
      market: FeesPerGas
    ) => Effect.Effect<void, StoreUnavailable>
    /** Notes that the nonce is used, and with it every earlier one of the lane. */
    readonly used: (chain: Chain, transaction: Place) => void
    /**
     * Ends the alerts of a chain's lanes of which a nonce is used since the last review, unless a later one is kept. Call it when a pass
     * has looked at every transaction: a process that has just started learns in the same pass what is kept.
     */
    readonly review: (chain: Chain) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/KeptVersions") {
  static readonly layer = Layer.effect(
    KeptVersions,
    Effect.gen(function* () {
      const alerts = yield* StandingAlerts
      /** Highest nonce of each lane that was kept. */
      const kept = new Map<string, bigint>()
      /** Highest nonce of each lane that is used since the last review. */
      const used = new Map<string, { readonly chainId: number; readonly nonce: bigint }>()

      return {
        keep: (chain, { lane, nonce }, newest, market) => {
          const key = keyOf(chain, { lane })
          const before = kept.get(key)
          kept.set(key, before !== undefined && before > nonce ? before : nonce)
          return alerts.raise({
            key,
            severity: "warning",
            kind: "gas_price",
            message: `A transaction of lane ${lane} on ${chain.name} waits for a lower price of gas: a version with higher fees would cost more than the network fees of its sweeps and the allowed losses cover, or exceed the chain's maxFeePerGasWei.`,
            details: {
              chainId: chain.id,
              lane,
              nonce: nonce.toString(),
              maxFeePerGasWei: newest.maxFeePerGas.toString(),
              baseFeeWei: market.baseFeePerGas.toString()
            }
          })
        },
        used: (chain, { lane, nonce }) => {
          const key = keyOf(chain, { lane })
          const before = used.get(key)
          if (before === undefined || before.nonce < nonce) used.set(key, { chainId: chain.id, nonce })
        },
        review: Effect.fnUntraced(function* ({ id }: Chain) {
          for (const [key, seen] of used) {
            if (seen.chainId !== id) continue
            if ((kept.get(key) ?? 0n) <= seen.nonce) {
              kept.delete(key)
              yield* alerts.clear(key)
            }
            // Another pass may have seen a later one meanwhile.
            if (used.get(key) === seen) used.delete(key)
          }
        })
      }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}
