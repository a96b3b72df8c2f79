/**
 * Events of intents: the part of the suite of {@link Intents} about the state machine, the history and the messages.
 */
import { expect, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import type { OutboxMessage } from "../../../src/domain/Accrual.ts"
import {
  type IntentEvent,
  type IntentStatus,
  type ProgressEvent,
  transition,
  transitions
} from "../../../src/domain/Intent.ts"
import { sweepEvent } from "../../../src/domain/SweepEvent.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import type { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const claim = (worker: string, limit = 10, chainId = 1) =>
  Effect.flatMap(Intents, (intents) => intents.claim({ chainId, worker, leaseMillis: 1_000, limit })).pipe(
    Effect.map((claimed) => claimed.map(({ id }) => id))
  )

const revenue = (sweepId: string): OutboxMessage => ({
  _tag: "Revenue",
  revenue: { sweepId, chainId: 1, token: address(0xa), amount: 3n, txHash: hash("tx"), settledAtMs: 1 }
})

const PROGRESS: ReadonlyArray<ProgressEvent> = [
  { _tag: "SettledAtSource", txHash: hash("source") },
  { _tag: "Delivered", txHash: hash("destination") },
  { _tag: "Failed", reason: "reverted" }
]

/** All sequences of one event and of two events. */
const SEQUENCES: ReadonlyArray<ReadonlyArray<ProgressEvent>> = [
  ...PROGRESS.map((event) => [event]),
  ...PROGRESS.flatMap((first) => PROGRESS.map((second) => [first, second]))
]

/** Events that lead to each status by the domain's table. */
const WAYS = new Map<IntentStatus, ReadonlyArray<IntentEvent>>([["quoted", []]])
for (const [status, way] of WAYS) {
  for (const event of [{ _tag: "Submitted" } as const, ...PROGRESS]) {
    const to = transition(status, event)
    if (Result.isSuccess(to) && !WAYS.has(to.success)) WAYS.set(to.success, [...way, event])
  }
}

export const moveCases = (stores: Layer.Layer<Intents | RelayTransactions | Outbox, unknown>) => {
  it.effect("moves from every status by every event as the domain's table says", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const reach = Effect.fnUntraced(function* (id: string, way: ReadonlyArray<IntentEvent>) {
        yield* intents.create(newIntent({ id, owner: ++owners }))
        for (const event of way) {
          yield* event._tag === "Submitted" ? intents.submit(id, submission()) : intents.apply(id, [event])
        }
      })
      const cases = [...WAYS].flatMap(([from, way]) => SEQUENCES.map((events) => ({ from, way, events })))
      expect(cases).toHaveLength(5 * (3 + 9))
      let owners = 0

      for (const [from, way] of WAYS) {
        yield* reach(`sign ${from}`, way)
        const signed = Effect.map(intents.submit(`sign ${from}`, submission()), ({ status }) => status)
        expect(yield* Effect.result(signed)).toEqual(transition(from, { _tag: "Submitted" }))
      }
      for (const [index, { events, from, way }] of cases.entries()) {
        yield* reach(`one ${index}`, way)
        yield* reach(`all ${index}`, way)
        const moved = Effect.map(intents.apply(`one ${index}`, events), ({ status }) => status)
        expect(yield* Effect.result(moved), `${from} ${JSON.stringify(events)}`).toEqual(transitions(from, events))
      }
      const moved = yield* intents.applyAll(cases.map(({ events }, index) => ({ id: `all ${index}`, events })))
      for (const [index, { events, from }] of cases.entries()) {
        const to = transitions(from, events)
        const { status } = Option.getOrThrow(yield* intents.find(`all ${index}`))
        expect(status, `${from} ${JSON.stringify(events)}`).toBe(Result.getOrElse(to, () => from))
        expect(moved.has(`all ${index}`)).toBe(Result.isSuccess(to))
      }
    }).pipe(Effect.provide(stores))
  )

  it.effect("applies events with their consequences, all or none", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const outbox = yield* Outbox
      yield* submitted({ id: "a" })
      const events = [
        { _tag: "SettledAtSource", txHash: hash("source") },
        { _tag: "Delivered", txHash: hash("destination") }
      ] as const
      const refused = intents.apply("a", [...events, { _tag: "Failed", reason: "expired" }], {
        outbox: [revenue("never")]
      })
      expect(yield* Effect.flip(refused)).toMatchObject({ from: "delivered", event: "Failed" })
      expect(yield* outbox.counts).toEqual({ pending: 0, rejected: 0 })
      expect((yield* intents.counts).submitted).toBe(1)

      yield* TestClock.adjust("3 millis")
      const delivered = yield* intents.apply("a", events, {
        outbox: [revenue("s_0"), revenue("s_0"), revenue("s_1")]
      })
      expect(delivered).toMatchObject({
        status: "delivered",
        txHash: hash("source"),
        deliveryTxHash: hash("destination"),
        updatedAtMs: 3
      })
      expect(yield* intents.find("a")).toEqual(Option.some(delivered))
      const messages = yield* outbox.claim({ topic: "ledger", limit: 10, leaseMillis: 1 })
      expect(messages.map(({ message }) => message)).toEqual([revenue("s_0"), revenue("s_1")])

      const again = yield* Effect.flip(intents.apply("a", events, { outbox: [revenue("s_2")] }))
      expect(again).toMatchObject({ _tag: "IllegalTransition", from: "delivered", event: "SettledAtSource" })
      expect((yield* outbox.counts).pending).toBe(2)
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps the reason of a failure, and what chains say of it", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      expect(yield* claim("w")).toEqual(["a"])
      yield* submitted({ id: "b" })
      const failed = yield* intents.apply("a", [{ _tag: "Failed", reason: "reverted" }], { detail: "TooLittle()" })
      expect(failed).toMatchObject({ status: "failed", failureReason: "reverted", failureDetail: "TooLittle()" })
      expect(yield* claim("w")).toEqual(["b"])
      const nul = yield* intents.apply("b", [{ _tag: "Failed", reason: "expired" }], { detail: "a\0b" })
      expect(nul.status).toBe("failed")
      yield* submitted({ id: "c" })
      const half = yield* intents.apply("c", [{ _tag: "Failed", reason: "expired" }], { detail: "half a pair \uD83D" })
      expect(half.status).toBe("failed")
      expect(yield* Effect.flip(intents.submit("a", submission()))).toMatchObject({ from: "failed" })
    }).pipe(Effect.provide(stores))
  )

  it.effect("lets one of many who apply the same event win", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      const exits = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) =>
          Effect.exit(
            intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }], { outbox: [revenue(`s_${i}`)] })
          ),
        { concurrency: "unbounded" }
      )
      expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
      expect((yield* (yield* Outbox).counts).pending).toBe(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect("tells the builder of each status that an attributed intent reaches, and of nothing else", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const outbox = yield* Outbox
      const told = Effect.map(outbox.claim({ topic: "events", limit: 50, leaseMillis: 60_000 }), (entries) =>
        entries.map(({ message }) => message)
      )
      const toldOf = (id: string, event: IntentEvent, atMs: number) =>
        Effect.map(intents.find(id), (intent) => ({
          _tag: "SweepEvent",
          event: sweepEvent(Option.getOrThrow(intent), "bld_1", event, atMs)
        }))
      const signed = { _tag: "Submitted" } as const
      yield* TestClock.adjust("7 millis")
      const races = yield* Effect.andThen(
        intents.create(newIntent({ id: "a", builderId: "bld_1" })),
        Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(intents.submit("a", submission())), {
          concurrency: "unbounded"
        })
      )
      expect(races.filter(Exit.isSuccess)).toHaveLength(1)
      yield* submitted({ id: "b", owner: 2, builderId: "bld_1", destChainId: 10 })
      yield* submitted({ id: "c", owner: 3, builderId: "bld_1" })
      yield* submitted({ id: "d", owner: 4, chainId: 8453, builderId: "bld_1", destChainId: 2 ** 40 })
      yield* submitted({ id: "nobody's", owner: 5 })
      const first = yield* told
      expect(first).toEqual([
        yield* toldOf("a", signed, 7),
        yield* toldOf("b", signed, 7),
        yield* toldOf("c", signed, 7),
        yield* toldOf("d", signed, 7)
      ])

      yield* TestClock.adjust("2 millis")
      const settled = { _tag: "SettledAtSource", txHash: hash("source") } as const
      const delivered = { _tag: "Delivered", txHash: hash("destination") } as const
      yield* intents.apply("a", [settled, delivered], { outbox: [revenue("a_0")] })
      yield* intents.applyAll([
        { id: "b", events: [settled], outbox: [revenue("b_0")] },
        { id: "c", events: [settled, delivered] },
        { id: "nobody's", events: [settled, delivered] }
      ])
      yield* intents.apply("d", [{ _tag: "Failed", reason: "reverted" }], { detail: "why" })
      const both = yield* Effect.result(intents.apply("a", [settled, delivered]))
      expect(both._tag).toBe("Failure")
      const second = yield* told
      expect(second).toHaveLength(6)
      expect(second.slice(0, 2)).toEqual([yield* toldOf("a", settled, 9), yield* toldOf("a", delivered, 9)])
      expect(second).toContainEqual(yield* toldOf("b", settled, 9))
      expect(second).toContainEqual(yield* toldOf("c", settled, 9))
      expect(second).toContainEqual(yield* toldOf("c", delivered, 9))
      expect(second).toContainEqual(yield* toldOf("d", { _tag: "Failed", reason: "reverted" }, 9))

      yield* intents.apply("b", [{ _tag: "Failed", reason: "bridge_refunded" }])
      expect(yield* told).toEqual([yield* toldOf("b", { _tag: "Failed", reason: "bridge_refunded" }, 9)])
      expect(
        (yield* outbox.claim({ topic: "ledger", limit: 50, leaseMillis: 1 })).map(({ message }) => message)
      ).toEqual([revenue("a_0"), revenue("b_0")])
    }).pipe(Effect.provide(stores))
  )
}
