/**
 * Ends intents by what their source chain proves (design, "Rules of money", 1). The guard's `Swept` event settles an intent,
 * no matter who sent the transaction. An intent fails only when the chain proves that it has not settled and cannot settle any more.
 */
import { Array, Clock, Context, Effect, Layer, Option, Result } from "effect"
import * as Accrual from "../../domain/Accrual.ts"
import { effectsOf, type FailureReason } from "../../domain/Intent.ts"
import { type UnsettledCause, verdict } from "../../domain/SweepVerdict.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import { type Intent, Intents, type Step } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient, ChainUnavailable, Log, Receipt } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { attestedReceipt, type ChainView, inconsistent, isDeep } from "../shared/ChainView.ts"
import { Claimer } from "../shared/Claimer.ts"
import { intentFields } from "../shared/LogFields.ts"
import * as MoneyPrices from "../shared/MoneyPrices.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import * as Evidence from "./Evidence.ts"
import { LogSources } from "./LogSources.ts"
import * as OwnSales from "./OwnSales.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as SettledFees from "./SettledFees.ts"
import type * as SettlementSteps from "./SettlementSteps.ts"
import * as SweptEvents from "./SweptEvents.ts"
import * as UnknownGuards from "./UnknownGuards.ts"
import * as UnseenSpenders from "./UnseenSpenders.ts"

/**
 * New state of an intent. `elsewhere`: another process moved it first. `undecided`: more blocks are needed. `retry`: it can
 * still settle and must be sent again. `given_up`: it is not sent again, and fails once its deadline is past.
 */
export type Resolution = "settled_source" | "delivered" | "failed" | "elsewhere" | "undecided" | "retry" | "given_up"

/** Result of `settleAll`. */
export interface Settled {
  /** Resolution of each proven intent, by id. An intent without one has no event in these receipts. */
  readonly resolutions: ReadonlyMap<string, Resolution>
  /** Set if some are undecided because a node did not answer. */
  readonly unavailable?: ChainUnavailable
}

/** Intents that one transaction of the store moves, at most. */
const STEPS = 500

/**
 * Time after its deadline in which the relayer leaves an intent that was given up to the watcher, which ends it once a block
 * after the deadline is confirmed. Longer than a chain halts.
 */
const GIVEN_UP_MILLIS = 86_400_000

/** Detail of a failure because of the price of gas. */
const DEAR = "gas cost more than the network fee covers until the deadline"

