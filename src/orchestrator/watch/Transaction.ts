/** Follows the unfinished relay transactions of a chain: observes each, has {@link plan} decide, and acts. */
import { Clock, Effect, Option } from "effect"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { Block, ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Broadcast from "../relay/Broadcast.ts"
import * as Envelope from "../relay/Envelope.ts"
import * as FeeCoverReplacement from "../relay/FeeCoverReplacement.ts"
import * as Reduction from "../relay/Reduction.ts"
import * as Signing from "../relay/Signing.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { transactionFields } from "../shared/LogFields.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Conclusion from "./Conclusion.ts"
import {
  type ChainPass,
  type Concluding,
  type Finding,
  type Included,
  isolated,
  NOTHING,
  type TransactionPlan
} from "./Findings.ts"
import * as Observing from "./Observing.ts"
import { plan } from "./Plan.ts"

/** Transactions whose receipts are requested at once. */
const RECEIPTS = 64

/** Makes `follow(view, unfinished)`, one look at each of a chain's unfinished transactions. */
export const make = Effect.gen(function* () {
  const { conclude, detach } = yield* Conclusion.make
  const act = yield* makeAct(detach)
  const { isQuiet, observe, retain } = yield* Observing.make
  const settings = yield* OrchestratorSettings

  const look = Effect.fn("Watcher.watch")(
    function* (
      pass: ChainPass,
      transaction: RelayTransaction
    ): Effect.fn.Return<Finding | Concluding, ChainUnavailable | SigningFailed | StoreUnavailable> {
      if (yield* isQuiet(pass, transaction)) return NOTHING
      const newest = transaction.attempts.at(-1)
      if (newest === undefined) {
        return yield* Effect.die(new Error(`relay transaction ${transaction.id} has no attempt`))
      }
      const { found, seen } = yield* observe(pass, transaction, newest)
      return yield* act(pass, transaction, newest, found, plan(seen, settings.relayer))
    },
    (effect, { view }, transaction) => Effect.annotateLogs(effect, transactionFields(view.client, transaction))
  )

  return Effect.fnUntraced(function* (
    view: ChainView,
    unfinished: ReadonlyArray<RelayTransaction>
  ): Effect.fn.Return<ReadonlyArray<Finding>, ChainUnavailable | StoreUnavailable> {
    const { client } = view
    retain(client.chain.id, unfinished)
    if (unfinished.length === 0) return []
    const lanes = [...new Set(unfinished.map(({ lane }) => lane))]
    const nonceOf = (lane: (typeof lanes)[number]) =>
      Effect.map(client.transactionCount(lane, "latest"), (nonce) => [lane, nonce] as const)
    const [nonces, market] = yield* Effect.all(
      [Effect.forEach(lanes, nonceOf, { concurrency: "unbounded" }), client.feesPerGas],
      { concurrency: "unbounded" }
    )
    // Ordered by lane and nonce, so the last one of a lane has its highest nonce.
    const lastNonces = new Map(unfinished.map(({ lane, nonce }) => [lane, nonce] as const))
    const pass = { view, market, lastNonces, laneNonces: new Map(nonces), block: blocksOf(view) }
    // Concurrent requests for receipts travel in one batch to the node.
    const looked = yield* Effect.forEach(unfinished, (transaction) => isolated(look(pass, transaction)), {
      concurrency: RECEIPTS
    })
    const concluding = looked.flatMap((each) => ("receipt" in each ? [each] : []))
    const others = looked.flatMap((each) => ("receipt" in each ? [] : [each]))
    return [...others, ...(yield* conclude(view, concluding))]
  })
})

type Detach = Effect.Success<typeof Conclusion.make>["detach"]

/** Makes `act`, which carries out a plan. A transaction to conclude is returned, so that all of them are booked together. */
const makeAct = Effect.fnUntraced(function* (detach: Detach) {
  const broadcast = yield* Broadcast.make
  const { cancelFees, forgetKept, nextVersion, noteKept } = yield* FeeCoverReplacement.make
  const { reduce, shrink } = yield* Reduction.make
  const { rebroadcastMillis } = (yield* OrchestratorSettings).relayer
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  /** Sends an attempt. If nodes refuse it because of an owner, a smaller one replaces it. */
  const send = Effect.fnUntraced(function* (client: ChainClient, transaction: RelayTransaction, attempt: Attempt) {
    const answer = yield* broadcast(client, transaction, attempt)
    if (Broadcast.mayBeBusy(answer)) yield* reduce(client, transaction, attempt, answer.detail)
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
    yield* noteKept(view.client, transaction, newest, market)
    const age = (yield* Clock.currentTimeMillis) - (newest.broadcastAtMs ?? 0)
    if (age < rebroadcastMillis) return NOTHING
    yield* send(view.client, transaction, newest)
    return { action: "rebroadcast", resolutions: [] } satisfies Finding
  })

  /** Raises the fees as far as they are covered. */
  const raise = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const { lastNonces, market, view } = pass
    const isBlocking = (lastNonces.get(transaction.lane) ?? 0n) > transaction.nonce
    const next = yield* nextVersion(view.client, transaction, newest, market, isBlocking)
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
      case "Cancel": {
        const fees = yield* cancelFees(view.client, transaction, newest, pass.market)
        return fees === undefined
          ? yield* keep(pass, transaction, newest)
          : yield* replace(view, transaction, Envelope.selfSend(transaction, fees), "cancel")
      }
      case "Include":
        yield* forgetKept(view.client, transaction)
        yield* transactions.setInclusion(transaction.id, decided.inclusion)
        yield* Effect.logInfo("relay.mined").pipe(
          Effect.annotateLogs({ block: decided.inclusion.blockNumber.toString() })
        )
        return NOTHING
      case "Reorged":
        yield* transactions.setInclusion(transaction.id, undefined)
        yield* Effect.logWarning("relay.reorged")
        yield* send(view.client, transaction, newest)
        return { action: "rebroadcast", resolutions: [] }
      case "Conclude":
        return Option.isNone(found) ? NOTHING : { transaction, ...found.value }
      case "Detach":
        return yield* detach(view, transaction)
    }
  })
})

/** Reads each canonical block of a pass once. */
const blocksOf = ({ client, head }: ChainView): ChainPass["block"] => {
  const known = new Map<bigint, ReturnType<ChainPass["block"]>>([[head.number, Effect.succeedSome<Block>(head)]])
  return Effect.fnUntraced(function* (number) {
    const asked = known.get(number) ?? (yield* Effect.cached(client.block(number)))
    known.set(number, asked)
    return yield* asked
  })
}
