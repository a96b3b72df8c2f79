/**
 * Uses one nonce of a lane: allocates it for sweeps, and if nodes refuse the transaction because of an owner, offers smaller
 * versions for the same nonce.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import { minimumTip } from "../../domain/ChainMoney.ts"
import { capped } from "../../domain/FeeCover.ts"
import { LANE_SLOTS } from "../../domain/LaneSlots.ts"
import type { Group } from "../../domain/SweepGroups.ts"
import type { Block, ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { LaneFull, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { SentHere } from "../shared/SentHere.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Content from "./Content.ts"
import * as Envelope from "./Envelope.ts"
import { LaneLoads } from "./LaneLoads.ts"
import { laneShort } from "./Lanes.ts"
import { ownerOf, type Ready } from "./Prepared.ts"
import * as Signing from "./Signing.ts"

/** Sweeps of one transaction. */
export type Parcel = ReadonlyArray<Group<Ready>>

/** State of a chain and a lane when a batch is sent. */
export interface Conditions {
  readonly head: Block
  readonly fees: FeesPerGas
  readonly lane: Address.Address
  /** Balance in wei. */
  readonly laneBalance: bigint
  /** The lane's transaction count in the newest block. The pending count is not used: a foreign pending transaction may never be mined. */
  readonly laneNonce: bigint
}

/** A search among the accounts of a batch. Nodes refuse an account's authorization, so its sweeps stay together. */
export type Search = BatchSearch.Search<Group<Ready>>

/** Result of one nonce. */
export interface Used {
  readonly search: Search
  readonly nonce: bigint
  /** Wei that its transaction may cost. */
  readonly reserve: bigint
  /** Sweeps that were sent with it. */
  readonly sent: number
  readonly offers: number
  /** The nodes' last answer that an owner was the cause. Empty without one. */
  readonly detail: string
  /** True if the transaction keeps all sweeps until its nonce is used, because it is unknown which of its versions a node has. */
  readonly isHeld: boolean
}

/**
 * Makes `allocate(client, conditions, search)`, which signs and stores the transaction, then broadcasts it. A crash in between loses
 * nothing. It is allocated for all remaining sweeps, so that nobody else sends one of them while smaller batches are offered for the nonce.
 */
const makeAllocate = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const broadcast = yield* Broadcast.make
  const contentOf = yield* Content.make
  const keys = yield* RelayerKeys
  const loads = yield* LaneLoads
  const signAttempt = yield* Signing.make
  const sentHere = yield* SentHere
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (client: ChainClient, conditions: Conditions, search: Search) {
    const { lane, laneBalance, laneNonce } = conditions
    const all = BatchSearch.remaining(search).flat()
    const fees = feesFor(client, conditions, all)
    const offered = BatchSearch.next(search).flat()
    const whole = contentOf(client, fees, all)
    const content = offered.length === all.length ? whole : contentOf(client, fees, offered)
    const { id: chainId } = client.chain
    const reserve = whole.gas * whole.maxFeePerGas
    const { nextNonce, reserved } = loads.of(chainId, { address: lane, nonce: laneNonce })
    // Nodes refuse what a sender's pending transactions leave no balance for, and the nonce would hold up the lane.
    if (reserved + reserve > laneBalance) {
      const atMs = yield* Clock.currentTimeMillis
      // No end of a pending transaction helps. Another lane may be able to pay.
      if (reserve > laneBalance) {
        yield* alerts.raise(laneShort(client.chain, lane, { balance: laneBalance, needed: reserve, atMs }))
      }
      return yield* new LaneFull({ lane, nonce: nextNonce })
    }
    const allocated = transactions.allocate({
      chainId,
      lane,
      chainNonce: laneNonce,
      slots: LANE_SLOTS,
      intentIds: all.map(({ intent }) => intent.id),
      reserve,
      sign: (nonce) => signAttempt(lane, { ...content, nonce })
    })
    const transaction = yield* Effect.tapError(keys.inTurn(lane, allocated), (error) =>
      Effect.sync(() => {
        // Other processes have sent what this one has not read yet.
        if (error._tag === "LaneFull") loads.note(chainId, lane, { nonce: error.nonce - 1n, reserved: 0n })
      })
    )
    loads.note(chainId, lane, { nonce: transaction.nonce, reserved: reserve })
    sentHere.note(transaction.id)
    let answer: Broadcast.Answer = { _tag: "unknown", detail: "not sent" }
    for (const attempt of transaction.attempts) answer = yield* broadcast(client, transaction, attempt)
    for (const { intent } of all) {
      if (intent.submittedAtMs !== undefined) yield* StageTimes.reached("broadcast", intent, intent.submittedAtMs)
    }
    return { answer, reserve, transaction }
  })
})

