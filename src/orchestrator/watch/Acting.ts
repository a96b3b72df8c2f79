/** Acts on the unfinished relay transactions of a chain: carries out the plan for each. */
import { Clock, Effect, Option } from "effect"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Broadcast from "../relay/Broadcast.ts"
import * as Envelope from "../relay/Envelope.ts"
import * as FeeCoverReplacement from "../relay/FeeCoverReplacement.ts"
import * as Reduction from "../relay/Reduction.ts"
import * as Signing from "../relay/Signing.ts"
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
import * as Reorganisation from "./Reorganisation.ts"

/** Makes `send`, `resend`, `raise` and `cancel`: the steps with a transaction that is not mined. */
const makeVersions = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const broadcast = yield* Broadcast.make
  const { cancelFees, nextVersion } = yield* FeeCoverReplacement.make
  const keptVersions = yield* KeptVersions
  const { reduce, shrink } = yield* Reduction.make
  const { rebroadcastMillis } = (yield* OrchestratorSettings).relayer
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  /**
   * Sends an attempt. If nodes refuse it because of an owner, a smaller one replaces it. Not that of a reopened transaction: its sweeps
   * were settled, and those that another version leaves out would be lost.
   */
  const send = Effect.fnUntraced(function* (client: ChainClient, transaction: RelayTransaction, attempt: Attempt) {
    const answer = yield* broadcast(client, transaction, attempt)
    const mayLose = transaction.reopened !== undefined
    if (Broadcast.mayBeBusy(answer) && !mayLose) yield* reduce(client, transaction, attempt, answer.detail)
  })

  const replace = Effect.fnUntraced(function* (
    { client }: ChainView,
    transaction: RelayTransaction,
    content: UnsignedTransaction,
    kind: RelayTransaction["kind"]
  ) {
    const attempt = yield* signAttempt(transaction.lane, content)
    yield* transactions.addAttempt(transaction.id, attempt, kind)
    yield* Effect.logWarning(kind === "cancel" ? "relay.cancelled" : "relay.replaced").pipe(
      Effect.annotateLogs({ newTxHash: attempt.hash, maxFeePerGas: attempt.maxFeePerGas.toString() })
    )
    yield* send(client, transaction, attempt)
    return { action: "replaced", resolutions: [] } satisfies Finding
  })

  /** Leaves the last version as it is. It is broadcast again after a while, since nodes forget transactions that they cannot include. */
  const keep = Effect.fnUntraced(function* (
    { market, view }: ChainPass,
    transaction: RelayTransaction,
    newest: Attempt
  ) {
    yield* keptVersions.keep(view.client.chain, transaction, newest, market)
    const age = (yield* Clock.currentTimeMillis) - (newest.broadcastAtMs ?? 0)
    if (age < rebroadcastMillis) return NOTHING
    yield* send(view.client, transaction, newest)
    return { action: "rebroadcast", resolutions: [] } satisfies Finding
  })

  /** Raises the fees as far as they are covered: for a reopened sweep, by all of its sweeps. A self-send can lose none. */
  const raise = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const { lastNonces, market, view } = pass
    const isBlocking = (lastNonces.get(transaction.lane) ?? 0n) > transaction.nonce
    const next = yield* nextVersion(view.client, transaction, newest, market, isBlocking)
    const mayLose = transaction.reopened !== undefined && transaction.kind === "sweep"
    if (mayLose && next._tag !== "Same") return yield* keep(pass, transaction, newest)
    switch (next._tag) {
      case "Same":
        return yield* replace(view, transaction, { ...Envelope.parse(newest.raw), ...next.fees }, transaction.kind)
      case "Fewer": {
        const fewer = yield* shrink(view.client, transaction, newest, next)
        return yield* replace(view, transaction, fewer, "sweep")
      }
      case "Cancel":
        return yield* replace(view, transaction, Envelope.selfSend(transaction, next.fees), "cancel")
      case "Keep":
        return yield* keep(pass, transaction, newest)
    }
  })

  /** Replaces the transaction by a self-send as far as its fees are covered. */
  const cancel = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const fees = yield* cancelFees(pass.view.client, transaction, newest, pass.market)
    return fees === undefined
      ? yield* keep(pass, transaction, newest)
      : yield* replace(pass.view, transaction, Envelope.selfSend(transaction, fees), "cancel")
  })

  /**
   * Sends a transaction again whose noted block is gone. One that had settled sweeps is reopened, since they would be lost with it, and
   * the next pass sends it. Sends nothing if another process has changed what is noted: it may have reopened the transaction, and the
   * newest version of this row may lack sweeps that had settled.
   */
  const resend = Effect.fnUntraced(function* (view: ChainView, transaction: RelayTransaction, newest: Attempt) {
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

  return { cancel, raise, resend, send }
})

type Detach = Effect.Success<ReturnType<typeof Conclusion.make>>["detach"]

/**
 * Makes `act(pass, transaction, newest, found, decided)`, which carries out a plan. A transaction to conclude is returned, so that all
 * of them are booked together.
 */
export const make = Effect.fnUntraced(function* (detach: Detach) {
  const keptVersions = yield* KeptVersions
  const transactions = yield* RelayTransactions
  const { cancel, raise, resend, send } = yield* makeVersions

  return Effect.fnUntraced(function* (
    pass: ChainPass,
    transaction: RelayTransaction,
    newest: Attempt,
    found: Option.Option<Included>,
    decided: TransactionPlan
  ): Effect.fn.Return<Finding | Concluding, ChainUnavailable | SigningFailed | StoreUnavailable> {
    const { view } = pass
    switch (decided._tag) {
      case "Wait":
        return NOTHING
      case "Rebroadcast":
        yield* send(view.client, transaction, newest)
        return { action: "rebroadcast", resolutions: [] }
      case "Bump":
        return yield* raise(pass, transaction, newest)
      case "Cancel":
        return yield* cancel(pass, transaction, newest)
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
    }
  })
})
