/** Which of a chain's lanes may send: those with enough gas money that are not delegated accounts. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const laneLowKey = (chain: Chain, lane: Address.Address): string => `lane_low:${chain.id}:${lane}`

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
  /** Wei, in the newest block. */
  readonly balance: bigint
  /** Its transaction count in the newest block. */
  readonly nonce: bigint
}

/** Finds the usable lanes of a chain; raises an alert for each of the others, and clears it when the lane is well again. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const keys = yield* RelayerKeys
  const { relayer } = yield* OrchestratorSettings

  return Effect.fn("Relay.lanes")(function* (client: ChainClient) {
    const { chain } = client
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
          message: `Lane ${address} on ${chain.name} has code: nodes limit what such an account may send, and others may spend its balance. Use a fresh key.`,
          details: { chainId: chain.id, lane: address }
        })
      }
      if (balance >= relayer.minLaneBalance) yield* alerts.clear(laneLowKey(chain, address))
      else yield* alerts.raise(laneLow(chain, address, `it has ${balance} wei and needs ${relayer.minLaneBalance}`))
      if (code === "0x" && balance >= relayer.minLaneBalance) usable.push({ address, balance, nonce })
    }
    return usable
  })
})
