/** Gauges of the orchestrator: queues, lanes, exposure, providers, and the sanctions list. */
import { Clock, Effect, Layer, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { inNativeUnits } from "../../domain/Amount.ts"
import { classOf, EMPTY, firstClass } from "../../domain/Exposure.ts"
import { Backlog } from "../../ports/orchestrator/Backlog.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Outbox } from "../../ports/orchestrator/Outbox.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { SanctionsLists } from "../../ports/orchestrator/SanctionsLists.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { Alerts } from "../../ports/shared/Alerts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { ProviderStates } from "../../ports/shared/ProviderStates.ts"
import * as Sampling from "../../runtime/Sampling.ts"
import { OUTBOX_OLDEST, OUTBOX_PENDING, OUTBOX_REJECTED } from "../../telemetry/metrics/Queues.ts"
import {
  EXPOSURE,
  EXPOSURE_BUDGET,
  LANE_IN_FLIGHT,
  LANE_NONCE_GAP,
  LANE_OLDEST
} from "../../telemetry/metrics/Relay.ts"
import { INTENTS, INTENTS_OLDEST } from "../../telemetry/metrics/Sweeps.ts"
import { PROVIDER_STATE, SCREENING_LIST_AGE } from "../../telemetry/metrics/Upstreams.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as LaneBalances from "./LaneBalances.ts"

const statuses = Effect.gen(function* () {
  const counts = yield* (yield* Intents).counts
  for (const [status, intents] of Object.entries(counts)) yield* INTENTS.record(intents, { status })
})

const waitingIntents = Effect.gen(function* () {
  const intents = yield* (yield* Backlog).intents
  const now = yield* Clock.currentTimeMillis
  for (const [waiting, since] of Object.entries(intents)) {
    yield* INTENTS_OLDEST.record(Sampling.ageOf(since, now), { waiting })
  }
})

const waitingMessages = Effect.gen(function* () {
  const outbox = yield* (yield* Backlog).outbox
  const now = yield* Clock.currentTimeMillis
  for (const [topic, { oldestMs, waiting }] of Object.entries(outbox)) {
    yield* OUTBOX_PENDING.record(waiting, { topic })
    yield* OUTBOX_OLDEST.record(Sampling.ageOf(oldestMs, now), { topic })
  }
})

/** Ages of what waits. A source that does not answer leaves the gauges of the other one right. */
export const backlog: ReadonlyArray<Sampling.Sample<Backlog>> = [waitingIntents, waitingMessages]

const rejected = Effect.gen(function* () {
  const { rejected } = yield* (yield* Outbox).counts
  yield* OUTBOX_REJECTED.record(rejected, {})
})

const lowest = (values: ReadonlyArray<bigint>): bigint => values.reduce((a, b) => (b < a ? b : a))
const highest = (values: ReadonlyArray<bigint>): bigint => values.reduce((a, b) => (b > a ? b : a))

/**
 * Nonces up to the highest of the transactions that none of them has, from the lowest one on, or from the lane's transaction count on if
 * that is lower. Default of `count`: not known.
 */
export const gapOf = (transactions: ReadonlyArray<Pick<RelayTransaction, "nonce">>, count?: bigint): number => {
  const nonces = [...new Set(transactions.map(({ nonce }) => nonce))]
  if (nonces.length === 0) return 0
  const from = lowest(count === undefined ? nonces : [...nonces, count])
  return Number(highest(nonces) - from) + 1 - nonces.length
}

/** Age of a lane's oldest pending transaction from which the lane's transaction count is read, in milliseconds. */
const OLD_MILLIS = 60_000

/** Time in which a node has to name a lane's transaction count, in milliseconds. */
const COUNT_MILLIS = 3_000

/** A lane's transaction count. Undefined while its pending transactions are young, and without an answer. */
const countOf = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: RelayTransaction["lane"],
  transactions: ReadonlyArray<RelayTransaction>
) {
  const now = yield* Clock.currentTimeMillis
  const isOld = transactions.some(
    ({ createdAtMs, status }) => status === "pending" && ageOf(now, createdAtMs) >= OLD_MILLIS
  )
  if (!isOld) return undefined
  const count = yield* Effect.option(Effect.timeout(client.transactionCount(lane, "latest"), COUNT_MILLIS))
  return Option.getOrUndefined(count)
})

