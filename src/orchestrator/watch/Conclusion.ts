/** Ends relay transactions: books together what their events prove, and has every other intent decided one by one. */
import { Effect } from "effect"
import { inNativeUnits } from "../../domain/Amount.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { type Resolution, Settlements } from "../settle/Settlements.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { GAS_SPENT, SWEEPS_SENT, TRANSACTIONS } from "../../telemetry/metrics/Relay.ts"
import { transactionFields } from "../shared/LogFields.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { SentHere } from "../shared/SentHere.ts"
import * as MoneyPrices from "../shared/MoneyPrices.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Envelope from "../relay/Envelope.ts"
import type { Aside } from "./Aside.ts"
import * as Booking from "./Booking.ts"
import {
  type Concluding,
  CONCURRENCY,
  costOf,
  type Finding,
  foreignNonceKey,
  inclusionOf,
  isolated,
  type Patience
} from "./Findings.ts"
import * as Members from "./Members.ts"
import { isSame } from "./Plan.ts"
import * as Skips from "./Skips.ts"
import * as Unsettled from "./Unsettled.ts"

/** Makes `note`, which keeps the sweeps of a transaction, `endingOf`, its books, `forget` and `retain`. */
const makeEndings = Effect.gen(function* () {
  const bookingsOf = yield* Booking.make
  const contracts = yield* SweepContracts
  const skipsOf = yield* Skips.make

  const members = Members.make()

  const note = (
    { transaction }: Concluding,
    known: ReadonlyMap<string, Intent>,
    settled: ReadonlyMap<string, Resolution>
  ) => {
    const carried = transaction.intentIds.flatMap((id) => {
      const intent = known.get(id)
      return intent === undefined ? [] : [{ intent, isSettled: settled.has(id) }]
    })
    members.add(transaction, carried)
  }

  /** Tells which orders the mined version has. Undefined if it is not one of the transaction's versions. */
  const carrierOf = ({ receipt, transaction }: Concluding) => {
    const mined = transaction.attempts.find(({ hash }) => hash === receipt.transactionHash)
    return mined && Envelope.carrier(mined.raw, contracts)
  }

  const endingOf = Effect.fnUntraced(function* (client: ChainClient, each: Concluding) {
    const cost = costOf(each.receipt)
    const all = members.of(each.transaction.id)
    const carries = all.every(({ isSettled }) => isSettled) ? undefined : carrierOf(each)
    const run = all.map((sweep) => ({ ...sweep, isCarried: carries?.(sweep.intent.order) !== false }))
    const skips = yield* skipsOf(client, each, run)
    const sweeps = run.map((sweep) => ({ ...sweep, skipCost: skips.get(sweep.intent.id) }))
    const booked = yield* bookingsOf(client, each.transaction, cost, sweeps)
    const parts = Booking.partsOf(cost, sweeps)
    return { id: each.transaction.id, inclusion: inclusionOf(each), cost, parts, sweeps: sweeps.length, ...booked }
  })

  return { endingOf, forget: members.forget, note, retain: members.retain }
})

/** `quick`: a transaction of which every sweep has settled by an event, and of which no fee must be sold to know its worth. */
const quickBy = (
  { chain }: ChainClient,
  known: ReadonlyMap<string, Intent>,
  settled: ReadonlyMap<string, Resolution>
) => {
  const isQuick = (id: string) => {
    const intent = known.get(id)
    return (settled.get(id) ?? "elsewhere") !== "elsewhere" && !(intent !== undefined && Booking.isSold(chain, intent))
  }
  return ({ transaction: { intentIds } }: Concluding): "quick" | "rest" => (intentIds.every(isQuick) ? "quick" : "rest")
}

/** Counts what finished transactions cost, for the metrics. */
const countCosts = (
  { chain }: ChainClient,
  endings: ReadonlyArray<{ readonly cost: bigint; readonly sweeps: number }>
) => {
  const labels = { chain_id: String(chain.id) }
  return Effect.forEach(
    endings,
    ({ cost, sweeps }) =>
      Effect.all([
        GAS_SPENT.record(inNativeUnits(cost), labels),
        TRANSACTIONS.record(1, labels),
        SWEEPS_SENT.record(sweeps, labels)
      ]),
    { discard: true }
  )
}

/** Notes how long the sweeps took that this process has just settled. */
const noteTimes = (
  concluding: ReadonlyArray<Concluding>,
  known: ReadonlyMap<string, Intent>,
  settled: ReadonlyMap<string, Resolution>
) =>
  Effect.forEach(
    concluding.flatMap(({ transaction: { attempts, intentIds } }) =>
      intentIds.flatMap((id) => {
        const intent = known.get(id)
        const isMoved = settled.get(id) === "settled_source" || settled.get(id) === "delivered"
        return intent === undefined || !isMoved ? [] : [StageTimes.settled(intent, attempts[0]?.signedAtMs)]
      })
    ),
    (note) => note,
    { discard: true }
  )

/**
 * Makes `detach`, which decides the intents of a transaction that lost its nonce, then alerts that the lane's key is used elsewhere. An
 * undecided intent postpones both: a spent order nonce suggests that the transaction is mined, and its receipt is late.
 */
