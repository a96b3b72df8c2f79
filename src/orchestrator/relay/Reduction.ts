/**
 * Replaces a transaction that nodes refuse because of an owner, although they may have had it before: by a smaller one with the
 * same nonce and higher fees. The sweeps that it leaves out stay with the transaction until its nonce is used, since an earlier
 * version with them may still be mined.
 */
import { Clock, Effect } from "effect"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import * as Generations from "../../domain/Generations.ts"
import { batchGasLimit, itemGas } from "../../domain/RelayGas.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { type RunItem, SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as Broadcast from "./Broadcast.ts"
import * as Envelope from "./Envelope.ts"
import * as FeeCoverReplacement from "./FeeCoverReplacement.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import * as Signing from "./Signing.ts"

/** Versions that one reduction offers to the nodes before it gives the nonce up. */
const OFFERS = 40

/** A sweep of a signed transaction. */
interface Member {
  readonly intent: Intent
  readonly item: RunItem
  readonly authorization: Authorization | undefined
}

/** Makes `membersOf` and `contentOf`, which read and write the batch of a transaction. */
const makeBatch = Effect.map(SweepContracts, (contracts) => {
  /** The batch without the sweeps that the transaction carries no longer. */
  const membersOf = (
    client: ChainClient,
    { authorizationList, data, gas, to }: UnsignedTransaction,
    intents: ReadonlyMap<string, Intent>
  ): ReadonlyArray<Member> => {
    const items = Generations.isEntry(client.chain, to)
      ? contracts.decodeRun(data)
      : [{ account: to, gasLimit: gas, data }]
    const carried = [...intents.values()]
    return items.flatMap((item) => {
      const intent = carried.find(({ order }) => order.owner === item.account)
      if (intent === undefined) return []
      const signed = intent.submission?.authorization
      return [
        { intent, item, authorization: authorizationList.find((each) => signed !== undefined && isSame(each, signed)) }
      ]
    })
  }

  const contentOf = (
    client: ChainClient,
    { nonce }: UnsignedTransaction,
    members: ReadonlyArray<Member>,
    fees: GasFees
  ): UnsignedTransaction => ({
    chainId: client.chain.id,
    nonce,
    to: client.chain.contracts.entry,
    data: contracts.encodeRun(members.map(({ item }) => item)),
    gas: batchGasLimit(
      members.map(({ authorization, item }) =>
        itemGas({ ...item, authorizations: authorization === undefined ? 0 : 1 })
      )
    ),
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    authorizationList: members.flatMap(({ authorization }) => (authorization === undefined ? [] : [authorization]))
  })

  return { contentOf, membersOf }
})

/**
 * Makes `reduce(client, transaction, refused, detail)`, where `detail` is the nodes' answer to the attempt that they refused, and
 * `shrink(client, transaction, attempt, kept)`, the content of an attempt with fewer sweeps.
 */
export const make = Effect.gen(function* () {
  const blocks = yield* OwnerBlocks
  const broadcast = yield* Broadcast.make
  const { contentOf, membersOf } = yield* makeBatch
  const { nextVersion, noteKept } = yield* FeeCoverReplacement.make
  const recent = yield* RecentIntents
  const { rebroadcastMillis } = (yield* OrchestratorSettings).relayer
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

  const shrink = Effect.fnUntraced(function* (
    client: ChainClient,
    { intentIds }: RelayTransaction,
    { raw }: Attempt,
    kept: { readonly intentIds: ReadonlyArray<string>; readonly fees: GasFees }
  ) {
    const unsigned = Envelope.parse(raw)
    const members = membersOf(client, unsigned, yield* recent.get(intentIds))
    return contentOf(
      client,
      unsigned,
      members.filter(({ intent }) => kept.intentIds.includes(intent.id)),
      kept.fees
    )
  })

  const reduce = Effect.fn("Relay.reduce")(function* (
    client: ChainClient,
    looked: RelayTransaction,
    refused: Attempt,
    detail: string
  ) {
    const transaction = yield* current(looked, refused)
    if (transaction === undefined) return
    const unsigned = Envelope.parse(refused.raw)
    const all = membersOf(client, unsigned, yield* recent.get(transaction.intentIds))
    const market = yield* client.feesPerGas
    const next = yield* nextVersion(client, transaction, refused, market, true)
    if (next._tag === "Keep") return yield* noteKept(client, transaction, refused, market)
    const { fees } = next
    const covered = next._tag === "Fewer" ? next.intentIds : next._tag === "Same" ? transaction.intentIds : []
    const members = all.filter(({ intent }) => covered.includes(intent.id))
    const named = Broadcast.named(detail, members)
    const fresh = BatchSearch.start(members, ({ authorization, intent }) =>
      blocks.isKnown(client, intent.order.owner) ? 2 : authorization === undefined ? 0 : 1
    )
    // The refusal may be due to a sweep that is left out because of its fee.
    const isSuspected = named !== undefined || members.length === all.length
    let search = isSuspected ? BatchSearch.refused(fresh, named) : fresh
    let said = detail
    for (let offers = 1; ; offers++) {
      const batch = offers <= OFFERS ? BatchSearch.next(search) : []
      const kind = batch.length === 0 ? "cancel" : "sweep"
      const attempt = yield* signAttempt(
        transaction.lane,
        kind === "cancel" ? Envelope.selfSend(transaction, fees) : contentOf(client, unsigned, batch, fees)
      )
      yield* transactions.addAttempt(transaction.id, attempt, kind)
      const answer = yield* broadcast(client, transaction, attempt)
      if (kind === "cancel" || !Broadcast.mayBeBusy(answer)) break
      said = answer.detail
      search = BatchSearch.refused(search, Broadcast.named(said, batch))
    }
    for (const { intent } of search.found) yield* blocks.note(client, intent, said, false)
  })

  return { reduce, shrink }
})

const isSame = (one: Authorization, other: Authorization): boolean =>
  BigInt(one.r) === BigInt(other.r) && BigInt(one.s) === BigInt(other.s)
