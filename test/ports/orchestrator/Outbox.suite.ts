/** Contract of every outbox. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { OutboxMessage } from "../../../src/domain/Accrual.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox, type Topic } from "../../../src/ports/orchestrator/Outbox.ts"
import { address, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const accrual = (sweepId: string): OutboxMessage => ({
  _tag: "Accrual",
  accrual: {
    builderId: "bld_1",
    sweepId,
    token: address(0xa),
    amount: 2n ** 256n - 1n,
    chainId: 1,
    paidTxHash: hash("paid")
  }
})

const revenue = (sweepId: string): OutboxMessage => ({
  _tag: "Revenue",
  revenue: { sweepId, chainId: 1, token: address(0xa), amount: 0n, txHash: hash("tx"), settledAtMs: 1 }
})

/** Moves of an intent write the messages. */
const write = Effect.fnUntraced(function* (messages: ReadonlyArray<OutboxMessage>) {
  const intents = yield* Intents
  const id = messages.map((message) => JSON.stringify(message, (_, v) => (typeof v === "bigint" ? `${v}` : v))).join()
  yield* submitted({ id })
  yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash("t") }], { outbox: messages })
})

export const suite = (adapter: string, stores: Layer.Layer<Intents | Outbox, unknown>) =>
  describe(`Outbox on ${adapter}`, () => {
    it.effect(
      "hands bookings and events out with the trace of the request that quoted their sweep, if it is recorded",
      () =>
        Effect.gen(function* () {
          const intents = yield* Intents
          const outbox = yield* Outbox
          const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }
          for (const [id, traced] of [
            ["traced", { trace }],
            ["untraced", { trace: undefined }]
          ] as const) {
            yield* intents.create({
              ...newIntent({ id, builderId: "bld_1" }),
              ...(traced.trace === undefined ? {} : traced)
            })
            yield* intents.submit(id, submission())
            yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash("t") }], { outbox: [revenue(`${id}_0`)] })
            const found = yield* intents.find(id)
            expect(Option.map(found, (intent) => intent.trace)).toEqual(Option.some(traced.trace))
            for (const topic of ["ledger", "events"] as const) {
              const entries = yield* outbox.claim({ topic, limit: 9, leaseMillis: 100 })
              expect(entries.length).toBeGreaterThan(0)
              expect(entries.map((entry) => entry.trace)).toEqual(entries.map(() => traced.trace))
            }
          }
        }).pipe(Effect.provide(stores))
    )

    it.effect("hands messages out as they were written, longest due first", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write([revenue("1_0"), accrual("1_0")])
        yield* TestClock.adjust("1 millis")
        yield* write([revenue("2_0")])
        const first = yield* outbox.claim({ topic: "ledger", limit: 2, leaseMillis: 100 })
        expect(first.map(({ message }) => message)).toEqual([revenue("1_0"), accrual("1_0")])
        expect(first.map(({ attempts }) => attempts)).toEqual([0, 0])
        expect(
          (yield* outbox.claim({ topic: "ledger", limit: 2, leaseMillis: 100 })).map(({ message }) => message)
        ).toEqual([revenue("2_0")])
        expect(yield* outbox.claim({ topic: "ledger", limit: 2, leaseMillis: 100 })).toEqual([])
        expect(yield* outbox.counts).toEqual({ pending: 3, rejected: 0 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("hands a message out again when its lease ends", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write([revenue("1_0")])
        const [entry] = yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 100 })
        yield* TestClock.adjust("99 millis")
        expect(yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 100 })).toEqual([])
        yield* TestClock.adjust("1 millis")
        expect(yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 100 })).toEqual([entry])
      }).pipe(Effect.provide(stores))
    )

    it.effect("never hands one message to deliverers that claim at once", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write(Array.from({ length: 40 }, (_, i) => revenue(`${i}_0`)))
        const claims = yield* Effect.forEach(
          Array.from({ length: 10 }),
          () => outbox.claim({ topic: "ledger", limit: 7, leaseMillis: 1_000 }),
          { concurrency: "unbounded" }
        )
        const ids = claims.flat().map(({ id }) => id)
        expect(ids).toHaveLength(40)
        expect(new Set(ids).size).toBe(40)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps money and events apart", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* submitted({ id: "told", builderId: "bld_1" })
        yield* write([revenue("1_0")])
        expect(yield* outbox.counts).toEqual({ pending: 1, rejected: 0 })
        const claim = (topic: Topic) => outbox.claim({ topic, limit: 5, leaseMillis: 100 })
        const [event, ...otherEvents] = yield* claim("events")
        const [money, ...otherMoney] = yield* claim("ledger")
        expect([event?.message._tag, money?.message._tag]).toEqual(["SweepEvent", "Revenue"])
        expect([...otherEvents, ...otherMoney]).toEqual([])
        yield* outbox.reject(event?.id ?? "", "404")
        expect(yield* outbox.counts).toEqual({ pending: 1, rejected: 0 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("counts failed deliveries and waits as told", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write([revenue("1_0")])
        const [entry] = yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 10_000 })
        const id = entry?.id ?? ""
        yield* outbox.defer(id, 50, "HTTP 503 \0")
        yield* TestClock.adjust("49 millis")
        expect(yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 1 })).toEqual([])
        yield* TestClock.adjust("1 millis")
        expect(yield* outbox.claim({ topic: "ledger", limit: 1, leaseMillis: 1 })).toEqual([
          { id, message: revenue("1_0"), attempts: 1 }
        ])
      }).pipe(Effect.provide(stores))
    )

    it.effect("makes a rejected message due again, and tells what became of the others", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write([revenue("1_0"), revenue("2_0"), revenue("3_0")])
        const [first = "", second = "", third = ""] = (yield* outbox.claim({
          topic: "ledger",
          limit: 3,
          leaseMillis: 1_000
        })).map(({ id }) => id)
        yield* outbox.acknowledge(first)
        yield* outbox.reject(second, "409")
        expect(yield* outbox.reopen(first)).toBe("gone")
        expect(yield* outbox.reopen("999999999")).toBe("gone")
        expect(yield* outbox.reopen(third)).toBe("pending")
        expect(yield* outbox.reopen(second)).toBe("reopened")
        expect(yield* outbox.reopen(second)).toBe("pending")
        expect(yield* outbox.counts).toEqual({ pending: 2, rejected: 0 })
        expect((yield* outbox.claim({ topic: "ledger", limit: 3, leaseMillis: 1 })).map(({ id }) => id)).toEqual([
          second
        ])
      }).pipe(Effect.provide(stores))
    )

    it.effect("is done with what was acknowledged, and keeps what was rejected for the operator", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* write([revenue("1_0"), revenue("2_0"), revenue("3_0")])
        const [first, second, third] = (yield* outbox.claim({ topic: "ledger", limit: 3, leaseMillis: 1 })).map(
          ({ id }) => id
        )
        yield* outbox.acknowledge(first ?? "")
        yield* outbox.reject(second ?? "", "409")
        // A deliverer whose lease had ended is late.
        yield* outbox.defer(first ?? "", 0, "late")
        yield* outbox.reject(first ?? "", "late")
        yield* outbox.defer(second ?? "", 0, "late")
        yield* TestClock.adjust("1 hour")
        expect((yield* outbox.claim({ topic: "ledger", limit: 3, leaseMillis: 1 })).map(({ id }) => id)).toEqual([
          third
        ])
        expect(yield* outbox.counts).toEqual({ pending: 1, rejected: 1 })
        yield* outbox.acknowledge(second ?? "")
        expect(yield* outbox.counts).toEqual({ pending: 1, rejected: 0 })
      }).pipe(Effect.provide(stores))
    )
  })