const makeDetach = Effect.fnUntraced(function* (
  decideDisplaced: Effect.Success<typeof Unsettled.make>["decideDisplaced"]
) {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (view: ChainView, transaction: RelayTransaction) {
    const { chain } = view.client
    const { lane, nonce } = transaction
    const ended = yield* decideDisplaced(view, transaction)
    if (ended.action !== "concluded") return ended
    yield* alerts.raise({
      key: foreignNonceKey(chain.id, lane),
      severity: "critical",
      kind: "foreign_nonce",
      message: `A transaction that this service did not send used nonce ${nonce} of lane ${lane} on ${chain.name}. Find out who else has the lane's key, and replace the key.`,
      details: { chainId: chain.id, lane, nonce: nonce.toString() }
    })
    yield* transactions.finalize([{ id: transaction.id }])
    return ended
  })
})

/**
 * Makes `conclude`, for transactions in confirmed blocks, `detach`, for those whose nonce a foreign transaction used, and `retain`, which
 * forgets those that are not among the unfinished ones.
 */
export const make = Effect.fnUntraced(function* (aside: Aside) {
  const { endingOf, forget, note, retain } = yield* makeEndings
  const losses = yield* ChainLosses
  const prices = yield* MoneyPrices.make
  const recent = yield* RecentIntents
  const sentHere = yield* SentHere
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions
  const { decideDisplaced, decideRest } = yield* Unsettled.make

  /** Finalizes the transactions whose intents are all decided. */
  const finish = Effect.fnUntraced(function* (
    { client }: ChainView,
    concluding: ReadonlyArray<Concluding>,
    findings: ReadonlyArray<Finding>
  ) {
    const isDone = (_: Concluding, index: number) => findings[index]?.action === "concluded"
    const done = concluding.filter(isDone)
    const endings = yield* Effect.forEach(done, (each) => endingOf(client, each), { concurrency: CONCURRENCY })
    const nativeUsd = done.length === 0 ? undefined : yield* prices.native(client)
    yield* transactions.finalize(endings.map((ending) => ({ ...ending, nativeUsd })))
    const outcomes = endings.flatMap((ending) => [...ending.bookings, ...ending.outcomes])
    if (outcomes.some(({ lost }) => lost > 0n)) losses.changed(client.chain.id)
    yield* countCosts(client, endings)
    for (const { transaction } of done) {
      forget(transaction.id)
      sentHere.forget(transaction.id)
    }
    recent.forget(done.flatMap(({ transaction }) => transaction.intentIds))
    for (const { block, transaction } of done) {
      yield* Effect.logInfo("relay.concluded").pipe(
        Effect.annotateLogs({ ...transactionFields(client, transaction), block: block.number.toString() })
      )
    }
  })

  /**
   * Notes the blocks of transactions before their sweeps are settled, so that any process notices when a reorganisation takes one. Writes
   * nothing for those of which an earlier pass noted the block.
   */
  const noteBlocks = (concluding: ReadonlyArray<Concluding>) => {
    const included = concluding.map((each) => ({ ...each.transaction, seen: inclusionOf(each) }))
    const changed = included.filter(({ inclusion, seen }) => !isSame(inclusion, seen))
    return changed.length === 0
      ? Effect.void
      : transactions.setInclusions(changed.map(({ id, seen }) => ({ id, inclusion: seen })))
  }

  /**
   * Books first, and together, what the events prove. An intent that cannot be decided yet delays no other. With patience those that no
   * event proves are decided aside, and transactions with fees to value are ended aside: each takes many requests, and until a pass ends,
   * no sweep that was mined since is settled.
   */
  const conclude = Effect.fn("Watcher.conclude")(function* (
    view: ChainView,
    concluding: ReadonlyArray<Concluding>,
    patience: Patience
  ): Effect.fn.Return<ReadonlyArray<Finding>, StoreUnavailable> {
    if (concluding.length === 0) return []
    const known = yield* recent.get(concluding.flatMap(({ transaction }) => transaction.intentIds))
    const mined = concluding.map(({ block, receipt, transaction }) => ({
      block,
      receipt,
      intents: transaction.intentIds.flatMap((id) => known.get(id) ?? [])
    }))
    yield* noteBlocks(concluding)
    const settled = yield* settlements.settleAll(view, mined)
    const { resolutions } = settled
    for (const each of concluding) note(each, known, resolutions)
    yield* noteTimes(concluding, known, resolutions)
    const decide = (each: Concluding) => isolated(decideRest(view, each, settled))
    const decided = Effect.fnUntraced(function* (some: ReadonlyArray<Concluding>) {
      const findings = yield* Effect.forEach(some, decide, { concurrency: CONCURRENCY })
      yield* finish(view, some, findings)
      return findings
    })
    if (patience === "impatient") return yield* decided(concluding)
    const { quick = [], rest = [] } = Object.groupBy(concluding, quickBy(view.client, known, resolutions))
    for (const each of rest) yield* aside.decideAside(each.transaction, decided([each]))
    return [...(yield* decided(quick)), ...rest.map(({ transaction: { id } }) => aside.findingOf(id))]
  })

  return {
    conclude,
    detach: yield* makeDetach(decideDisplaced),
    retain: (chainId: number, unfinished: ReadonlyArray<RelayTransaction>) =>
      retain(chainId, unfinished, aside.isDeciding)
  }
})