/** The lanes with unfinished transactions. Those without any show nothing in flight. */
const lanesOf = Effect.fnUntraced(function* (client: ChainClient) {
  const { id } = client.chain
  const unfinished = yield* (yield* RelayTransactions).unfinished(id)
  const lanes = Map.groupBy(unfinished, ({ lane }) => lane)
  return yield* Effect.forEach(
    lanes,
    ([lane, transactions]) =>
      Effect.map(countOf(client, lane, transactions), (count) => ({
        labels: { chain_id: String(id), lane },
        transactions,
        gap: gapOf(transactions, count)
      })),
    { concurrency: "unbounded" }
  )
})

/** Use of the lanes. */
export const lanes: Sampling.Sample<Chains | RelayTransactions> = Effect.gen(function* () {
  const { all } = yield* Chains
  const now = yield* Clock.currentTimeMillis
  const busy = (yield* Effect.forEach(all, lanesOf, { concurrency: "unbounded" })).flat()
  const pending = ({ transactions }: (typeof busy)[number]) => transactions.filter(({ status }) => status === "pending")
  const since = (each: (typeof busy)[number]) =>
    pending(each).length === 0 ? undefined : Math.min(...pending(each).map(({ createdAtMs }) => createdAtMs))
  yield* LANE_IN_FLIGHT.replace(busy.map((each) => ({ labels: each.labels, value: each.transactions.length })))
  yield* LANE_OLDEST.replace(busy.map((each) => ({ labels: each.labels, value: Sampling.ageOf(since(each), now) })))
  yield* LANE_NONCE_GAP.replace(busy.map((each) => ({ labels: each.labels, value: each.gap })))
  const oldest = busy.map(since).filter((each) => each !== undefined)
  yield* INTENTS_OLDEST.record(Sampling.ageOf(oldest.length === 0 ? undefined : Math.min(...oldest), now), {
    waiting: "broadcast"
  })
})

const exposure = Effect.gen(function* () {
  const { all } = yield* Chains
  const exposures = yield* Exposures
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make
  const classes = all.flatMap(({ chain: { id } }) => [
    { id, name: "listed", key: classOf("listed", "all", id) },
    { id, name: "unlisted", key: classOf("unlisted", "all", id) },
    { id, name: "first", key: firstClass(id, false) },
    { id, name: "first_unfunded", key: firstClass(id, true) }
  ])
  const known = yield* exposures.sums(classes.map(({ key }) => key))
  for (const { id, key, name } of classes) {
    const { day, hour, open } = known.get(key) ?? EMPTY
    const sums = { lost_hour: hour.lost, lost_day: day.lost, earned_day: day.earned, reserved: open }
    for (const [sum, wei] of Object.entries(sums)) {
      yield* EXPOSURE.record(inNativeUnits(wei), { chain_id: String(id), class: name, sum })
    }
  }
  for (const { chain } of all) {
    const { firstHour, listedHour, unlisted } = ChainLimits.lossBudgets(relayer, yield* withLimits(chain))
    const budgets = { listed: listedHour, unlisted: unlisted.hour, first: firstHour }
    for (const [name, wei] of Object.entries(budgets)) {
      if (wei === undefined) continue
      yield* EXPOSURE_BUDGET.record(inNativeUnits(wei), { chain_id: String(chain.id), class: name })
    }
  }
})

const providers = Effect.gen(function* () {
  const states = yield* (yield* ProviderStates).all
  yield* PROVIDER_STATE.replace(states.map(({ name, state }) => ({ labels: { provider: name, state }, value: 1 })))
})

const screening = Effect.gen(function* () {
  const lists = yield* Effect.serviceOption(SanctionsLists)
  const age = Option.isSome(lists) ? yield* lists.value.age : Option.none()
  if (Option.isNone(age)) return
  const { checkedAt } = age.value
  const now = yield* Clock.currentTimeMillis
  yield* SCREENING_LIST_AGE.record(
    checkedAt === undefined ? Number.POSITIVE_INFINITY : Sampling.ageOf(checkedAt, now),
    {}
  )
})

const poolWait = Effect.flatMap(Backlog, ({ poolWaitMillis }) => Sampling.poolWait(poolWaitMillis))

type Sources = Alerts | Backlog | Chains | Exposures | Intents | OrchestratorSettings | Outbox | RelayTransactions

/** Everything that the loop reads, beside the balances of lanes. */
export const samples: ReadonlyArray<Sampling.Sample<Sources>> = [
  statuses,
  ...backlog,
  rejected,
  lanes,
  exposure,
  providers,
  screening,
  Sampling.alerts,
  poolWait
]

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(LaneBalances.make, (balances) => Sampling.run([...samples, balances]))
)
