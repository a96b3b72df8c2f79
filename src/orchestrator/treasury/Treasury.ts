/**
 * Turns collected fees into one asset for each chain: shows the books, plans, and sells on a schedule where the fee recipient's key is
 * configured.
 */
import { Clock, Context, type Duration, Effect, Layer, Option, Schema } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { type MoneyView, type Period, viewOf as moneyViewOf } from "../../domain/Money.ts"
import { startOfDay } from "../../domain/Sweep.ts"
import type { RoundOutcome, TreasuryChain, TreasuryView } from "../../domain/Treasury.ts"
import { nextRoundAtMs } from "../../domain/TreasuryPlan.ts"
import { MoneyBook } from "../../ports/orchestrator/MoneyBook.ts"
import { TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { entryOf } from "./Entry.ts"
import { NoPlan, type SafePlan } from "./SafePlan.ts"
import * as SafePlans from "./SafePlan.ts"
import { alertOf } from "./SaleEndings.ts"
import * as Selling from "./Selling.ts"
import * as Surveys from "./Survey.ts"
import * as TreasuryChains from "./TreasuryChains.ts"

/** Time limit of a chain's balances and prices: in a view, in a requested round, and in a scheduled one. Responses begin within 4 seconds. */
const VIEW_LIMIT = "1500 millis"
const REQUEST_LIMIT = "2500 millis"
const ROUND_LIMIT = "1 minute"

/** Runs a read of the operator. Anybody can use up what price sources grant to displays, and plans would then lack prices. */
const forOperator = Priority.at("quote")

/** Newest sales in a response. */
const RECENT = 50

/** Pause between two looks whether a round is due, and between two sums of collected fees. */
const ROUND_LOOK_MILLIS = 30_000

/** A due round waits this long for a chain that does not answer. */
const PATIENCE_MILLIS = 3_600_000

/** No chain has an asset, the fee recipient's key, and a vault of its own for builders. */
export class CannotSell extends Schema.TaggedError<CannotSell>()("CannotSell", {
  /** Names of the missing settings. */
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the service sells on no chain: set ${this.missing.join(" and ")}`
  }
}

export class Treasury extends Context.Service<
  Treasury,
  {
    /** Books, plans and newest sales. */
    readonly view: Effect.Effect<TreasuryView, StoreUnavailable>
    /** Earnings and costs of the last UTC days, today included. */
    readonly money: (days: Period) => Effect.Effect<MoneyView, StoreUnavailable>
    /** The plan of a chain as a batch for a Safe. */
    readonly safePlan: (chainId: ChainId) => Effect.Effect<SafePlan, NoPlan | StoreUnavailable>
    /** Plans a round of sales now. They run in the background. */
    readonly sell: Effect.Effect<RoundOutcome, CannotSell | StoreUnavailable>
  }
>()("sweep/orchestrator/Treasury") {
  static readonly layer = Layer.effect(
    Treasury,
    Effect.gen(function* () {
      const book = yield* MoneyBook
      const chains = yield* Chains
      const { treasury } = yield* OrchestratorSettings
      const store = yield* TreasurySales
      const known = yield* TreasuryChains.make
      const survey = yield* Surveys.make(known)
      const toSafe = yield* SafePlans.make
      const { advance } = yield* Selling.make(known)
      const describedChains = chains.all.map(({ chain }) => known.describe(chain))
      const selling = describedChains.filter((chain) => chain.selling === "on")
      const round = yield* makeRound(survey, selling)
      const isUnkeyed = !known.hasKey || describedChains.some((chain) => chain.selling === "other_key")
      const missing = [
        ...(describedChains.every((chain) => chain.selling === "no_asset") ? ["TREASURY_ASSETS"] : []),
        ...(describedChains.some((chain) => chain.selling === "shared_vault") ? ["builderVault"] : []),
        ...(isUnkeyed ? ["FEE_RECIPIENT_KEY"] : [])
      ]

      const view = Effect.gen(function* () {
        // Read before the entries, so that the books have every sale that is shown as settled.
        const sales = yield* store.recent(RECENT)
        const { nowMs, tokens, unavailableChains } = yield* survey("all", VIEW_LIMIT)
        const last = Option.getOrUndefined(yield* store.lastRoundAtMs)
        const next = selling.length === 0 ? undefined : nextRoundAtMs(last, treasury.intervalMillis, nowMs)
        return {
          chains: describedChains,
          entries: tokens.map(entryOf),
          sales,
          unavailableChains,
          ...(last === undefined ? {} : { lastRoundAtMs: last }),
          ...(next === undefined ? {} : { nextRoundAtMs: next })
        } satisfies TreasuryView
      }).pipe(forOperator, Effect.withSpan("Treasury.view"))

      const safePlan = Effect.fn("Treasury.safePlan")(function* (chainId: ChainId) {
        const chain = describedChains.find((each) => each.chainId === chainId)
        if (chain === undefined) return yield* new NoPlan({ reason: "unknown_chain" })
        return yield* toSafe(yield* survey("due", VIEW_LIMIT), chain)
      }, forOperator)

      const scheduled = Effect.gen(function* () {
        yield* known.review
        const nowMs = yield* Clock.currentTimeMillis
        const { intervalMillis } = treasury
        if (selling.length === 0 || intervalMillis === undefined) return
        const last = Option.getOrUndefined(yield* store.lastRoundAtMs)
        // Without a fixed time the wait for a chain would begin anew with each look.
        const firstAtMs = last === undefined ? yield* store.firstDueAtMs : nowMs
        const atMs = nextRoundAtMs(last, intervalMillis, firstAtMs)
        if (atMs === undefined || nowMs < atMs) return
        yield* round(ROUND_LIMIT, { atMs, unlessSinceMs: nowMs - intervalMillis + 1 })
      })

      // Sales that are open go on to their end also after the key or the asset was removed.
      const pauseMillis = selling.length === 0 ? ROUND_LOOK_MILLIS : treasury.pollMillis
      const looking = { pauseMillis: ROUND_LOOK_MILLIS }
      if ((yield* ProcessShare).roles.has("relay")) {
        yield* Background.loop(Background.supervisor("treasury sales"), { pauseMillis }, advance)
        yield* Background.loop(Background.supervisor("treasury rounds"), looking, scheduled)
        yield* Background.loop(Background.supervisor("treasury sums"), looking, store.sumUp)
      }

      return Treasury.of({
        view,
        money: Effect.fn("Treasury.money")(function* (days) {
          const fromMs = startOfDay(yield* Clock.currentTimeMillis, days - 1)
          return moneyViewOf(days, new Date(fromMs).toISOString().slice(0, 10), yield* book.since(fromMs))
        }),
        safePlan,
        sell: Effect.gen(function* () {
          if (selling.length === 0) return yield* new CannotSell({ missing })
          return { opened: Option.getOrElse(yield* round(REQUEST_LIMIT), () => []) }
        })
      })
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}

type Survey = Effect.Success<ReturnType<typeof Surveys.make>>

/**
 * Makes `round(limit, due)`, which records a round of everything that is to be sold. None if another process did so, or if a chain is
 * still waited for.
 */
const makeRound = Effect.fnUntraced(function* (survey: Survey, selling: ReadonlyArray<TreasuryChain>) {
  const alerts = yield* StandingAlerts
  const store = yield* TreasurySales

  return Effect.fn("Treasury.round")(function* (
    limit: Duration.Input,
    due?: { readonly atMs: number; readonly unlessSinceMs: number }
  ) {
    const { nowMs, tokens, unavailableChains } = yield* survey("due", limit)
    const isMissing = selling.some(({ chainId }) => unavailableChains.includes(chainId))
    if (due !== undefined && isMissing && nowMs - due.atMs < PATIENCE_MILLIS) return Option.none()
    const ours = tokens.filter(({ chain }) => chain.selling === "on")
    // Somebody else has sold them.
    const sold = ours.filter(({ plan: { state } }) => state === "empty" || state === "small")
    const ended = new Set(sold.map(({ book }) => alertOf(book)))
    yield* alerts.clearWhere(({ key }) => ended.has(key))
    const opened = yield* store.openRound({
      ...(due === undefined ? {} : { unlessSinceMs: due.unlessSinceMs }),
      sales: ours.flatMap(({ book: { chainId, token }, chain, plan: { lot } }) =>
        lot === undefined || chain.asset === undefined
          ? []
          : [{ chainId, seller: chain.feeRecipient, token, asset: chain.asset, amount: lot.amount, rest: lot.rest }]
      ),
      // A token without a price rests like one whose sale failed.
      refused: ours.flatMap(({ book: { chainId, token }, plan, price }) =>
        plan.state === "unsellable" && price === undefined && (plan.retryAtMs ?? 0) <= nowMs
          ? [{ chainId, token, reason: "no_price" as const, detail: "no price is known" }]
          : []
      )
    })
    if (Option.isSome(opened)) {
      yield* Effect.logInfo("treasury.round").pipe(Effect.annotateLogs({ sales: opened.value.length }))
    }
    return opened
  })
})
