/**
 * A restored database may remember one version of a batch's payment, and not the later one that was mined instead. The batch is booked by
 * that one, since the chain shows that no remembered version can be mined.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import type { PayoutBatch } from "../../../src/domain/Payout.ts"
import {
  DEADLINE,
  deskOn,
  FORGOTTEN,
  FORMER_DEADLINE,
  HEAD,
  type Node,
  opened,
  quiet,
  recordBoth,
  recordPresent
} from "./versionScene.ts"

/** Runs a test with an open batch that has one recorded version, which is not mined, after one of a former vault if `hasFormer`. */
const rule = (
  name: string,
  test: (scene: {
    readonly node: Node
    readonly remembered: string
    readonly markPaid: Effect.Effect<PayoutBatch, { readonly _tag: string }>
    readonly fail: Effect.Effect<PayoutBatch, { readonly _tag: string }>
  }) => Effect.Effect<void, unknown>,
  { hasFormer = false }: { readonly hasFormer?: boolean } = {}
) =>
  it.effect(name, () => {
    const node = quiet()
    return Effect.gen(function* () {
      yield* TestClock.setTime(60_000)
      const batch = yield* opened(node)
      const desk = yield* PayoutDesk
      yield* test({
        node,
        remembered: yield* hasFormer ? recordBoth(batch) : recordPresent(batch),
        markPaid: desk.markPaid(batch.id, FORGOTTEN, "test"),
        fail: desk.fail(batch.id, "test", "test")
      })
    }).pipe(Effect.provide(deskOn(node)))
  })

const isRefused = (attempt: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(attempt), ({ _tag }) => assert.strictEqual(_tag, "PaymentInFlight"))

describe("a payment that was mined instead of the recorded version", () => {
  rule("books its batch, which cannot be given up", ({ fail, markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      yield* isRefused(fail)
      assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
    })
  )

  rule("books it too when the deadline of the recorded version is past", ({ fail, markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      node.seconds = BigInt(DEADLINE + 1)
      yield* isRefused(fail)
      assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
    })
  )

  rule("books nothing before the spent nonce is confirmed", ({ markPaid, node }) =>
    Effect.gen(function* () {
      node.spentAt = HEAD - 1n
      yield* isRefused(markPaid)
      node.spentAt = HEAD - 2n
      assert.strictEqual((yield* markPaid).status, "paid")
    })
  )

  rule("books nothing while the nonce is not spent, so that the recorded version may be mined", ({ markPaid, node }) =>
    Effect.gen(function* () {
      yield* isRefused(markPaid)
      node.seconds = BigInt(DEADLINE)
      yield* isRefused(markPaid)
      node.seconds = BigInt(DEADLINE + 1)
      assert.strictEqual((yield* markPaid).status, "paid")
    })
  )

  rule("books nothing if the recorded version was mined, which pays the batch", ({ markPaid, node, remembered }) =>
    Effect.gen(function* () {
      node.spentAt = 90n
      node.succeeded = remembered
      yield* isRefused(markPaid)
    })
  )

  rule(
    "books nothing while a former vault's version may be mined, since the spent nonce is that of the present vault alone",
    ({ markPaid, node }) =>
      Effect.gen(function* () {
        node.spentAt = 90n
        for (const seconds of [60, DEADLINE + 1, FORMER_DEADLINE]) {
          node.seconds = BigInt(seconds)
          yield* isRefused(markPaid)
        }
        node.seconds = BigInt(FORMER_DEADLINE + 1)
        assert.deepInclude(yield* markPaid, { status: "paid", txHash: FORGOTTEN })
      }),
    { hasFormer: true }
  )
})
