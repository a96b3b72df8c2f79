/** Moves in-memory intents by events. Each move is one atomic step of the state, with its messages to the builder backend. */
import { Clock, Effect, HashMap, PubSub, Ref, Result } from "effect"
import type { OutboxMessage } from "../../../domain/Accrual.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import {
  effectOf,
  effectsOf,
  type IllegalTransition,
  type IntentEvent,
  transitions,
  type WaitingFor
} from "../../../domain/Intent.ts"
import type { PricedUnits } from "../../../domain/QuoteDetails.ts"
import { sweepEvent } from "../../../domain/SweepEvent.ts"
import type { Intent, Intents } from "../../../ports/orchestrator/Intents.ts"
import { idempotencyKey } from "../../../ports/orchestrator/Outbox.ts"
import type { Passage } from "../../../ports/orchestrator/SweepRecords.ts"
import { submissionsOf } from "../../../ports/orchestrator/Sweeps.ts"
import {
  lookup,
  type OrchestratorState,
  type State,
  type StoredIntent,
  unleased,
  withIntent
} from "./OrchestratorState.ts"

type Shared = OrchestratorState["Service"]

/** The builder's events about events that the intent has just been through. */
const told = (intent: Intent, events: ReadonlyArray<IntentEvent>): ReadonlyArray<OutboxMessage> => {
  const { attributed, updatedAtMs } = intent
  if (attributed === undefined) return []
  return events.map((event) => ({
    _tag: "SweepEvent",
    event: sweepEvent(intent, attributed.builderId, event, updatedAtMs)
  }))
}

/** The outbox with a message, once for each key. */
const written =
  (at: number, { id: intentId, trace }: Pick<Intent, "id" | "trace">) =>
  (outbox: State["outbox"], message: OutboxMessage): State["outbox"] => {
    const key = idempotencyKey(message)
    const id = String(HashMap.size(outbox) + 1)
    return HashMap.has(outbox, key)
      ? outbox
      : HashMap.set(outbox, key, {
          id,
          intentId,
          message,
          attempts: 0,
          state: "pending",
          dueAtMs: at,
          ...(trace === undefined ? {} : { trace })
        })
  }

/** The statuses that events lead to. */
const passagesOf = (events: ReadonlyArray<IntentEvent>, detail: string | undefined, atMs: number) =>
  events.map((event): Passage => {
    const { deliveryTxHash, failureReason, status, txHash = deliveryTxHash } = effectOf(event)
    return {
      status,
      atMs,
      ...(txHash === undefined ? {} : { txHash }),
      ...(failureReason === undefined ? {} : { reason: failureReason }),
      ...(detail === undefined ? {} : { detail })
    }
  })

interface Move {
  readonly id: string
  readonly events: ReadonlyArray<IntentEvent>
  /** Fields that change beside those that the events set. */
  readonly fields?: Partial<Intent>
  readonly outbox?: ReadonlyArray<OutboxMessage>
  readonly detail?: string
  /** Cause for which it waits in the queue. Default: as it was. */
  readonly waitingFor?: WaitingFor | undefined
  readonly feePrice?: PricedUnits
}

const moved = ({ intent }: StoredIntent, { detail, events, fields }: Move, at: number): Intent => {
  const effects = effectsOf(events)
  return {
    ...intent,
    ...fields,
    ...effects,
    ...(effects.failureReason === undefined || detail === undefined ? {} : { failureDetail: detail }),
    updatedAtMs: at
  }
}

/** The moved intent and the state with it. Throws if the intent does not exist. */
const moveIn = (
  current: State,
  step: Move,
  at: number
): Result.Result<{ readonly intent: Intent; readonly state: State }, IllegalTransition> => {
  const stored = lookup(current.intents, step.id)
  if (stored === undefined) throw new Error(`intent ${step.id} does not exist`)
  return Result.map(transitions(stored.intent.status, step.events), () => {
    const intent = moved(stored, step, at)
    const messages = [...(step.outbox ?? []), ...told(intent, step.events)]
    const waiting = step.waitingFor === undefined ? {} : { waitingFor: step.waitingFor }
    const outbox = messages.reduce(written(at, intent), current.outbox)
    const history = [...(stored.history ?? []), ...passagesOf(step.events, step.detail, at)]
    const priced = step.feePrice === undefined ? {} : { feePrice: step.feePrice }
    return {
      intent,
      state: withIntent({ ...current, outbox }, { ...unleased(stored), ...waiting, ...priced, history, intent })
    }
  })
}