export class Settlements extends Context.Service<
  Settlements,
  {
    /**
     * Settles the intents that confirmed receipts prove, in as few transactions of the store as possible. A proven sweep stays undecided
     * while a node does not tell if it is a sale of collected fees.
     */
    readonly settleAll: (
      view: ChainView,
      mined: ReadonlyArray<SettlementSteps.Mined>
    ) => Effect.Effect<Settled, StoreUnavailable>
    /** True when the receipt holds the guard's event for the intent's order. */
    readonly isSettledBy: (client: ChainClient, intent: Intent, receipt: Receipt) => boolean
    /**
     * True if the chain's settings have the guard of the intent's order. Otherwise no log and no state that this process reads proves
     * anything about the order, so it must wait. Alerts if that lasts.
     */
    readonly knowsGuard: (client: ChainClient, intent: Intent) => Effect.Effect<boolean, StoreUnavailable>
    /** Decides an intent that its own transaction, if any, did not settle. `detail` explains a failure. */
    readonly resolve: (
      view: ChainView,
      intent: Intent,
      cause: UnsettledCause,
      detail: string
    ) => Effect.Effect<Resolution, ChainUnavailable | StoreUnavailable>
    /** Clears the alerts of intents on a chain that have ended since. */
    readonly review: (client: ChainClient) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/Settlements") {
  static readonly layer = Layer.effect(
    Settlements,
    Effect.gen(function* () {
      const events = yield* SweptEvents.make
      const gather = yield* Evidence.make(events)
      const { fail, giveUp } = yield* makeFailures
      const guards = yield* UnknownGuards.make
      const unseen = yield* UnseenSpenders.make

      const settleAll = yield* makeSettleAll(events)

      /** Settles an intent by a log that {@link SweptEvents} found. */
      const settleBy = Effect.fnUntraced(function* (view: ChainView, intent: Intent, { transactionHash }: Log) {
        const { client } = view
        const { corroborate } = yield* attestedReceipt(client, transactionHash)
        const receipt = yield* corroborate
        if (Option.isNone(receipt)) return yield* inconsistent(client)
        const block = yield* client.block(receipt.value.blockNumber)
        if (Option.isNone(block) || block.value.hash !== receipt.value.blockHash) return yield* inconsistent(client)
        const mined = { receipt: receipt.value, block: block.value, intents: [intent] }
        const { resolutions } = yield* settleAll(view, [mined])
        return resolutions.get(intent.id) ?? "undecided"
      })

      const resolve: Settlements["Service"]["resolve"] = Effect.fn("Settlements.resolve")(
        function* (view, intent, cause, detail) {
          const own = yield* guards.contractsOf(view.client, intent)
          if (own === undefined) return "undecided"
          if (yield* unseen.isResting(intent)) return "undecided"
          const { evidence: seen, found } = yield* gather(view, intent, own)
          const isUnseen = seen.settlement === "none" && seen.nonce === "spender_unseen"
          yield* isUnseen ? unseen.note(view.client, intent, seen.expired) : unseen.forget(view.client, intent)
          const decided = verdict(cause, seen)
          switch (decided._tag) {
            case "Settle":
              return Option.isNone(found)
                ? yield* inconsistent(view.client)
                : yield* settleBy(view, intent, found.value)
            case "Wait":
              return "undecided"
            case "Retry":
              return "retry"
            case "GiveUp":
              return (yield* giveUp(intent, decided.reason, detail)) ? "given_up" : "elsewhere"
            case "Fail":
              yield* fail(intent, decided.reason, detail)
              return "failed"
          }
        },
        // Another process ended the intent first.
        Effect.catchTag("IllegalTransition", () => Effect.succeed<Resolution>("elsewhere")),
        Effect.catchTag("SearchUnfinished", () => Effect.succeed<Resolution>("undecided")),
        (effect, view, intent) => Effect.annotateLogs(effect, intentFields(view.client, intent))
      )

      return {
        settleAll,
        isSettledBy: events.isSettledBy,
        knowsGuard: (client, intent) => Effect.map(guards.contractsOf(client, intent), (known) => known !== undefined),
        resolve,
        review: (client) => Effect.andThen(unseen.review(client), guards.review(client))
      }
    })
  ).pipe(Layer.provide([LogSources.layer, RenewedAlerts.layerOnDemand, StandingAlerts.layer]))
}

/**
 * Makes `resettle`, for intents that these steps did not move: where one has settled by another transaction, a reorganisation has taken
 * that one's block, and the intent gets the transaction that is true. Its bookings still name the other one.
 */
const makeResettle = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const intents = yield* Intents

  return Effect.fnUntraced(function* ({ client: { chain } }: ChainView, steps: ReadonlyArray<Step>) {
    const states = yield* intents.states(steps.map(({ id }) => id))
    const booked = new Map(
      states.flatMap(({ id, status, txHash }) =>
        status === "settled_source" || status === "delivered" ? [[id, txHash] as const] : []
      )
    )
    const moved: Array<Step> = []
    for (const step of steps) {
      const { events, id } = step
      const bookedTxHash = booked.get(id)
      const { txHash } = effectsOf(events)
      if (bookedTxHash === undefined || txHash === undefined || bookedTxHash === txHash) continue
      moved.push(step)
      yield* Effect.logWarning("sweep.resettled").pipe(Effect.annotateLogs({ intentId: id, txHash, bookedTxHash }))
      yield* alerts.raise({
        key: `settlement_lost:${id}`,
        severity: "warning",
        kind: "settlement_lost",
        message: `Intent ${id} settled on ${chain.name}, lost its block in a reorganisation, and settled again in another transaction. The same amounts are booked, under the transaction that is gone.`,
        details: { chainId: chain.id, intentId: id, txHash, bookedTxHash }
      })
    }
    // Last, since a crash before it repeats all of this.
    yield* intents.resettle(moved)
  })
})

/** Makes `priced`, which notes the price of each fee at its settlement, and the value of what the builder earned. */
const makePriced = Effect.gen(function* () {
  const prices = yield* MoneyPrices.make

  return Effect.fnUntraced(function* ({ client }: ChainView, steps: ReadonlyArray<Step>, known: ReadonlyArray<Intent>) {
    const tokens = new Map(known.map(({ id, order }) => [id, order.tokenIn]))
    const found = yield* prices.of(
      client,
      steps.flatMap(({ id }) => tokens.get(id) ?? [])
    )
    return steps.map((step) => {
      const token = tokens.get(step.id)
      const feePrice = token === undefined ? undefined : found.get(token)
      if (feePrice === undefined) return step
      const outbox = step.outbox?.map((message) => Accrual.priced(message, feePrice))
      return { ...step, feePrice, ...(outbox === undefined ? {} : { outbox }) }
    })
  })
})

