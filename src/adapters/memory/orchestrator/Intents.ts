/** Intents in memory, for tests and for integrators' own: what a restart loses, and what other processes never see. */
import { Clock, Effect, HashMap, Layer, Option, PubSub, Ref, Result, Stream } from "effect"
import type { OutboxMessage } from "../../../domain/Accrual.ts"
import { BURNING, IllegalTransition, type IntentEvent, type IntentStatus, transitions } from "../../../domain/Intent.ts"
import { statusAfter, sweepEvent } from "../../../domain/SweepEvent.ts"
import {
  type Intent,
  IntentExists,
  Intents,
  type IntentState,
  type NewIntent,
  type Progress
} from "../../../ports/orchestrator/Intents.ts"
import { idempotencyKey } from "../../../ports/orchestrator/Outbox.ts"
import { account, carriesOwner, lookup, OrchestratorState, type State, type StoredIntent } from "./OrchestratorState.ts"

const oldestFirst =
  (time: (intent: Intent) => number) =>
  (a: StoredIntent, b: StoredIntent): number =>
    time(a.intent) - time(b.intent) || (a.intent.id < b.intent.id ? -1 : 1)

const bySubmission = oldestFirst((intent) => intent.submittedAtMs ?? 0)
const byCreation = oldestFirst((intent) => intent.createdAtMs)

const conflicts = (a: NewIntent, b: NewIntent): boolean =>
  a.quote.id === b.quote.id ||
  a.orderDigest === b.orderDigest ||
  (a.order.owner === b.order.owner &&
    a.order.nonce === b.order.nonce &&
    a.quote.sourceChainId === b.quote.sourceChainId)

const afterEvent = (intent: Intent, event: Progress, detail: string | undefined): Intent => {
  switch (event._tag) {
    case "SettledAtSource":
      return { ...intent, txHash: event.txHash }
    case "Delivered":
      return { ...intent, deliveryTxHash: event.txHash }
    case "Failed":
      return { ...intent, failureReason: event.reason, ...(detail === undefined ? {} : { failureDetail: detail }) }
  }
}

const stateOf = ({ deliveryTxHash, failureReason, id, quote, status, txHash }: Intent): IntentState => ({
  id,
  status,
  crossChain: quote.crossChain,
  ...(txHash === undefined ? {} : { txHash }),
  ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
  ...(failureReason === undefined ? {} : { failureReason })
})

const isQueued = (stored: StoredIntent): boolean =>
  stored.intent.status === "submitted" && stored.relayTransactionId === undefined

const unleased = ({ leaseUntilMs: _until, notBeforeMs: _notBefore, ...stored }: StoredIntent): StoredIntent => stored

const withIntent = (state: State, stored: StoredIntent): State => ({
  ...state,
  intents: HashMap.set(state.intents, stored.intent.id, stored)
})

/** What the intent's builder is told of an event that the intent has just been through. */
const told = (intent: Intent, event: IntentEvent): ReadonlyArray<OutboxMessage> => {
  const { attributed, updatedAtMs } = intent
  if (attributed === undefined) return []
  return [{ _tag: "SweepEvent", event: sweepEvent(intent, attributed.builderId, statusAfter(event), updatedAtMs) }]
}

/** The outbox with a message, once for each key. */
const written =
  (at: number) =>
  (outbox: State["outbox"], message: OutboxMessage): State["outbox"] => {
    const key = idempotencyKey(message)
    const id = String(HashMap.size(outbox) + 1)
    return HashMap.has(outbox, key)
      ? outbox
      : HashMap.set(outbox, key, { id, message, attempts: 0, state: "pending", dueAtMs: at })
  }

/** The state after the step, and its result; an intent that does not exist is a defect. */
const stepIntent = <A, E>(
  state: Ref.Ref<State>,
  id: string,
  step: (stored: StoredIntent, current: State) => Result.Result<readonly [A, State], E>
): Effect.Effect<A, E> =>
  Ref.modify(state, (current): readonly [Effect.Effect<A, E>, State] => {
    const stored = lookup(current.intents, id)
    if (stored === undefined) return [Effect.die(new Error(`intent ${id} does not exist`)), current]
    return Result.match(step(stored, current), {
      onFailure: (error) => [Effect.fail(error), current],
      onSuccess: ([value, next]) => [Effect.succeed(value), next]
    })
  }).pipe(Effect.flatten)