/** The moved intent; an intent that does not exist is a defect. */
const move = (state: Shared["state"], step: Move) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) =>
    Ref.modify(state, (current): readonly [Result.Result<Intent, IllegalTransition>, State] => {
      const next = moveIn(current, step, at)
      return Result.isFailure(next)
        ? [Result.fail(next.failure), current]
        : [Result.succeed(next.success.intent), next.success.state]
    }).pipe(Effect.flatMap(Effect.fromResult))
  )

/** Moves all legs and adds their sweep, or changes nothing. */
export const submitSweep = ({ state, wakes }: Shared): Intents["Service"]["submitSweep"] =>
  Effect.fnUntraced(function* (sweep) {
    const at = yield* Clock.currentTimeMillis
    const { id, legs, network, owner } = sweep
    const chainIds = new Set<ChainId>()
    const outcome = yield* Ref.modify(state, (current): readonly [Result.Result<void, IllegalTransition>, State] => {
      let next = current
      for (const leg of submissionsOf(sweep)) {
        const { submission, waitingFor } = leg
        const fields = { submission, submittedAtMs: at, ...(network === undefined ? {} : { network }) }
        const moved = moveIn(next, { id: leg.id, events: [{ _tag: "Submitted" }], fields, waitingFor }, at)
        if (Result.isFailure(moved)) return [Result.fail(moved.failure), current]
        next = moved.success.state
        chainIds.add(moved.success.intent.quote.sourceChainId)
      }
      const intentIds = legs.map(({ intentId }) => intentId)
      const stored = { id, number: BigInt(next.sweeps.length + 1), owner, intentIds, createdAtMs: at }
      return [Result.succeed(undefined), { ...next, sweeps: [...next.sweeps, stored] }]
    })
    yield* Effect.fromResult(outcome)
    yield* PubSub.publishAll(wakes, chainIds)
  })

export const submit = ({ state, wakes }: Shared): Intents["Service"]["submit"] =>
  Effect.fnUntraced(function* (id, submission, network, waitingFor) {
    const submittedAtMs = yield* Clock.currentTimeMillis
    const fields = { submission, submittedAtMs, ...(network === undefined ? {} : { network }) }
    const submitted = yield* move(state, { id, events: [{ _tag: "Submitted" }], fields, waitingFor })
    yield* PubSub.publish(wakes, submitted.quote.sourceChainId)
    return submitted
  })

export const apply =
  ({ state }: Shared): Intents["Service"]["apply"] =>
  (id, events, consequences) =>
    move(state, { id, events, ...consequences })

export const applyAll = ({ state }: Shared): Intents["Service"]["applyAll"] =>
  Effect.fnUntraced(function* (steps) {
    const moved = yield* Effect.filter(steps, (step) =>
      move(state, step).pipe(
        Effect.as(true),
        Effect.catchTag("IllegalTransition", () => Effect.succeed(false))
      )
    )
    return new Set(moved.map(({ id }) => id))
  })

export const resettle = ({ state }: Shared): Intents["Service"]["resettle"] =>
  Effect.fnUntraced(function* (steps) {
    const updatedAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) => ({
      ...current,
      intents: steps.reduce((intents, { events, id }) => {
        const { status: _status, ...fields } = effectsOf(events)
        const stored = lookup(intents, id)
        const isSettled = stored?.intent.status === "settled_source" || stored?.intent.status === "delivered"
        return stored === undefined || !isSettled || stored.intent.txHash === fields.txHash
          ? intents
          : HashMap.set(intents, id, { ...stored, intent: { ...stored.intent, ...fields, updatedAtMs } })
      }, current.intents)
    }))
  })