/** Makes `useNonce(client, conditions, search, allowed)`, which offers at most `allowed` batches. */
export const make = Effect.gen(function* () {
  const allocate = yield* makeAllocate
  const broadcast = yield* Broadcast.make
  const contentOf = yield* Content.make
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  /** Offers another version of the transaction. Every node refused the earlier ones, so it pays no more than they did. */
  const offer = Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: Conditions,
    transaction: RelayTransaction,
    members: Parcel
  ) {
    const { lane } = conditions
    const fees = feesFor(client, conditions, members.flat())
    const { nonce } = transaction
    const isCancel = members.length === 0
    const unsigned = isCancel
      ? Envelope.selfSend(transaction, fees)
      : { ...contentOf(client, fees, members.flat()), nonce }
    const attempt = yield* signAttempt(lane, unsigned)
    yield* transactions.addAttempt(transaction.id, attempt, isCancel ? "cancel" : "sweep")
    return yield* broadcast(client, transaction, attempt)
  })

  /**
   * Uses one nonce: for the largest batch that the nodes do not refuse because of an owner, or for a self-send if there is none.
   * The other sweeps leave the transaction when a node has accepted it: that node then has no other version of it. Those that no earlier
   * transaction had lose their hash as well, since all nodes refused every version with them: a failure of theirs costs nothing.
   */
  return Effect.fnUntraced(function* (client: ChainClient, conditions: Conditions, before: Search, allowed: number) {
    const allocated = yield* allocate(client, conditions, before)
    const { reserve, transaction } = allocated
    let { answer } = allocated
    let search = before
    let members = BatchSearch.next(search)
    let offers = 1
    let detail = ""
    while (members.length > 0 && Broadcast.isBusy(answer)) {
      search = BatchSearch.refused(search, Broadcast.named(answer.detail, members, ownerOf))
      detail = answer.detail
      members = offers < allowed ? BatchSearch.next(search) : []
      answer = yield* offer(client, conditions, transaction, members)
      offers += 1
    }
    const others = BatchSearch.remaining(before).filter((each) => !members.includes(each))
    const isHeld = others.length > 0 && offers > 1 && answer._tag !== "accepted"
    if (!isHeld && others.length > 0) yield* transactions.detach(transaction.id, idsOf(others), freshOf(others))
    const used: Used = {
      search: members.length > 0 ? BatchSearch.accepted(search) : search,
      nonce: transaction.nonce,
      reserve,
      sent: members.flat().length,
      offers,
      detail,
      isHeld
    }
    return used
  })
})

/** Fees of a transaction with the sweeps. It never costs more than their network fees and the allowed losses cover. */
const feesFor = ({ chain }: ChainClient, { fees }: Conditions, ready: ReadonlyArray<Ready>) =>
  capped(
    fees,
    ready.map(({ prices }) => prices),
    minimumTip(chain)
  )

/** Ids of the intents that groups of sweeps belong to. */
export const idsOf = (groups: Parcel): ReadonlyArray<string> =>
  groups.flatMap((group) => group.map(({ intent }) => intent.id))

/** Ids of those intents that no transaction had when they were claimed. */
const freshOf = (groups: Parcel): ReadonlyArray<string> =>
  groups.flatMap((group) => group.flatMap(({ intent }) => (intent.txHash === undefined ? [intent.id] : [])))
