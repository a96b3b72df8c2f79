/** Looks at one relay transaction, has {@link plan} decide what to do about it, and does that. */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../domain/Address.ts"
import type { Cause } from "../domain/SweepVerdict.ts"
import type { Block, ChainUnavailable, Receipt } from "../ports/Chains.ts"
import { type Intent, Intents } from "../ports/Intents.ts"
import { type Attempt, type Inclusion, type RelayTransaction, RelayTransactions } from "../ports/RelayTransactions.ts"
import type { SigningFailed, UnsignedTransaction } from "../ports/RelayerKeys.ts"
import type { StoreUnavailable } from "../ports/Store.ts"
import { type ChainView, inconsistent } from "./ChainView.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import * as RelayBroadcast from "./RelayBroadcast.ts"
import * as RelayEnvelope from "./RelayEnvelope.ts"
import { type Observation, plan } from "./RelayPlan.ts"
import * as RelaySigning from "./RelaySigning.ts"
import { type Resolution, Settlements } from "./Settlements.ts"
import { StandingAlerts } from "./StandingAlerts.ts"

/** What a pass over one chain shares between its transactions. */
export interface Pass {
  readonly view: ChainView
  readonly market: Observation["market"]
  /** The transaction count of each lane with unfinished transactions, in the newest block. */
  readonly laneNonces: ReadonlyMap<Address.Address, bigint>
}

/** What happened to a transaction in a pass, and to the intents that it carries. */
export interface Progress {
  readonly action: "none" | "rebroadcast" | "replaced" | "concluded"
  readonly resolutions: ReadonlyArray<Resolution>
}

const NOTHING: Progress = { action: "none", resolutions: [] }

