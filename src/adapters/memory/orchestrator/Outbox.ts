/** The outbox in memory, for tests. Moves of in-memory intents write its messages. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { Outbox, topicOf } from "../../../ports/orchestrator/Outbox.ts"
import { OrchestratorState, type StoredMessage } from "./OrchestratorState.ts"

const make = Effect.gen(function* () {
  const { state } = yield* OrchestratorState

  const change = (id: string, step: (message: StoredMessage) => StoredMessage) =>
    Ref.update(state, (current) => ({
      ...current,
      outbox: HashMap.map(current.outbox, (message) => (message.id === id ? step(message) : message))
    }))

  const claim: Outbox["Service"]["claim"] = Effect.fnUntraced(function* ({ leaseMillis, limit, topic }) {
    const now = yield* Clock.currentTimeMillis
    return yield* Ref.modify(state, (current) => {
      const due = HashMap.toEntries(current.outbox)
        .filter(
          ([, { dueAtMs, leasedUntilMs = now, message, state: is }]) =>
            is === "pending" && topicOf(message) === topic && dueAtMs <= now && leasedUntilMs <= now
        )
        .toSorted(([, a], [, b]) => a.dueAtMs - b.dueAtMs || Number(a.id) - Number(b.id))
        .slice(0, limit)
      const outbox = due.reduce(
        (acc, [key, message]) => HashMap.set(acc, key, { ...message, leasedUntilMs: now + leaseMillis }),
        current.outbox
      )
      return [
        due.map(([, { attempts, id, message, trace }]) => ({
          id,
          message,
          attempts,
          ...(trace === undefined ? {} : { trace })
        })),
        { ...current, outbox }
      ]
    })
  })

  const counts = Effect.map(Ref.get(state), ({ outbox }) => {
    const entries = Array.from(HashMap.values(outbox)).filter(({ message }) => topicOf(message) === "ledger")
    return {
      pending: entries.filter(({ state }) => state === "pending").length,
      rejected: entries.filter(({ state }) => state === "rejected").length
    }
  })

  return Outbox.of({
    claim,
    acknowledge: (id) =>
      Effect.flatMap(Clock.currentTimeMillis, (deliveredAtMs) =>
        change(id, (message) =>
          message.state === "delivered" ? message : { ...message, state: "delivered", deliveredAtMs }
        )
      ),
    defer: (id, nextAttemptMs) =>
      change(id, (message) =>
        message.state === "pending"
          ? { ...message, attempts: message.attempts + 1, dueAtMs: nextAttemptMs, leasedUntilMs: undefined }
          : message
      ),
    reject: (id) =>
      Effect.flatMap(Clock.currentTimeMillis, (rejectedAtMs) =>
        change(id, (message) =>
          message.state === "pending" ? { ...message, state: "rejected", rejectedAtMs } : message
        )
      ),
    reopen: Effect.fnUntraced(function* (id) {
      const now = yield* Clock.currentTimeMillis
      const before = Array.from(HashMap.values((yield* Ref.get(state)).outbox)).find((message) => message.id === id)
      if (before === undefined || before.state === "delivered") return "gone"
      if (before.state === "pending") return "pending"
      yield* change(id, (message) => ({
        ...message,
        state: "pending",
        dueAtMs: now,
        leasedUntilMs: undefined,
        rejectedAtMs: undefined
      }))
      return "reopened"
    }),
    counts
  })
})

export const layerNoDeps = Layer.effect(Outbox, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
