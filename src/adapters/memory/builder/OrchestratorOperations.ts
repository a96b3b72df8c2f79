/** {@link OrchestratorOperations} with content that a test sets. A retried sweep is no longer stuck. Chains of `health` can be paused. */
import { Clock, Effect, Layer, Option, Ref } from "effect"
import type { AlertView, Health } from "../../../domain/Health.ts"
import type { MoneyView } from "../../../domain/Money.ts"
import type { StuckIntent } from "../../../domain/StuckIntent.ts"
import { type ChangeOfPause, nameOf, type PauseView } from "../../../domain/Pause.ts"
import type { FoundSweep, SweepStory } from "../../../domain/SweepStory.ts"
import type { TreasuryView } from "../../../domain/Treasury.ts"
import { OrchestratorOperations } from "../../../ports/builder/OrchestratorOperations.ts"

export interface Parts {
  readonly health: Health
  readonly alerts: ReadonlyArray<AlertView>
  /** Oldest first. */
  readonly stuck: ReadonlyArray<StuckIntent>
  readonly treasury: TreasuryView
  /** Of 30 days. Other periods have the same sums. */
  readonly money: MoneyView
  readonly stories: ReadonlyArray<SweepStory>
  readonly pauses: ReadonlyArray<PauseView>
}

const LIMIT = 50

const toFound = ({ createdAtMs, id, order, quote, status }: SweepStory): FoundSweep => ({
  id,
  status,
  owner: order.owner,
  sourceChainId: quote.sourceChainId,
  destChainId: Number(order.destChainId),
  tokenIn: order.tokenIn,
  amountIn: order.amountIn,
  tokenOut: order.tokenOut,
  ...(quote.builderId === undefined ? {} : { builderId: quote.builderId }),
  createdAtMs
})

const names = ({ id, order, transactions }: SweepStory): ReadonlyArray<string> =>
  [id, order.owner, ...transactions.flatMap(({ attempts }) => attempts.map(({ hash }) => hash))].map((name) =>
    name.toLowerCase()
  )

/** The pauses after a change, and the changed one. */
const changed = (pauses: ReadonlyArray<PauseView>, { reason = "", state, subject }: ChangeOfPause, sinceMs: number) => {
  const isIt = (pause: PauseView) => nameOf(pause.subject) === nameOf(subject)
  const configured = pauses.find(isIt)?.configured ?? "running"
  const view: PauseView =
    state === "default"
      ? { subject, state: configured, configured, chosen: null }
      : { subject, state, configured, chosen: { state, actor: "admin-token", reason, sinceMs } }
  const others = pauses.filter((pause) => !isIt(pause))
  return [view, view.chosen === null && configured === "running" ? others : [...others, view]] as const
}

const make = Effect.fnUntraced(function* (parts: Parts) {
  const stuck = yield* Ref.make(parts.stuck)
  const pauses = yield* Ref.make(parts.pauses)
  return OrchestratorOperations.of({
    health: Effect.succeed(parts.health),
    alerts: Effect.succeed(parts.alerts),
    treasury: Effect.succeed(parts.treasury),
    money: (days) => Effect.succeed({ ...parts.money, days }),
    stuck: ({ limit = LIMIT }) =>
      Effect.map(Ref.get(stuck), (intents) => ({ intents: intents.slice(0, limit), total: intents.length })),
    find: (text) =>
      Effect.succeed({
        sweeps: parts.stories.filter((story) => names(story).includes(text.toLowerCase())).map(toFound),
        more: false,
        roles: []
      }),
    story: (id) => Effect.succeed(Option.fromUndefinedOr(parts.stories.find((story) => story.id === id))),
    pauses: Ref.get(pauses),
    changePause: Effect.fnUntraced(function* (change) {
      const { subject } = change
      const isServed = !("chainId" in subject) || parts.health.chains.some(({ id }) => id === subject.chainId)
      if (!isServed) return Option.none()
      const atMs = yield* Clock.currentTimeMillis
      return Option.some(yield* Ref.modify(pauses, (current) => changed(current, change, atMs)))
    }),
    retry: (id) =>
      Ref.modify(stuck, (intents) => {
        const found = intents.find((intent) => intent.id === id)
        if (found === undefined) return [Option.none(), intents]
        if (!found.retryable) return [Option.some({ id, outcome: "carried", explanation: found.explanation }), intents]
        const outcome = { id, outcome: "requeued" as const, explanation: "It is free to be taken." }
        return [Option.some(outcome), intents.filter((intent) => intent !== found)]
      })
  })
})

export const layer = (parts: Parts) => Layer.effect(OrchestratorOperations, make(parts))