const make = Effect.gen(function* () {
  const { state, wakes } = yield* OrchestratorState

  const nextOrderNonce: Intents["Service"]["nextOrderNonce"] = (chainId, owner, atLeast) =>
    Ref.modify(state, (current) => {
      const key = account(chainId, owner)
      const next = lookup(current.orderNonces, key) ?? 0n
      const nonce = next > atLeast ? next : atLeast
      return [nonce, { ...current, orderNonces: HashMap.set(current.orderNonces, key, nonce + 1n) }]
    })

  const create: Intents["Service"]["create"] = Effect.fnUntraced(function* (intent) {
    const at = yield* Clock.currentTimeMillis
    const created = yield* Ref.modify(state, (current) =>
      Array.from(HashMap.values(current.intents)).some((stored) => conflicts(stored.intent, intent))
        ? [false, current]
        : [
            true,
            withIntent(current, {
              intent: { ...intent, id: intent.quote.id, status: "quoted", createdAtMs: at, updatedAtMs: at }
            })
          ]
    )
    if (!created) return yield* new IntentExists({ id: intent.quote.id })
  })

  const find: Intents["Service"]["find"] = (id) =>
    Effect.map(Ref.get(state), ({ intents }) => Option.map(HashMap.get(intents, id), (stored) => stored.intent))

  const states: Intents["Service"]["states"] = (ids) =>
    Effect.map(Ref.get(state), ({ intents }) =>
      ids.flatMap((id) => {
        const intent = lookup(intents, id)?.intent
        return intent === undefined ? [] : [stateOf(intent)]
      })
    )

  const submit: Intents["Service"]["submit"] = Effect.fnUntraced(function* (id, submission) {
    const at = yield* Clock.currentTimeMillis
    const submitted = yield* stepIntent(state, id, ({ intent }, current) => {
      if (intent.status !== "quoted") {
        return Result.fail(new IllegalTransition({ from: intent.status, event: "Submitted" }))
      }
      const next: Intent = { ...intent, status: "submitted", submission, submittedAtMs: at, updatedAtMs: at }
      const outbox = told(next, { _tag: "Submitted" }).reduce(written(at), current.outbox)
      return Result.succeed([next, withIntent({ ...current, outbox }, { intent: next })] as const)
    })
    yield* PubSub.publish(wakes, undefined)
    return submitted
  })

  const claim: Intents["Service"]["claim"] = Effect.fnUntraced(function* ({ chainId, leaseMillis, limit }) {
    const at = yield* Clock.currentTimeMillis
    return yield* Ref.modify(state, (current) => {
      const queued = Array.from(HashMap.values(current.intents))
        .filter((stored) => isQueued(stored) && stored.intent.quote.sourceChainId === chainId)
        .toSorted(bySubmission)
      const busy = new Set(
        queued.flatMap(({ intent, leaseUntilMs }) =>
          (leaseUntilMs !== undefined && leaseUntilMs > at) || carriesOwner(current, chainId, intent.order.owner)
            ? [intent.order.owner]
            : []
        )
      )
      const claimed: Array<Intent> = []
      for (const { intent, notBeforeMs } of queued) {
        if (claimed.length === limit) break
        if (busy.has(intent.order.owner) || (notBeforeMs !== undefined && notBeforeMs > at)) continue
        busy.add(intent.order.owner)
        claimed.push(intent)
      }
      const next = claimed.reduce((acc, intent) => withIntent(acc, { intent, leaseUntilMs: at + leaseMillis }), current)
      return [claimed, next]
    })
  })

  const release: Intents["Service"]["release"] = (ids, notBeforeMs) =>
    Ref.update(state, (current) =>
      ids.reduce((acc, id) => {
        const stored = lookup(acc.intents, id)
        return stored !== undefined && isQueued(stored)
          ? withIntent(acc, { ...unleased(stored), ...(notBeforeMs === undefined ? {} : { notBeforeMs }) })
          : acc
      }, current)
    )

  const apply: Intents["Service"]["apply"] = Effect.fnUntraced(function* (id, events, consequences) {
    const at = yield* Clock.currentTimeMillis
    return yield* stepIntent(state, id, (stored, current) =>
      Result.map(transitions(stored.intent.status, events), (status) => {
        const intent = events.reduce((acc, event) => afterEvent(acc, event, consequences?.detail), {
          ...stored.intent,
          status,
          updatedAtMs: at
        })
        const messages = [...(consequences?.outbox ?? []), ...events.flatMap((event) => told(intent, event))]
        const outbox = messages.reduce(written(at), current.outbox)
        return [intent, withIntent({ ...current, outbox }, { ...unleased(stored), intent })] as const
      })
    )
  })

  const applyAll: Intents["Service"]["applyAll"] = Effect.fnUntraced(function* (steps) {
    const moved = yield* Effect.filter(steps, ({ detail, events, id, outbox }) =>
      apply(id, events, { ...(outbox && { outbox }), ...(detail !== undefined && { detail }) }).pipe(
        Effect.as(true),
        Effect.catchTag("IllegalTransition", () => Effect.succeed(false))
      )
    )
    return new Set(moved.map(({ id }) => id))
  })

  const findAll: Intents["Service"]["findAll"] = (ids) =>
    Effect.map(Ref.get(state), ({ intents }) =>
      [...new Set(ids)].flatMap((id) => {
        const stored = lookup(intents, id)
        return stored === undefined ? [] : [stored.intent]
      })
    )

  const burned: Intents["Service"]["burned"] = ({ builders, chainId, owners, sinceMs }) =>
    Effect.map(Ref.get(state), ({ intents }) => {
      const lately = Array.from(HashMap.values(intents))
        .map(({ intent }) => intent)
        .filter(
          ({ failureReason, txHash, updatedAtMs }) =>
            failureReason !== undefined &&
            BURNING.includes(failureReason) &&
            txHash !== undefined &&
            updatedAtMs > sinceMs
        )
      const counted = <K extends string>(keys: ReadonlyArray<K>, isOf: (intent: Intent, key: K) => boolean) =>
        new Map(
          keys.flatMap((key) => {
            const count = lately.filter((intent) => isOf(intent, key)).length
            return count === 0 ? [] : [[key as string, count] as const]
          })
        )
      return {
        owners: counted(owners, ({ order, quote }, owner) => quote.sourceChainId === chainId && order.owner === owner),
        builders: counted(builders, ({ attributed }, id) => attributed?.builderId === id)
      }
    })

  const overdue: Intents["Service"]["overdue"] = (chainId, before, limit) =>
    Effect.map(Ref.get(state), ({ intents }) =>
      Array.from(HashMap.values(intents))
        .filter((stored) => isQueued(stored) && stored.intent.quote.sourceChainId === chainId)
        .map(({ intent }) => intent)
        .filter(({ order }) => order.deadline < before)
        .toSorted((a, b) => Number(a.order.deadline - b.order.deadline))
        .slice(0, limit)
    )

  const inStatus: Intents["Service"]["inStatus"] = (chainId, statuses, limit) =>
    Effect.map(Ref.get(state), ({ intents }) =>
      Array.from(HashMap.values(intents))
        .filter(({ intent }) => intent.quote.sourceChainId === chainId && statuses.includes(intent.status))
        .toSorted(byCreation)
        .slice(0, limit)
        .map(({ intent }) => intent)
    )

  const counts = Effect.map(Ref.get(state), ({ intents }) => {
    const count: Record<IntentStatus, number> = { quoted: 0, submitted: 0, settled_source: 0, delivered: 0, failed: 0 }
    for (const { intent } of HashMap.values(intents)) count[intent.status]++
    return count
  })

  return Intents.of({
    nextOrderNonce,
    create,
    find,
    states,
    submit,
    claim,
    release,
    apply,
    applyAll,
    findAll,
    burned,
    overdue,
    inStatus,
    counts,
    wakes: Stream.fromPubSub(wakes)
  })
})

export const layerNoDeps = Layer.effect(Intents, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