export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const broadcast = yield* RelayBroadcast.make
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings
  const settlements = yield* Settlements
  const signAttempt = yield* RelaySigning.make
  const transactions = yield* RelayTransactions

  /** The receipt of whichever version was mined, with its block. */
  const findReceipt = Effect.fnUntraced(function* ({ client }: ChainView, attempts: ReadonlyArray<Attempt>) {
    let isOrphaned = false
    for (const { hash } of attempts.toReversed()) {
      const receipt = yield* client.receipt(hash)
      if (Option.isNone(receipt)) continue
      const block = yield* client.block(receipt.value.blockNumber)
      if (Option.exists(block, (canonical) => canonical.hash === receipt.value.blockHash)) {
        return Option.map(block, (including) => ({ receipt: receipt.value, block: including }))
      }
      isOrphaned = true
    }
    // A receipt from a block that is not canonical proves neither that the transaction is mined nor that it is not.
    if (isOrphaned) return yield* inconsistent(client)
    return Option.none<{ readonly receipt: Receipt; readonly block: Block }>()
  })

  const inclusionStands = Effect.fnUntraced(function* ({ client }: ChainView, inclusion: Inclusion | undefined) {
    if (inclusion === undefined) return false
    const block = yield* client.block(inclusion.blockNumber)
    return Option.exists(block, (canonical) => canonical.hash === inclusion.blockHash)
  })

  const store = Effect.fnUntraced(function* (
    { view }: Pass,
    transaction: RelayTransaction,
    content: UnsignedTransaction,
    kind: RelayTransaction["kind"]
  ) {
    const attempt = yield* signAttempt(transaction.lane, content)
    yield* transactions.addAttempt(transaction.id, attempt, kind)
    yield* Effect.logWarning(kind === "cancel" ? "transaction cancelled by a self-send" : "transaction replaced").pipe(
      Effect.annotateLogs({ newTxHash: attempt.hash, maxFeePerGas: attempt.maxFeePerGas.toString() })
    )
    yield* broadcast(view.client, transaction, attempt)
  })

  /** Decides every carried intent that is still open, lets those go that may be sent again, and ends the transaction. */
  const end = Effect.fnUntraced(function* (
    { view }: Pass,
    transaction: RelayTransaction,
    carried: ReadonlyArray<Intent>,
    decide: (intent: Intent) => Effect.Effect<Resolution, ChainUnavailable | StoreUnavailable>
  ) {
    const decided = yield* Effect.forEach(
      carried.filter((intent) => intent.status === "submitted"),
      (intent) => Effect.map(decide(intent), (resolution) => ({ intent, resolution }))
    )
    const retried = decided.filter(({ resolution }) => resolution === "retry")
    if (retried.length > 0) {
      yield* transactions.detach(
        transaction.id,
        retried.map(({ intent }) => intent.id)
      )
    }
    const resolutions = decided.map(({ resolution }) => resolution)
    if (resolutions.includes("undecided")) return { action: "none", resolutions } satisfies Progress
    yield* transactions.finalize(transaction.id)
    yield* Effect.logInfo("transaction concluded").pipe(
      Effect.annotateLogs({ block: view.head.number.toString(), resolutions: resolutions.join(",") })
    )
    return { action: "concluded", resolutions } satisfies Progress
  })

  const conclude = Effect.fnUntraced(function* (
    pass: Pass,
    transaction: RelayTransaction,
    carried: ReadonlyArray<Intent>,
    { block, receipt }: { readonly receipt: Receipt; readonly block: Block }
  ) {
    const { lane } = transaction
    const { status, transactionHash } = receipt
    const sent = transaction.attempts.find(({ hash }) => hash === transactionHash)
    const isCancel = sent !== undefined && RelayEnvelope.isSelfSend(sent.raw, lane)
    const detail = `${transactionHash} in block ${block.number} ${isCancel ? "took the nonce" : `has status ${status} and no event for the order`}`
    yield* warnOfLateSettlements(pass, carried, receipt)
    return yield* end(
      pass,
      transaction,
      carried,
      Effect.fnUntraced(function* (intent) {
        const settled = yield* settlements.settle(pass.view, intent, receipt)
        if (Option.isSome(settled)) return settled.value
        const late = block.timestamp > intent.order.deadline
        const cause: Cause = isCancel ? { _tag: "Cancelled" } : { _tag: "Ineffective", status, late }
        return yield* settlements.resolve(pass.view, intent, cause, detail)
      })
    )
  })

  /** A failed intent never changes, so a settlement that shows up after all is for the operator to book. */
  const warnOfLateSettlements = Effect.fnUntraced(function* (
    { view }: Pass,
    carried: ReadonlyArray<Intent>,
    receipt: Receipt
  ) {
    const { chain } = view.client
    const settled = carried.filter(
      (intent) => intent.status === "failed" && settlements.isSettledBy(view.client, intent, receipt)
    )
    for (const intent of settled) {
      yield* alerts.raise({
        key: `settled_after_failure:${intent.id}`,
        severity: "critical",
        kind: "settled_after_failure",
        message: `Intent ${intent.id} had failed (${intent.failureReason ?? "unknown"}) and was settled on ${chain.name} all the same: book its fees by hand.`,
        details: { chainId: chain.id, intentId: intent.id, txHash: receipt.transactionHash }
      })
    }
  })

  const detach = Effect.fnUntraced(function* (
    pass: Pass,
    transaction: RelayTransaction,
    carried: ReadonlyArray<Intent>
  ) {
    const { chain } = pass.view.client
    const { lane, nonce } = transaction
    yield* alerts.raise({
      key: `foreign_nonce:${chain.id}:${lane}`,
      severity: "critical",
      kind: "foreign_nonce",
      message: `A transaction that this service did not send took nonce ${nonce} of lane ${lane} on ${chain.name}: its key is used elsewhere.`,
      details: { chainId: chain.id, lane, nonce: nonce.toString() }
    })
    return yield* end(pass, transaction, carried, (intent) =>
      settlements.resolve(
        pass.view,
        intent,
        { _tag: "Displaced" },
        `another transaction took nonce ${nonce} of ${lane}`
      )
    )
  })

  const watch = Effect.fn("Watcher.watch")(
    function* (
      pass: Pass,
      transaction: RelayTransaction,
      carried: ReadonlyArray<Intent>
    ): Effect.fn.Return<Progress, ChainUnavailable | SigningFailed | StoreUnavailable> {
      const { view } = pass
      const { id, lane, nonce } = transaction
      const newest = transaction.attempts.at(-1)
      if (newest === undefined) return yield* Effect.die(new Error(`relay transaction ${id} has no attempt`))

      const found = yield* findReceipt(view, transaction.attempts)
      const latest = pass.laneNonces.get(lane) ?? 0n
      const decided = plan(
        {
          transaction: {
            kind: transaction.kind,
            nonce,
            newest,
            ...(transaction.inclusion === undefined ? {} : { inclusion: transaction.inclusion })
          },
          mined: Option.getOrUndefined(Option.map(found, inclusionOf)),
          inclusionStands: Option.isNone(found) && (yield* inclusionStands(view, transaction.inclusion)),
          head: view.head.number,
          confirmations: view.client.chain.confirmations,
          laneNonce: {
            latest,
            confirmed:
              Option.isNone(found) && latest > nonce && Option.isSome(view.confirmed)
                ? yield* view.client.transactionCount(lane, view.confirmed.value.number)
                : 0n
          },
          wanted: isWanted(view, carried),
          nowMs: yield* Clock.currentTimeMillis,
          market: pass.market
        },
        settings.relayer
      )

      switch (decided._tag) {
        case "Wait":
          return NOTHING
        case "Rebroadcast":
          yield* broadcast(view.client, transaction, newest)
          return { action: "rebroadcast", resolutions: [] }
        case "Bump":
          yield* store(pass, transaction, { ...RelayEnvelope.parse(newest.raw), ...decided.fees }, transaction.kind)
          return { action: "replaced", resolutions: [] }
        case "Cancel":
          yield* store(pass, transaction, RelayEnvelope.selfSend(transaction, decided.fees), "cancel")
          return { action: "replaced", resolutions: [] }
        case "Include":
          yield* transactions.setInclusion(id, decided.inclusion)
          yield* Effect.logInfo("transaction mined").pipe(
            Effect.annotateLogs({ block: decided.inclusion.blockNumber.toString() })
          )
          return NOTHING
        case "Reorged":
          yield* transactions.setInclusion(id, undefined)
          yield* Effect.logWarning("transaction lost its block in a reorganisation")
          yield* broadcast(view.client, transaction, newest)
          return { action: "rebroadcast", resolutions: [] }
        case "Conclude":
          yield* transactions.setInclusion(id, decided.inclusion)
          return Option.isNone(found) ? NOTHING : yield* conclude(pass, transaction, carried, found.value)
        case "Detach":
          return yield* detach(pass, transaction, carried)
      }
    },
    (effect, { view }, transaction) =>
      Effect.annotateLogs(effect, {
        chain: view.client.chain.name,
        chainId: view.client.chain.id,
        lane: transaction.lane,
        nonce: transaction.nonce.toString(),
        txHash: transaction.attempts.at(-1)?.hash ?? "none",
        intents: transaction.intentIds.join(",")
      })
  )

  /** The intents that a transaction carries; those that are known already are not read again. */
  const carriedBy = Effect.fnUntraced(function* (transaction: RelayTransaction, known: ReadonlyMap<string, Intent>) {
    const carried = yield* Effect.forEach(transaction.intentIds, (id) => {
      const intent = known.get(id)
      return intent === undefined ? intents.find(id) : Effect.succeed(Option.some(intent))
    })
    return carried.flatMap(Option.toArray)
  })

  return { watch, carriedBy }
})

/** Whether some open intent may still be settled in the next block. */
const isWanted = ({ head }: ChainView, carried: ReadonlyArray<Intent>): boolean =>
  carried.some(({ order, status }) => status === "submitted" && order.deadline >= head.timestamp)

const inclusionOf = ({ receipt }: { readonly receipt: Receipt }): Inclusion => ({
  hash: receipt.transactionHash,
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash
})
