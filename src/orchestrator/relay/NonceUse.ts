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
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { LaneFull, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { SentHere } from "../shared/SentHere.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Content from "./Content.ts"
import * as Envelope from "./Envelope.ts"
import { LaneLoads } from "./LaneLoads.ts"
import { type Conditions, idsOf, ownerOf, type Parcel, type Ready } from "./Prepared.ts"
import * as OrderCheck from "./OrderCheck.ts"
import * as Signing from "./Signing.ts"

/** A search among the accounts of a batch. Nodes refuse an account's authorization, so its sweeps stay together. */
export type Search = BatchSearch.Search<Group<Ready>>

/** A parcel in the order in which it was simulated, and those of its groups that were sent by earlier nonces. */
export interface Plan {
  /** Sweeps of other parcels that were sent before it. */
  readonly earlier: ReadonlyArray<Ready>
  readonly parcel: Parcel
  readonly sent: Parcel
}

/** The groups of a search's next batch that settle without those that it lacks, and the search without the others. */
export interface Chosen {
  readonly search: Search
  readonly members: Parcel
  /** Groups that the search has no more. */
  readonly left: Parcel
}

/** Result of one nonce. */
export interface Used {
  readonly search: Search
  /** Groups that were sent. */
  readonly members: Parcel
  /** Groups that may settle only behind one that is not sent. The transaction has them no more, unless it is held. */
  readonly left: Parcel
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
 * Makes `allocate(client, conditions, chosen)`, which signs and stores the transaction, then broadcasts it. A crash in between loses
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

  return Effect.fnUntraced(function* (client: ChainClient, conditions: Conditions, { members, search }: Chosen) {
    const { lane, laneBalance, laneNonce } = conditions
    const all = BatchSearch.remaining(search).flat()
    const fees = feesFor(client, conditions, all)
    const offered = members.flat()
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
        yield* alerts.raise(LaneAlerts.laneShort(client.chain, lane, { balance: laneBalance, needed: reserve, atMs }))
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

/**
 * Sweeps of the batch that a missing one may pay, and that do not settle without it, or of which no node says so. All others are offered
 * without another simulation, so that a node that does not answer holds up only these.
 */
const doubtedIn = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  { earlier, parcel, sent }: Plan,
  members: Parcel
) {
  const [before, batch] = [sent.flat(), members.flat()]
  // Those that were sent have settled without the missing ones.
  const lacking = OrderCheck.lacking(parcel.flat(), (each) =>
    before.includes(each) ? undefined : !batch.includes(each)
  )
  const from = batch.findIndex((each) => lacking.has(each))
  if (from === -1) return []
  const { failing, unanswered } = yield* OrderCheck.confirmBehind(
    client,
    lane,
    [...earlier, ...before, ...batch.slice(0, from)],
    batch.slice(from)
  )
  return [...failing, ...unanswered.flatMap(({ sweeps }) => sweeps)].filter((each) => lacking.has(each))
})

/**
 * Chooses the next batch of a search. A batch that lacks groups is simulated if these may pay others of it. It leaves out groups with a
 * sweep that may be paid so and does not settle there, or of which no node says so.
 */
export const choose = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  plan: Plan,
  before: Search
): Effect.fn.Return<Chosen> {
  let search = before
  const left: Array<Group<Ready>> = []
  while (true) {
    const batch = BatchSearch.next(search)
    const members = plan.parcel.filter((group) => batch.includes(group))
    const doubted = yield* doubtedIn(client, lane, plan, members)
    const out = members.filter((group) => group.some((each) => doubted.includes(each)))
    if (out.length === 0) return { search, members, left }
    left.push(...out)
    // Suspects without one of them may all be accepted.
    const open = BatchSearch.remaining(search).filter((group) => !out.includes(group))
    search = search.suspects.some((group) => out.includes(group))
      ? { ...search, suspects: [], open }
      : { ...search, open: search.open.filter((group) => !out.includes(group)) }
  }
})

/**
 * Makes `useNonce(client, conditions, plan, chosen, mayOffer)`. `mayOffer(offers)`: true if another batch may be offered after so many for
 * the nonce.
 */
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
  return Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: Conditions,
    plan: Plan,
    chosen: Chosen,
    mayOffer: (offers: number) => Effect.Effect<boolean>
  ) {
    const before = chosen.search
    const allocated = yield* allocate(client, conditions, chosen)
    const { reserve, transaction } = allocated
    let { answer } = allocated
    let { members, search } = chosen
    const left: Array<Group<Ready>> = []
    let offers = 1
    let detail = ""
    while (members.length > 0 && Broadcast.isBusy(answer)) {
      search = BatchSearch.refused(search, Broadcast.named(answer.detail, members, ownerOf))
      detail = answer.detail
      const next = (yield* mayOffer(offers))
        ? yield* choose(client, conditions.lane, plan, search)
        : { search, members: [], left: [] }
      search = next.search
      members = next.members
      left.push(...next.left)
      answer = yield* offer(client, conditions, transaction, members)
      offers += 1
    }
    const others = BatchSearch.remaining(before).filter((each) => !members.includes(each))
    const isHeld = others.length > 0 && offers > 1 && answer._tag !== "accepted"
    if (!isHeld && others.length > 0) yield* transactions.detach(transaction.id, idsOf(others), freshOf(others))
    const used: Used = {
      search: members.length > 0 ? BatchSearch.accepted(search) : search,
      members,
      left,
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

/** Ids of those intents that no transaction had when they were claimed. */
const freshOf = (groups: Parcel): ReadonlyArray<string> =>
  groups.flatMap((group) => group.flatMap(({ intent }) => (intent.txHash === undefined ? [intent.id] : [])))
