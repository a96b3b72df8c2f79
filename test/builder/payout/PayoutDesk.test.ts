/**
 * A vault may be replaced while a payment by the former one is under way, by a Safe or by another key. No second payment of the batch
 * leaves the service meanwhile: neither Permit2's nonce nor the account's excludes one by another account.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import { address } from "../../support/IntentFixtures.ts"
import {
  DEADLINE,
  deskOn,
  exportedFor,
  FORMER_DEADLINE,
  opened,
  quiet,
  recordFormer,
  recordPresent,
  signed
} from "./versionScene.ts"

const SAFE = address(0x5a)

/** Tag of the failure, or "done". */
const outcome = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(attempt), Result.match({ onFailure: ({ _tag }) => _tag as string, onSuccess: () => "done" }))

const start = TestClock.setTime(60_000)

describe("a batch with a payment under way", () => {
  it.effect("is exported for a Safe when the payment can no longer be mined, and not before", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { safeTransactions } = yield* PayoutDesk
      assert.strictEqual(yield* outcome(safeTransactions(batch.id, "test")), "done")
      yield* recordPresent(batch)
      assert.strictEqual(yield* outcome(safeTransactions(batch.id, "test")), "PaymentInFlight")
      node.seconds = BigInt(DEADLINE)
      assert.strictEqual(yield* outcome(safeTransactions(batch.id, "test")), "PaymentInFlight")
      node.seconds = BigInt(DEADLINE + 1)
      assert.strictEqual(yield* outcome(safeTransactions(batch.id, "test")), "done")
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("is never exported once the payment was mined", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { safeTransactions } = yield* PayoutDesk
      yield* recordPresent(batch)
      node.spentAt = 90n
      node.seconds = BigInt(DEADLINE + 1)
      assert.strictEqual(yield* outcome(safeTransactions(batch.id, "test")), "PaymentInFlight")
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("takes none of another signer until that of the former vault can no longer be mined", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { record } = yield* PayoutDesk
      yield* recordFormer(batch)
      const raw = yield* signed(batch)
      for (const seconds of [60, FORMER_DEADLINE]) {
        node.seconds = BigInt(seconds)
        assert.strictEqual(yield* outcome(record(batch.id, raw, 1, "test")), "PaymentInFlight")
      }
      node.seconds = BigInt(FORMER_DEADLINE + 1)
      assert.strictEqual((yield* record(batch.id, raw, 1, "test")).payments?.length, 2)
      // Recorded by now, so that it can be repeated while either is under way.
      node.seconds = 60n
      assert.strictEqual((yield* record(batch.id, raw, 1, "test")).payments?.length, 2)
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("takes the next version of the same vault while the one before may be mined", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { record } = yield* PayoutDesk
      yield* recordPresent(batch)
      const next = yield* signed(batch, undefined, DEADLINE + 60)
      assert.strictEqual((yield* record(batch.id, next, 1, "test")).payments?.length, 2)
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("that was exported for a Safe takes no payment by key once another vault has replaced the Safe", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { fail, record } = yield* PayoutDesk
      yield* exportedFor(node, batch.id, SAFE)
      const raw = yield* signed(batch)
      const refused = yield* Effect.flip(record(batch.id, raw, 0, "test"))
      assert.strictEqual(refused._tag, "BadPayment")
      assert.include(refused.message, SAFE)
      assert.strictEqual((yield* fail(batch.id, "rejected in the Safe", "test")).status, "failed")
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("that was exported for a Safe is not exported for the one that replaced it", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { fail, safeTransactions } = yield* PayoutDesk
      yield* exportedFor(node, batch.id, SAFE)
      const refused = yield* Effect.flip(safeTransactions(batch.id, "test"))
      assert.strictEqual(refused._tag, "BadPayment")
      assert.include(refused.message, SAFE)
      assert.strictEqual(yield* outcome(exportedFor(node, batch.id, SAFE)), "done")
      assert.strictEqual((yield* fail(batch.id, "rejected in the Safe", "test")).status, "failed")
    }).pipe(Effect.provide(deskOn(node)))
  })

  it.effect("that was exported for the present vault takes a payment by key, and repeats it after an export", () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* start
      const batch = yield* opened(node)
      const { record, safeTransactions } = yield* PayoutDesk
      yield* safeTransactions(batch.id, "test")
      const raw = yield* signed(batch)
      assert.lengthOf((yield* record(batch.id, raw, 0, "test")).payments ?? [], 1)
      node.seconds = BigInt(DEADLINE + 1)
      const { append } = yield* AuditLog
      yield* append({ actor: "test", action: "payout.export_safe", subject: batch.id, details: { vault: SAFE } })
      assert.lengthOf((yield* record(batch.id, raw, 0, "test")).payments ?? [], 1)
    }).pipe(Effect.provide(deskOn(node)))
  })
})
