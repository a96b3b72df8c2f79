/**
 * Packs ready sweeps into transactions and sends them. If nodes refuse a batch because of an owner, smaller batches are offered
 * for the same nonce until the owner is found and all others are sent.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Bounds, compose } from "../../domain/BatchComposition.ts"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import { size } from "../../domain/Hex.ts"
import { batchRoom, TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
import type { Block, ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Content from "./Content.ts"
import * as Envelope from "./Envelope.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import * as Postponement from "./Postponement.ts"
import type { Ready } from "./Prepared.ts"
import * as Signing from "./Signing.ts"

/** Calldata of a batch's items, in bytes. Nodes accept transactions of up to 128 KB; signatures, addresses and padding need the rest. */
const CALLDATA_BYTES = 64_000

/** A batch uses at most 1/2 of a block's gas limit. A larger one waits longer, since it fits only into emptier blocks. */
const BLOCK_SHARE = 2n

/** Pending transactions of a lane. Nodes keep 16 of a sender, and one place is left for a replacement. */
const LANE_SLOTS = 15n

/** Batches that one search offers to the nodes. It postpones the rest, so that it ends within its lease. */
const OFFERS = 40

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

/** Sweeps of one transaction. */
export type Parcel = ReadonlyArray<Ready>

type Search = BatchSearch.Search<Ready>

/** Result of one nonce. */
interface Used {
  readonly search: Search
  readonly nonce: bigint
  /** Sweeps that were sent with it. */
  readonly sent: number
  readonly offers: number
  /** The nodes' last answer that an owner was the cause. Empty without one. */
  readonly detail: string
  /** True if the transaction keeps all sweeps until its nonce is used, because it is unknown which of its versions a node has. */
  readonly isHeld: boolean
}

/** Makes `parcels`, which packs ready sweeps, and `send`, which sends a parcel. */
export const make = Effect.gen(function* () {
  const blocks = yield* OwnerBlocks
  const broadcast = yield* Broadcast.make
  const contentOf = yield* Content.make
  const { postpone } = yield* Postponement.make
  const settings = yield* OrchestratorSettings
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  const boundsOf = ({ fees, head, laneBalance }: Conditions): Bounds => {
    // Half of what the lane can pay for, since other transactions of the lane may be pending.
    const affordable = laneBalance / (2n * fees.maxFeePerGas)
    const total = [head.gasLimit / BLOCK_SHARE, TRANSACTION_GAS_CAP, affordable].reduce((a, b) => (a < b ? a : b))
    return { items: settings.relayer.batch, gas: batchRoom(total), bytes: CALLDATA_BYTES }
  }

  const parcels = (conditions: Conditions, ready: ReadonlyArray<Ready>): ReadonlyArray<Parcel> =>
    compose(
      ready.map((each) => ({
        ready: each,
        account: each.intent.order.owner,
        gas: Content.gasOf(each),
        bytes: size(each.data)
      })),
      boundsOf(conditions)
    ).map((batch) => batch.map(({ ready }) => ready))

  /**
   * Signs and stores the transaction, then broadcasts it. A crash in between loses nothing. It is allocated for all remaining
   * sweeps, so that nobody else sends one of them while smaller batches are offered for the nonce.
   */
  const allocate = Effect.fnUntraced(function* (client: ChainClient, conditions: Conditions, search: Search) {
    const { fees, lane, laneNonce } = conditions
    const all = BatchSearch.remaining(search)
    const offered = BatchSearch.next(search)
    const whole = contentOf(client, fees, all)
    const content = offered.length === all.length ? whole : contentOf(client, fees, offered)
    const transaction = yield* transactions.allocate({
      chainId: client.chain.id,
      lane,
      chainNonce: laneNonce,
      intentIds: idsOf(all),
      reserve: whole.gas * whole.maxFeePerGas,
      sign: (nonce) => signAttempt(lane, { ...content, nonce })
    })
    let answer: Broadcast.Answer = { _tag: "unknown", detail: "not sent" }
    for (const attempt of transaction.attempts) answer = yield* broadcast(client, transaction, attempt)
    return { answer, transaction }
  })

  /** Offers another version of the transaction. Every node refused the earlier ones, so it pays no more than they did. */
  const offer = Effect.fnUntraced(function* (
    client: ChainClient,
    { fees, lane }: Conditions,
    transaction: RelayTransaction,
    members: ReadonlyArray<Ready>
  ) {
    const { nonce } = transaction
    const isCancel = members.length === 0
    const unsigned = isCancel ? Envelope.selfSend(transaction, fees) : { ...contentOf(client, fees, members), nonce }
    const attempt = yield* signAttempt(lane, unsigned)
    yield* transactions.addAttempt(transaction.id, attempt, isCancel ? "cancel" : "sweep")
    return yield* broadcast(client, transaction, attempt)
  })

  /**
   * Uses one nonce: for the largest batch that the nodes do not refuse because of an owner, or for a self-send if there is none.
   * The other sweeps leave the transaction when a node has accepted it: that node then has no other version of it.
   */
  const useNonce = Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: Conditions,
    before: Search,
    allowed: number
  ) {
    const allocated = yield* allocate(client, conditions, before)
    const { transaction } = allocated
    let { answer } = allocated
    let search = before
    let members = BatchSearch.next(search)
    let offers = 1
    let detail = ""
    while (members.length > 0 && Broadcast.isBusy(answer)) {
      search = BatchSearch.refused(search, Broadcast.named(answer.detail, members))
      detail = answer.detail
      members = offers < allowed ? BatchSearch.next(search) : []
      answer = yield* offer(client, conditions, transaction, members)
      offers += 1
    }
    const others = BatchSearch.remaining(before).filter((each) => !members.includes(each))
    const isHeld = others.length > 0 && offers > 1 && answer._tag !== "accepted"
    if (!isHeld && others.length > 0) yield* transactions.detach(transaction.id, idsOf(others))
    const used: Used = {
      search: members.length > 0 ? BatchSearch.accepted(search) : search,
      nonce: transaction.nonce,
      sent: members.length,
      offers,
      detail,
      isHeld
    }
    return used
  })

  /** The sweeps of owners whom nodes refused before are tried last, and those without an authorization first. */
  const suspicionOn =
    (client: ChainClient) =>
    ({ authorization, intent }: Ready): number => {
      if (blocks.isKnown(client, intent.order.owner)) return 2
      return authorization === undefined ? 0 : 1
    }

  /** Returns the number of sweeps that it sent. Those of owners who block the batch are postponed. */
  const send = Effect.fn("Relay.send")(function* (client: ChainClient, conditions: Conditions, parcel: Parcel) {
    let search = BatchSearch.start(parcel, suspicionOn(client))
    let sent = 0
    let offers = 0
    while (true) {
      const used = yield* useNonce(client, conditions, search, OFFERS - offers)
      for (const { intent } of used.search.found.slice(search.found.length)) {
        yield* blocks.note(client, intent, used.detail)
      }
      search = used.search
      sent += used.sent
      offers += used.offers
      const left = BatchSearch.remaining(search)
      if (left.length === 0 || used.isHeld) return sent
      if (used.nonce + 1n - conditions.laneNonce >= LANE_SLOTS || offers >= OFFERS) {
        yield* postpone(idsOf(left))
        return sent
      }
    }
  })

  return { parcels, send }
})

/** Ids of the intents that sweeps belong to. */
export const idsOf = (ready: ReadonlyArray<Ready>): ReadonlyArray<string> => ready.map(({ intent }) => intent.id)
