/** Selects the lanes of a chain that may send: those with enough balance for gas and without code. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const laneLowKey = (chain: Chain, lane: Address.Address): string => `lane_low:${chain.id}:${lane}`

/** Alert for a lane whose balance does not cover its gas. */
export const laneLow = (chain: Chain, lane: Address.Address, detail: string): NewAlert => ({
  key: laneLowKey(chain, lane),
  severity: "critical",
  kind: "lane_low",
  message: `Lane ${lane} on ${chain.name} is short of ${chain.nativeSymbol} for gas and sends nothing until it is refilled.`,
  details: { chainId: chain.id, lane, detail }
})

/** A lane that may send. */
export interface Lane {
  readonly address: Address.Address
  /** Balance in the newest block, in wei. */
  readonly balance: bigint
  /** Transaction count in the newest block. */
  readonly nonce: bigint
}

/** Makes `usableLanes(client)`. Raises an alert for each lane that may not send, and clears it once the lane may. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const keys = yield* RelayerKeys
  const { relayer } = yield* OrchestratorSettings

  return Effect.fn("Relay.lanes")(function* (client: ChainClient) {
    const { chain } = client
    const minimum = ChainLimits.minLaneBalance(relayer, chain)
    const lanes = yield* Effect.forEach(
      keys.lanes(chain.id),
      (address) =>
        Effect.all(
          {
            address: Effect.succeed(address),
            balance: client.balance(address),
            code: client.code(address),
            nonce: client.transactionCount(address, "latest")
          },
          { concurrency: "unbounded" }
        ),
      { concurrency: "unbounded" }
    )
    const usable: Array<Lane> = []
    for (const { address, balance, code, nonce } of lanes) {
      const delegatedKey = `lane_delegated:${chain.id}:${address}`
      if (code === "0x") yield* alerts.clear(delegatedKey)
      else {
        yield* alerts.raise({
          key: delegatedKey,
          severity: "critical",
          kind: "lane_delegated",
          message: `Lane ${address} on ${chain.name} has code: nodes limit its pending transactions, and its delegate may spend its balance. Replace its key in RELAYER_KEYS.`,
          details: { chainId: chain.id, lane: address }
        })
      }
      if (balance >= minimum) yield* alerts.clear(laneLowKey(chain, address))
      else yield* alerts.raise(laneLow(chain, address, `it has ${balance} wei and needs ${minimum}`))
      if (code === "0x" && balance >= minimum) usable.push({ address, balance, nonce })
    }
    return usable
  })
})
