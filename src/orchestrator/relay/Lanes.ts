/** Selects the lanes of a chain that may send: active ones whose signer answers, with enough balance for gas and without code. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { Chain } from "../../domain/Chain.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as LaneCounts from "./LaneCounts.ts"
import * as LaneShortages from "./LaneShortages.ts"

/** States of lanes are read again after this time, so that every replica follows an operator's change within two seconds. */
const STATES_LIFETIME = "1 second"

/** A lane that may send. */
export interface Lane {
  readonly address: Address.Address
  /** Balance in the newest block, in wei. */
  readonly balance: bigint
  /** Transaction count in the newest block. */
  readonly nonce: bigint
}

/** Alerts that only a look at a lane ends. */
const KINDS: ReadonlySet<string> = new Set<AlertKind>(["lane_low", "lane_delegated", "nonce_doubted"])

/** Makes `hasAlert(chain)`, true if an alert stands that a look at the lanes of the chain may end. Makes no request. */
export const makeHasAlert = Effect.map(
  Alerts,
  (alerts) => (chain: Chain) =>
    Effect.map(alerts.list, (all) =>
      all.some(({ details, kind }) => KINDS.has(kind) && details["chainId"] === chain.id)
    )
)

/**
 * Makes `usableLanes(client, among)`, which looks at the lanes of the chain or only at those of `among`. Raises an alert for each that may
 * not send, and clears it once the lane may. A lane whose transaction count is in doubt is left out. Fails if no lane is left for that.
 */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { countOf, leave } = yield* LaneCounts.make
  const keys = yield* RelayerKeys
  const review = yield* LaneShortages.makeReview
  const states = yield* Effect.cachedWithTTL((yield* LaneBook).states, STATES_LIFETIME)
  const { relayer } = yield* OrchestratorSettings

  return Effect.fn("Relay.lanes")(function* (client: ChainClient, among?: ReadonlyArray<Address.Address>) {
    const { chain } = client
    const minimum = ChainLimits.minLaneBalance(relayer, chain)
    const changed = yield* states
    const taking = yield* Effect.filter(keys.lanes(chain.id), (lane) =>
      (among?.includes(lane) ?? true) && (changed.get(lane)?.state ?? "active") === "active"
        ? keys.isAnswering(lane)
        : Effect.succeed(false)
    )
    const lanes = yield* Effect.forEach(
      taking,
      (address) =>
        Effect.all(
          {
            address: Effect.succeed(address),
            balance: client.balance(address),
            code: client.code(address),
            counted: countOf(client, address)
          },
          { concurrency: "unbounded" }
        ),
      { concurrency: "unbounded" }
    )
    if (among === undefined) {
      const left = LaneShortages.outOfUse(changed)
      yield* review(chain, { lanes, left })
      yield* Effect.forEach(
        keys.lanes(chain.id).filter((lane) => left.has(lane)),
        (lane) => leave(client, lane),
        { discard: true }
      )
    }
    const usable: Array<Lane> = []
    const doubts: Array<ChainUnavailable> = []
    for (const { address, balance, code, counted } of lanes) {
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
      if (balance >= minimum) yield* alerts.clear(LaneAlerts.lowKey(chain.id, address))
      else yield* alerts.raise(LaneAlerts.laneLow(chain, address, `it has ${balance} wei and needs ${minimum}`))
      if (code !== "0x" || balance < minimum) continue
      if (counted._tag === "Count") usable.push({ address, balance, nonce: counted.nonce })
      else doubts.push(counted.cause)
    }
    const [doubt] = doubts
    return usable.length === 0 && doubt !== undefined ? yield* doubt : usable
  })
})
