/** Acts on the unfinished relay transactions of a chain: carries out the plan for each. */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as SendScope from "../../ports/shared/SendScope.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Broadcast from "../relay/Broadcast.ts"
import * as Envelope from "../relay/Envelope.ts"
import * as FeeCoverReplacement from "../relay/FeeCoverReplacement.ts"
import * as Reduction from "../relay/Reduction.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import type * as Conclusion from "./Conclusion.ts"
import {
  type ChainPass,
  type Concluding,
  type Finding,
  type Included,
  NOTHING,
  type TransactionPlan
} from "./Findings.ts"
import type { LaneSigning } from "./LaneSigning.ts"
import * as MissedNonces from "./MissedNonces.ts"
import * as Reorganisation from "./Reorganisation.ts"

/** Makes `send`, `repeat` and `replace`, which hand a version to the nodes. None of them fails when the lane cannot sign. */
const makeSending = Effect.fnUntraced(function* (signing: LaneSigning) {
  const broadcast = yield* Broadcast.make
  const { reduce } = yield* Reduction.make
  const { rebroadcastMillis } = (yield* OrchestratorSettings).relayer
  const transactions = yield* RelayTransactions

  /**
   * Sends an attempt to every endpoint. If nodes refuse it because of an owner, a smaller one replaces it. Not that of a reopened
   * transaction: its sweeps were settled, and those that another version leaves out would be lost.
   */
  const send = Effect.fnUntraced(function* (client: ChainClient, transaction: RelayTransaction, attempt: Attempt) {
    const answer = yield* broadcast(client, transaction, attempt)
    const mayLose = transaction.reopened !== undefined
    if (!Broadcast.mayBeBusy(answer) || mayLose) return
    yield* Effect.catchTag(reduce(client, transaction, attempt, answer.detail), "SigningFailed", (error) =>
      signing.failed(client, transaction.lane, error)
    )
  }, SendScope.everywhere)

  /** Broadcasts the last version again after a while, since nodes forget transactions that they cannot include. */
  const repeat = Effect.fnUntraced(function* (client: ChainClient, transaction: RelayTransaction, newest: Attempt) {
    const age = ageOf(yield* Clock.currentTimeMillis, newest.broadcastAtMs ?? 0)
    if (age < rebroadcastMillis) return NOTHING
    yield* send(client, transaction, newest)
    return { action: "rebroadcast", resolutions: [] } satisfies Finding
  })

  /** Replaces the last version. It stays while the lane cannot sign. */
  const replace = Effect.fnUntraced(function* (
    { client }: ChainView,
    transaction: RelayTransaction,
    newest: Attempt,
    content: UnsignedTransaction,
    kind: RelayTransaction["kind"]
  ) {
    const signed = yield* signing.sign(client, transaction.lane, content)
    if (Option.isNone(signed)) return yield* repeat(client, transaction, newest)
    const attempt = signed.value
    yield* transactions.addAttempt(transaction.id, attempt, kind)
    yield* Effect.logWarning(kind === "cancel" ? "relay.cancelled" : "relay.replaced").pipe(
      Effect.annotateLogs({ newTxHash: attempt.hash, maxFeePerGas: attempt.maxFeePerGas.toString() })
    )
    yield* send(client, transaction, attempt)
    return { action: "replaced", resolutions: [] } satisfies Finding
  })

  return { repeat, replace, send }
})

/** Makes `raise` and `cancel`, which replace a transaction that is not mined. */
const makeVersions = Effect.fnUntraced(function* ({
  repeat,
  replace
}: Pick<Effect.Success<ReturnType<typeof makeSending>>, "repeat" | "replace">) {
  const { cancelFees, nextVersion } = yield* FeeCoverReplacement.make
  const keptVersions = yield* KeptVersions
  const { shrink } = yield* Reduction.make

  /** Leaves the last version as it is. */
  const keep = Effect.fnUntraced(function* (
    { market, view }: ChainPass,
    transaction: RelayTransaction,
    newest: Attempt
  ) {
    yield* keptVersions.keep(view.client.chain, transaction, newest, market)
    return yield* repeat(view.client, transaction, newest)
  })

  /** Raises the fees as far as they are covered: for a reopened sweep, by all of its sweeps. A self-send can lose none. */
  const raise = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const { lastNonces, market, view } = pass
    const isBlocking = (lastNonces.get(transaction.lane) ?? 0n) > transaction.nonce
    const next = yield* nextVersion(view.client, transaction, newest, market, isBlocking)
    const mayLose = transaction.reopened !== undefined && transaction.kind === "sweep"
    if (mayLose && next._tag !== "Same") return yield* keep(pass, transaction, newest)
    switch (next._tag) {
      case "Same": {
        const same = { ...Envelope.parse(newest.raw), ...next.fees }
        return yield* replace(view, transaction, newest, same, transaction.kind)
      }
      case "Fewer": {
        const fewer = yield* shrink(view.client, transaction, newest, next)
        return yield* replace(view, transaction, newest, fewer, "sweep")
      }
      case "Cancel":
        return yield* replace(view, transaction, newest, Envelope.selfSend(transaction, next.fees), "cancel")
      case "Keep":
        return yield* keep(pass, transaction, newest)
    }
  })

  /** Replaces the transaction by a self-send as far as its fees are covered. */
  const cancel = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const fees = yield* cancelFees(pass.view.client, transaction, newest, pass.market)
    return fees === undefined
      ? yield* keep(pass, transaction, newest)
      : yield* replace(pass.view, transaction, newest, Envelope.selfSend(transaction, fees), "cancel")
  })

  return { cancel, raise }
})

