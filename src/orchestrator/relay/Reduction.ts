/**
 * Replaces a transaction that nodes refuse because of an owner, although they may have had it before: by a smaller one with the
 * same nonce and higher fees. The sweeps that it leaves out stay with the transaction until its nonce is used, since an earlier
 * version with them may still be mined.
 */
import { Clock, Effect } from "effect"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type Group, grouped } from "../../domain/SweepGroups.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as AccountCall from "./AccountCall.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Content from "./Content.ts"
import * as Envelope from "./Envelope.ts"
import * as FeeCoverReplacement from "./FeeCoverReplacement.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import { intentsOf, ownerOf, placeOf } from "./Prepared.ts"
import * as Signing from "./Signing.ts"

/** Makes `membersOf`, which reads the sweeps of a signed transaction, by account. */
const makeMembers = Effect.map(SweepContracts, (contracts) => {
  const memberOf = (
    intent: Intent,
    authorizationList: UnsignedTransaction["authorizationList"],
    isChecked: boolean
  ): Content.Member => {
    const signed = intent.submission?.authorization
    return {
      intent,
      isChecked,
      data: AccountCall.dataOf(contracts, [intent]),
      callGas: AccountCall.gasOf([intent]),
      authorization: authorizationList.find((each) => signed !== undefined && isSame(each, signed))
    }
  }

  /** Without the sweeps that the transaction carries no longer. */
  return (
    { chain }: ChainClient,
    raw: Hex,
    intents: ReadonlyMap<string, Intent>
  ): ReadonlyArray<Group<Content.Member>> => {
    const { authorizationList, data } = Envelope.parse(raw)
    const isRun = contracts.isRun(data)
    const carries = Envelope.carrier(raw, contracts)
    const carried = [...intents.values()].filter(({ order }) => carries(order))
    return grouped(
      carried.map((intent) => memberOf(intent, authorizationList, isRun && Content.isCheckable(chain, { intent }))),
      placeOf
    )
  }
})

/**
 * Makes `reduce(client, transaction, refused, detail)`, where `detail` is the nodes' answer to the attempt that they refused, and
 * `shrink(client, transaction, attempt, kept)`, the content of an attempt with fewer sweeps.
 */
export const make = Effect.gen(function* () {
  const blocks = yield* OwnerBlocks
  const broadcast = yield* Broadcast.make
  const contentOf = yield* Content.make
  const membersOf = yield* makeMembers
  const keptVersions = yield* KeptVersions
  const { nextVersion } = yield* FeeCoverReplacement.make
  const recent = yield* RecentIntents
  const { rebroadcastMillis } = (yield* OrchestratorSettings).relayer
  const contracts = yield* SweepContracts
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  /**
   * The transaction as it is stored now; undefined if another process works on it: a relayer that has just signed the attempt
   * searches for the owner itself.
   */
  const current = Effect.fnUntraced(function* ({ chainId, id }: RelayTransaction, refused: Attempt) {
    if ((yield* Clock.currentTimeMillis) - refused.signedAtMs < rebroadcastMillis) return undefined
    const unfinished = yield* transactions.unfinished(chainId)
    return unfinished.find((each) => each.id === id && each.attempts.at(-1)?.hash === refused.hash)
  })

  /** The entry that a signed version calls, which the settings may know no longer. */
  const entryIn = ({ raw }: Attempt): Address.Address | undefined => {
    const { data, to } = Envelope.parse(raw)
    return contracts.isRun(data) ? to : undefined
  }

  const shrink = Effect.fnUntraced(function* (
    client: ChainClient,
    { intentIds }: RelayTransaction,
    attempt: Attempt,
    kept: { readonly intentIds: ReadonlyArray<string>; readonly fees: GasFees }
  ) {
    const members = membersOf(client, attempt.raw, yield* recent.get(intentIds)).flat()
    const left = members.filter(({ intent }) => kept.intentIds.includes(intent.id))
    return { ...contentOf(client, kept.fees, left, entryIn(attempt)), nonce: Envelope.parse(attempt.raw).nonce }
  })

  const reduce = Effect.fn("Relay.reduce")(function* (
    client: ChainClient,
    looked: RelayTransaction,
    refused: Attempt,
    detail: string
  ) {
    const transaction = yield* current(looked, refused)
    if (transaction === undefined) return
    const all = membersOf(client, refused.raw, yield* recent.get(transaction.intentIds))
    const market = yield* client.feesPerGas
    const next = yield* nextVersion(client, transaction, refused, market, true)
    if (next._tag === "Keep") return yield* keptVersions.keep(client.chain, transaction, refused, market)
    const { fees } = next
    const covered = next._tag === "Fewer" ? next.intentIds : next._tag === "Same" ? transaction.intentIds : []
    const members = grouped(
      all.flat().filter(({ intent }) => covered.includes(intent.id)),
      placeOf
    )
    const named = Broadcast.named(detail, members, ownerOf)
    const fresh = BatchSearch.start(members, (group) => blocks.suspicion(client, group))
    // The refusal may be due to an owner who is left out because of the fees.
    const isSuspected = named !== undefined || members.length === all.length
    let search = isSuspected ? BatchSearch.refused(fresh, named) : fresh
    let said = detail
    for (let offers = 1; ; offers++) {
      const batch = offers <= BatchSearch.OFFERS ? BatchSearch.next(search) : []
      const kind = batch.length === 0 ? "cancel" : "sweep"
      const attempt = yield* signAttempt(
        transaction.lane,
        kind === "cancel"
          ? Envelope.selfSend(transaction, fees)
          : { ...contentOf(client, fees, batch.flat(), entryIn(refused)), nonce: transaction.nonce }
      )
      yield* transactions.addAttempt(transaction.id, attempt, kind)
      const answer = yield* broadcast(client, transaction, attempt)
      if (kind === "cancel" || !Broadcast.mayBeBusy(answer)) break
      said = answer.detail
      search = BatchSearch.refused(search, Broadcast.named(said, batch, ownerOf))
    }
    for (const group of search.found) yield* blocks.note(client, intentsOf(group), said, false)
  })

  return { reduce, shrink }
})

const isSame = (one: Authorization, other: Authorization): boolean =>
  BigInt(one.r) === BigInt(other.r) && BigInt(one.s) === BigInt(other.s)
