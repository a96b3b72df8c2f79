/** Checks each lane on each chain: gas in hours, code, and nonces that others used. */
import { Effect, Option } from "effect"
import * as LaneHistory from "../../../adapters/sql/orchestrator/LaneHistory.ts"
import { KNOWN_CHAINS } from "../../../catalog/KnownChains.ts"
import { orchestratorSettings } from "../../../config/Orchestrator.ts"
import type * as Address from "../../../domain/Address.ts"
import * as Lanes from "../../../domain/doctor/Lanes.ts"
import type { LaneState } from "../../../domain/LaneState.ts"
import * as ChainLimits from "../../../orchestrator/shared/ChainLimits.ts"
import type { Check, Deployment, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
import { accountsOf, unusable } from "../NamedKeys.ts"
import { orNotChecked } from "../NotChecked.ts"

interface Shared {
  readonly lanes: ReadonlyArray<Address.Address>
  readonly history: LaneHistory.LaneHistory | undefined
  readonly minimumOn: (served: Served) => bigint
}

const stateOf = (lane: Address.Address, history: LaneHistory.LaneHistory | undefined): LaneState =>
  history?.states.get(lane.toLowerCase()) ?? "active"

const judgedLane = Effect.fnUntraced(function* (served: Served, address: Address.Address, shared: Shared) {
  const { client } = served
  const { chain } = client
  const [balance, code, count, gasPrice] = yield* Effect.all(
    [
      client.balance(address),
      client.code(address),
      client.transactionCount(address, "latest"),
      Effect.orElseSucceed(
        Effect.map(client.feesPerGas, (fees) => fees.baseFeePerGas + fees.maxPriorityFeePerGas),
        () => 0n
      )
    ],
    { concurrency: "unbounded" }
  )
  const { history } = shared
  return Lanes.judge({
    chain: chain.name,
    symbol: chain.nativeSymbol,
    address,
    state: stateOf(address, history),
    balance,
    code,
    count,
    highestNonce: history?.highestNonce.get(`${chain.id}:${address.toLowerCase()}`),
    isHistoryKnown: history !== undefined,
    minimum: shared.minimumOn(served),
    spentInDay: history?.spentInDay.get(chain.id),
    lanes: shared.lanes.filter((lane) => stateOf(lane, history) === "active").length,
    gasPrice,
    isPublicChain: KNOWN_CHAINS[chain.id] !== undefined
  })
})

const judgedOnChains = Effect.fnUntraced(function* (deployment: Deployment, lanes: ReadonlyArray<Address.Address>) {
  const { relayer } = yield* orchestratorSettings
  // Without a database or its schema, the history is unknown.
  const history = Option.getOrUndefined(yield* Effect.option(deployment.withDatabase(LaneHistory.read)))
  const shared: Shared = {
    lanes,
    history,
    minimumOn: ({ client }) => ChainLimits.minLaneBalance(relayer, client.chain)
  }
  const sending = (yield* deployment.served).filter(({ entry }) => entry.supportsSetCode !== false)
  const states = lanes.map((lane) => stateOf(lane, history))
  // The states need no node, and so are judged also on a chain without an answer.
  const together = sending.flatMap(({ client }) =>
    Lanes.judgeChain({ chain: client.chain.name, states, isHistoryKnown: history !== undefined })
  )
  const each = yield* eachChain(sending, (served) =>
    Effect.map(
      Effect.forEach(shared.lanes, (lane) => judgedLane(served, lane, shared), { concurrency: "unbounded" }),
      (all) => all.flat()
    )
  )
  return [...together, ...each]
})

const name = "lanes"

export const lanes: Check = {
  name,
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* (deployment) {
    const keys = yield* deployment.lanes
    return [...unusable(keys), ...(yield* orNotChecked(name, judgedOnChains(deployment, accountsOf(keys))))]
  })
}