/**
 * Makes `resend`, which sends a transaction again whose noted block is gone. One that had settled sweeps is reopened, since they would be
 * lost with it, and the next pass sends it. Sends nothing if another process has changed what is noted: it may have reopened the
 * transaction, and the newest version of this row may lack sweeps that had settled.
 */
const makeResend = Effect.fnUntraced(function* (send: Effect.Success<ReturnType<typeof makeSending>>["send"]) {
  const alerts = yield* StandingAlerts
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (view: ChainView, transaction: RelayTransaction, newest: Attempt) {
    yield* Effect.logWarning("relay.reorged")
    const { id, inclusion } = transaction
    if (inclusion === undefined) return NOTHING
    const reopened = transaction.reopened === undefined ? yield* transactions.reopen([{ id, inclusion }]) : []
    if (reopened.length > 0) {
      // Only the reopening tells if sweeps had settled. If this process stops here, the next review of any process raises the alert.
      yield* alerts.raise(Reorganisation.alertOf(view, reopened.length))
      return NOTHING
    }
    if (!(yield* transactions.clearInclusion(id, inclusion))) return NOTHING
    yield* send(view.client, transaction, newest)
    return { action: "rebroadcast", resolutions: [] } satisfies Finding
  })
})

/**
 * Makes `release`, which detaches intents that no block can settle any more. They end by the chain's evidence (`Expiry.ts`), and their
 * owners are free. A version may still be mined, so the transaction stays until its nonce is used.
 */
const makeRelease = Effect.gen(function* () {
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (
    { client, confirmed }: ChainView,
    { id, intentIds, lane, nonce }: RelayTransaction
  ) {
    if (Option.isNone(confirmed)) return NOTHING
    // The node that told the lane's newest nonce may be behind the confirmed block, which may include a version.
    const used = yield* client.transactionCount(lane, { hash: confirmed.value.hash })
    if (used > nonce) return NOTHING
    yield* transactions.detach(id, intentIds)
    yield* Effect.annotateLogs(Effect.logWarning("relay.released"), { sweeps: intentIds.length })
    return NOTHING
  })
})

type Detach = Effect.Success<ReturnType<typeof Conclusion.make>>["detach"]

/**
 * Makes `act(pass, transaction, newest, found, decided)`, which carries out a plan. A transaction to conclude is returned, so that all
 * of them are booked together.
 */
export const make = Effect.fnUntraced(function* (detach: Detach, signing: LaneSigning) {
  const keptVersions = yield* KeptVersions
  const release = yield* makeRelease
  const sending = yield* makeSending(signing)
  const { send } = sending
  const { cancel, raise } = yield* makeVersions(sending)
  const fill = yield* MissedNonces.make(send, signing)
  const resend = yield* makeResend(send)
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(function* (
    pass: ChainPass,
    transaction: RelayTransaction,
    newest: Attempt,
    found: Option.Option<Included>,
    decided: TransactionPlan
  ): Effect.fn.Return<Finding | Concluding, ChainUnavailable | StoreUnavailable> {
    const { view } = pass
    switch (decided._tag) {
      case "Wait":
        return NOTHING
      case "Rebroadcast":
        yield* send(view.client, transaction, newest)
        yield* fill(pass, transaction)
        return { action: "rebroadcast", resolutions: [] }
      case "Bump":
        return yield* raise(pass, transaction, newest)
      case "Cancel": {
        const finding = yield* cancel(pass, transaction, newest)
        if (finding.action === "rebroadcast") yield* fill(pass, transaction)
        return finding
      }
      case "Include":
        keptVersions.used(view.client.chain, transaction)
        yield* transactions.setInclusion(transaction.id, decided.inclusion)
        yield* Effect.logInfo("relay.mined").pipe(
          Effect.annotateLogs({ block: decided.inclusion.blockNumber.toString() })
        )
        return NOTHING
      case "Reorged":
        return yield* resend(view, transaction, newest)
      case "Conclude":
        if (Option.isNone(found)) return NOTHING
        keptVersions.used(view.client.chain, transaction)
        return { transaction, ...found.value }
      case "Detach":
        keptVersions.used(view.client.chain, transaction)
        return yield* detach(view, transaction)
      case "Release":
        return yield* release(view, transaction)
    }
  })
})