/** Makes `settleAll`. */
const makeSettleAll = Effect.fnUntraced(function* (events: Pick<Effect.Success<typeof SweptEvents.make>, "stepsOf">) {
  const intents = yield* Intents
  const priced = yield* makePriced
  const resettle = yield* makeResettle
  const salesAmong = yield* OwnSales.make

  const settleAll: Settlements["Service"]["settleAll"] = Effect.fn("Settlements.settleAll")(function* (view, mined) {
    const confirmed = mined.filter(({ block }) => isDeep(view, block.number))
    const carried = confirmed.flatMap((each) => each.intents)
    const { sales, unavailable, unclear } = yield* salesAmong(view.client, carried)
    const proven = confirmed.flatMap((each) => events.stepsOf(view, each, sales))
    const [clear, waiting] = Array.partition(proven, (step) =>
      unclear.has(step.id) ? Result.fail(step) : Result.succeed(step)
    )
    const steps = yield* priced(view, clear, carried)
    const moved = new Set<string>()
    for (const chunk of Array.chunksOf(steps, STEPS)) {
      for (const id of yield* intents.applyAll(chunk)) moved.add(id)
      const unmoved = chunk.filter(({ id }) => !moved.has(id))
      if (unmoved.length > 0) yield* resettle(view, unmoved)
    }
    const settled = carried.filter(({ id }) => moved.has(id))
    for (const intent of settled) {
      if (!sales.has(intent.id)) yield* SettledFees.counted(intent)
      if (!intent.quote.crossChain) yield* StageTimes.delivered(intent)
    }
    const resolutions = new Map<string, Resolution>(waiting.map(({ id }) => [id, "undecided"]))
    for (const { events: proofs, id } of steps) {
      const reached = proofs.length === 1 ? "settled_source" : "delivered"
      resolutions.set(id, moved.has(id) ? reached : "elsewhere")
    }
    return waiting.length > 0 && unavailable !== undefined ? { resolutions, unavailable } : { resolutions }
  })

  return settleAll
})

/**
 * Makes `giveUp`, after which an intent is not sent again, and `fail`, which ends it. Both end what the intent reserved, unless an
 * unfinished transaction carries it.
 */
const makeFailures = Effect.gen(function* () {
  const exposures = yield* Exposures
  const intents = yield* Intents

  /** Returns false if another process has it by now, or has ended it. */
  const giveUp = Effect.fnUntraced(function* ({ id, order }: Intent, reason: FailureReason, detail: string) {
    const notBeforeMs = Math.max(Number(order.deadline) * 1000, yield* Clock.currentTimeMillis) + GIVEN_UP_MILLIS
    const isRecorded = yield* intents.giveUp(id, { reason, detail, notBeforeMs, worker: yield* Claimer })
    if (!isRecorded) return false
    yield* exposures.release([id])
    yield* Effect.logWarning("sweep.given_up").pipe(Effect.annotateLogs({ reason, detail }))
    return true
  })

  /** Reason for which an intent expired: that for which it was given up, or the cause for which it waited. */
  const expiry = Effect.fnUntraced(function* (id: string, detail: string) {
    const givenUp = yield* intents.givenUp(id)
    if (Option.isSome(givenUp)) return givenUp.value
    const [state] = yield* intents.states([id])
    return state?.waitingFor === "gas_price"
      ? { reason: "network_fee_insufficient" as const, detail: DEAR }
      : { reason: "expired" as const, detail }
  })

  const fail = Effect.fnUntraced(function* (intent: Intent, reason: FailureReason, detail: string) {
    const { id } = intent
    const why = reason === "expired" ? yield* expiry(id, detail) : { reason, detail }
    yield* intents.apply(id, [{ _tag: "Failed", reason: why.reason }], { detail: why.detail })
    yield* exposures.release([id])
    yield* StageTimes.failed(intent, why.reason)
    yield* Effect.logWarning("sweep.failed").pipe(Effect.annotateLogs({ reason: why.reason, detail: why.detail }))
  })

  return { fail, giveUp }
})
