/** Looks at one relay transaction, has {@link plan} decide what to do about it, and does that. */
import { Clock, Effect, Option } from "effect"
import type { Block, ChainUnavailable, Receipt } from "../../ports/shared/Chains.ts"
import {
  type Attempt,
  type Inclusion,
  type RelayTransaction,
  RelayTransactions
} from "../../ports/orchestrator/RelayTransactions.ts"
import type { SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { inconsistent } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as RelayBroadcast from "../relay/Broadcast.ts"
import * as RelayEnvelope from "../relay/Envelope.ts"
import { depth, plan } from "./Plan.ts"
import * as RelaySigning from "../relay/Signing.ts"
import * as WatchConclusion from "./Conclusion.ts"
import { annotations, type Concluding, inclusionOf, NOTHING, type Pass, type Progress } from "./Conclusion.ts"

/** What a look at a transaction came to. */
export type Looked = Progress | Concluding

export const make = Effect.gen(function* () {
  const broadcast = yield* RelayBroadcast.make
  const { detach } = yield* WatchConclusion.make
  const settings = yield* OrchestratorSettings
  const signAttempt = yield* RelaySigning.make
  const transactions = yield* RelayTransactions

  /** The receipt of whichever version was mined, with its block. */
  const findReceipt = Effect.fnUntraced(function* (pass: Pass, attempts: ReadonlyArray<Attempt>) {
    const { client } = pass.view
    let isOrphaned = false
    for (const { hash } of attempts.toReversed()) {
      const receipt = yield* client.receipt(hash)
      if (Option.isNone(receipt)) continue
      const block = yield* pass.block(receipt.value.blockNumber)
      if (Option.exists(block, (canonical) => canonical.hash === receipt.value.blockHash)) {
        return Option.map(block, (including) => ({ receipt: receipt.value, block: including }))
      }
      isOrphaned = true
    }
    // A receipt from a block that is not canonical proves neither that the transaction is mined nor that it is not.
    if (isOrphaned) return yield* inconsistent(client)
    return Option.none<{ readonly receipt: Receipt; readonly block: Block }>()
  })

  const inclusionStands = Effect.fnUntraced(function* (pass: Pass, inclusion: Inclusion | undefined) {
    if (inclusion === undefined) return false
    const block = yield* pass.block(inclusion.blockNumber)
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

  /** Whether a look at receipts can change anything: as long as the nonce is unused and nothing is due, it cannot. */
  const isDue = ({ attempts, wantedUntil }: RelayTransaction, head: Block, nowMs: number) => {
    const newest = attempts.at(-1)
    if (newest?.broadcastAtMs === undefined || wantedUntil === undefined || wantedUntil < head.timestamp) return true
    const { bumpMillis, rebroadcastMillis } = settings.relayer
    return nowMs - newest.broadcastAtMs >= rebroadcastMillis || nowMs - newest.signedAtMs >= bumpMillis
  }

  const isSettledFor = Effect.fnUntraced(function* (pass: Pass, transaction: RelayTransaction) {
    const { inclusion, lane, nonce } = transaction
    const { confirmations } = pass.view.client.chain
    const { head } = pass.view
    if (inclusion !== undefined) {
      const isShallow = depth(head.number, inclusion.blockNumber) < BigInt(confirmations)
      return isShallow && (yield* inclusionStands(pass, inclusion))
    }
    if ((pass.laneNonces.get(lane) ?? 0n) > nonce) return false
    return !isDue(transaction, head, yield* Clock.currentTimeMillis)
  })

  const watch = Effect.fn("Watcher.watch")(
    function* (
      pass: Pass,
      transaction: RelayTransaction
    ): Effect.fn.Return<Looked, ChainUnavailable | SigningFailed | StoreUnavailable> {
      if (yield* isSettledFor(pass, transaction)) return NOTHING
      const { view } = pass
      const { id, lane, nonce } = transaction
      const newest = transaction.attempts.at(-1)
      if (newest === undefined) return yield* Effect.die(new Error(`relay transaction ${id} has no attempt`))

      const found = yield* findReceipt(pass, transaction.attempts)
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
          inclusionStands: Option.isNone(found) && (yield* inclusionStands(pass, transaction.inclusion)),
          head: view.head.number,
          confirmations: view.client.chain.confirmations,
          laneNonce: {
            latest,
            confirmed:
              Option.isNone(found) && latest > nonce && Option.isSome(view.confirmed)
                ? yield* view.client.transactionCount(lane, view.confirmed.value.number)
                : 0n
          },
          wanted: transaction.wantedUntil !== undefined && transaction.wantedUntil >= view.head.timestamp,
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
          return Option.isNone(found) ? NOTHING : { transaction, ...found.value }
        case "Detach":
          return yield* detach(pass, transaction)
      }
    },
    (effect, pass, transaction) => Effect.annotateLogs(effect, annotations(pass, transaction))
  )

  return { watch }
})
