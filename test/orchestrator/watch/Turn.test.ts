/** Which of several processes acts on a relay transaction, and when another one does it instead. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import { SentHere } from "../../../src/orchestrator/shared/SentHere.ts"
import * as Turn from "../../../src/orchestrator/watch/Turn.ts"
import { receiptsOf } from "../../support/ReceiptsDuty.ts"
import { layer } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep } from "../../support/SentSweep.ts"

/** A sweep whose transaction is in a confirmed block. */
const minedSweep = Effect.gen(function* () {
  const sent = yield* sentSweep()
  yield* sent.mineLane({ hash: sent.attempt.hash, logs: [sweptLog(sent.order)] })
  yield* sent.bury(2)
  return sent
})

describe("a confirmed transaction", () => {
  it.effect("is concluded at once by the process that sent it", () =>
    Effect.gen(function* () {
      const { status, transaction } = yield* minedSweep
      const { scheduled } = yield* receiptsOf([transaction.id])
      yield* scheduled
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is left to that process for a moment by the others, and concluded by them after it", () =>
    Effect.gen(function* () {
      const { status } = yield* minedSweep
      const { scheduled } = yield* receiptsOf([])
      yield* scheduled
      yield* TestClock.adjust(Turn.MOMENT_MILLIS - 1)
      yield* scheduled
      assert.strictEqual(yield* status, "submitted")
      yield* TestClock.adjust(1)
      yield* scheduled
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is concluded at once by a process that was asked to look", () =>
    Effect.gen(function* () {
      const { status } = yield* minedSweep
      yield* (yield* receiptsOf([])).round
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is concluded at once by a process without relayers", () =>
    Effect.gen(function* () {
      const { status } = yield* minedSweep
      const { scheduled } = yield* receiptsOf([])
      yield* scheduled
      assert.strictEqual(yield* status, "delivered")
    }).pipe(
      Effect.provideService(ProcessShare, { roles: new Set(["watch" as const]), chains: undefined }),
      Effect.provide(layer)
    )
  )
})

describe("a turn", () => {
  const turnOf = (sentIds: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { note } = yield* SentHere
      for (const id of sentIds) note(id)
      return yield* Turn.make
    }).pipe(Effect.provide(Layer.fresh(SentHere.layer)))

  it.effect("of the sender does not begin while it may still be sending", () =>
    Effect.gen(function* () {
      const { transaction } = yield* sentSweep()
      const { broadcastAtMs: _, ...signed } = transaction.attempts[0] ?? (yield* Effect.die("no attempt"))
      const unsent = { ...transaction, attempts: [signed] }
      const { isOurs } = yield* turnOf([transaction.id])
      assert.isTrue(yield* isOurs(transaction))
      assert.isFalse(yield* isOurs(unsent))
      yield* TestClock.adjust(Turn.SENDING_MILLIS)
      assert.isTrue(yield* isOurs(unsent), "a crash may have come between its signature and its first send")
    }).pipe(Effect.provide(layer))
  )

  it.effect("of another process ends a moment later although the clock was set back", () =>
    Effect.gen(function* () {
      const { transaction } = yield* sentSweep()
      const { isOurs } = yield* turnOf([])
      yield* TestClock.setTime(7_200_000)
      assert.isFalse(yield* isOurs(transaction))
      yield* TestClock.setTime(7_190_000)
      assert.isFalse(yield* isOurs(transaction))
      yield* TestClock.adjust(Turn.MOMENT_MILLIS)
      assert.isTrue(yield* isOurs(transaction))
    }).pipe(Effect.provide(layer))
  )

  it.effect("of another process begins anew when nothing was due meanwhile, and stays its own", () =>
    Effect.gen(function* () {
      const { transaction } = yield* sentSweep()
      const { isOurs, rest, retain } = yield* turnOf([])
      const waits = Effect.gen(function* () {
        assert.isFalse(yield* isOurs(transaction))
        yield* TestClock.adjust(Turn.MOMENT_MILLIS)
      })
      yield* waits
      rest(transaction.id)
      yield* waits
      retain(transaction.chainId, [])
      yield* waits
      retain(transaction.chainId, [transaction])
      assert.isTrue(yield* isOurs(transaction))
      assert.isTrue(yield* isOurs(transaction))
    }).pipe(Effect.provide(layer))
  )
})
