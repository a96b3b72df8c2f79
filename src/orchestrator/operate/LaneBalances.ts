/** Balances of the lanes in use for the metrics, also while nothing is sent, so that a refill shows on an idle chain. */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { inNativeUnits } from "../../domain/Amount.ts"
import { worksOn } from "../../domain/Role.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { LANE_BALANCE, LANE_MINIMUM } from "../../telemetry/metrics/Relay.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"

/** Pause between two readings of the nodes, in milliseconds. */
const PAUSE_MILLIS = 60_000

/** Time in which a node has to name a balance, in milliseconds. */
const BALANCE_MILLIS = 2_000

/**
 * Makes the sample, which reads the balances on the chains that this process sends on. A balance that no node names keeps its last value.
 * Lanes that an operator took out of use are left out, since nobody refills them.
 */
export const make = Effect.gen(function* () {
  const { states } = yield* LaneBook
  const { all } = yield* Chains
  const keys = yield* RelayerKeys
  const { relayer } = yield* OrchestratorSettings
  const share = yield* ProcessShare
  const clients = all.filter(({ chain }) => worksOn(share, "relay", chain.id))
  /** Units of the native currency, by the labels as text. */
  let known: ReadonlyMap<string, number> = new Map()
  let readAtMs = Number.NEGATIVE_INFINITY

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (ageOf(now, readAtMs) < PAUSE_MILLIS) return
    readAtMs = now
    const changed = yield* states
    const used = clients.flatMap((client) =>
      keys
        .lanes(client.chain.id)
        .filter((lane) => (changed.get(lane)?.state ?? "active") === "active")
        .map((lane) => ({ client, lane, labels: { chain_id: String(client.chain.id), lane } }))
    )
    const series = yield* Effect.forEach(
      used,
      ({ client, labels, lane }) =>
        Effect.map(Effect.option(Effect.timeout(client.balance(lane), BALANCE_MILLIS)), (balance) => {
          const value = Option.isSome(balance) ? inNativeUnits(balance.value) : known.get(JSON.stringify(labels))
          return value === undefined ? [] : [{ labels, value }]
        }),
      { concurrency: "unbounded" }
    )
    known = new Map(series.flat().map(({ labels, value }) => [JSON.stringify(labels), value]))
    yield* LANE_BALANCE.replace(series.flat())
    for (const { chain } of clients) {
      const minimum = inNativeUnits(ChainLimits.minLaneBalance(relayer, chain))
      yield* LANE_MINIMUM.record(minimum, { chain_id: String(chain.id) })
    }
  })
})
