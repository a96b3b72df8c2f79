/** Sweeps of many tokens: accepted all together, or refused for the reason that their client sees. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { classOf, worstCase } from "../../../src/domain/Exposure.ts"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import { address } from "../../support/FakeChain.ts"
import { authorize, chain, EXPIRY, OWNER, withoutSetCode } from "./intakeScene.ts"
import { delegated, scene, sign } from "./sweepScene.ts"

type Scene = Effect.Success<typeof scene>

/** Each refusal: its reason, and a submission that has it. */
const REFUSALS: ReadonlyArray<readonly [string, (the: Scene) => ReturnType<Scene["submit"]>]> = [
  ["unknown_quote", (the) => the.submit(["a"], { quoteIds: ["a", "unknown"] })],
  ["expired_quote", (the) => Effect.andThen(TestClock.setTime(EXPIRY), the.submit(["a", "b"]))],
  ["expired_quote", (the) => the.submit(["a", "counted"])],
  ["different_owners", (the) => the.submit(["a", "foreign"])],
  ["outdated_contracts", (the) => the.submit(["a", "upgraded"])],
  ["outdated_contracts", (the) => the.submit(["a", "replaced"])],
  ["chain_paused", (the) => the.submit(["a", "paused"])],
  [
    "screening_blocked",
    (the) =>
      Effect.andThen(
        Ref.update(the.screening, (state) => ({ ...state, listed: new Set([OWNER]) })),
        the.submit(["a", "b"])
      )
  ],
  [
    "screening_unavailable",
    (the) =>
      Effect.andThen(
        Ref.update(the.screening, (state) => ({ ...state, available: false })),
        the.submit(["a", "b"])
      )
  ],
  ["missing_authorization", (the) => the.submit(["a", "c"], { authorizations: [] })],
  ["wrong_authorization_chain", (the) => the.submit(["c"])],
  ["wrong_authorization_chain", (the) => the.submit(["a"], { authorizations: [the.authorization, the.authorization] })],
  [
    "wrong_delegate",
    (the) =>
      Effect.flatMap(authorize({ address: address(0x99) }), (authorization) =>
        the.submit(["a"], { authorizations: [authorization] })
      )
  ],
  [
    "no_set_code_support",
    (the) =>
      Effect.flatMap(authorize({ chainId: withoutSetCode.id }), (authorization) =>
        the.submit(["old"], { authorizations: [authorization] })
      )
  ],
  ["bad_authorization", (the) => the.submit(["a"], { authorizations: [{ ...the.authorization, nonce: 9n }] })],
  // The owner signed other legs, or the same in another order, or for another service.
  ["bad_signature", (the) => Effect.flatMap(sign(["a"]), (signature) => the.submit(["a", "b"], { signature }))],
  ["bad_signature", (the) => Effect.flatMap(sign(["b", "a"]), (signature) => the.submit(["a", "b"], { signature }))],
  [
    "bad_signature",
    (the) => Effect.flatMap(sign(["a", "b"], "Other"), (signature) => the.submit(["a", "b"], { signature }))
  ],
  [
    "chain_unavailable",
    (the) =>
      Effect.gen(function* () {
        yield* (yield* Effect.orDie(the.chains.get(delegated.id))).fail("code")
        return yield* the.submit(["a", "c"])
      })
  ]
]

describe("a sweep of many tokens", () => {
  it.effect("is accepted with one signature, and an authorization where the account does not run the delegate", () =>
    Effect.gen(function* () {
      const { authorization, intents, submit } = yield* scene
      const accepted = yield* submit(["c", "a"], { network: "10.0.0.0/24" })
      assert.deepStrictEqual(accepted.intents, [
        { id: "c", status: "submitted" },
        { id: "a", status: "submitted" }
      ])
      const signature = yield* sign(["c", "a"])
      for (const [leg, id] of ["c", "a"].entries()) {
        const { network, submission } = Option.getOrThrow(yield* intents.find(id))
        assert.strictEqual(network, "10.0.0.0/24")
        assert.strictEqual(submission?.signature, signature)
        assert.deepStrictEqual(submission?.authorization, id === "a" ? authorization : undefined)
        assert.deepInclude(submission?.batch, { sweepId: accepted.id, leg })
        const { order, quote } = Option.getOrThrow(yield* intents.find(id))
        const hash = SweepBatch.legHash({ chainId: quote.sourceChainId, order })
        assert.strictEqual(submission?.batch?.legHashes[leg], hash)
      }
      const stored = Option.getOrThrow(yield* intents.findSweep(accepted.id))
      assert.deepInclude(stored, { owner: OWNER, intentIds: ["c", "a"] })
    })
  )

  it.effect("is refused for a reason, and nothing of it is stored", () =>
    Effect.forEach(
      REFUSALS,
      ([reason, submitIn]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(0)
          const the = yield* scene
          const refusal = yield* Effect.flip(submitIn(the))
          assert.strictEqual(refusal._tag === "SubmissionRefused" ? refusal.reason : refusal._tag, reason)
          assert.deepStrictEqual(yield* the.statuses, new Set(["quoted"]))
          assert.deepStrictEqual(yield* the.intents.sweepsOf(OWNER, { limit: 1 }), [])
        }).pipe(Effect.scoped),
      { discard: true }
    )
  )

  it.effect("is refused whole if one of its quotes was submitted before", () =>
    Effect.gen(function* () {
      const { intents, submit } = yield* scene
      yield* submit(["a"])
      const refusal = yield* Effect.flip(submit(["b", "a"]))
      assert.strictEqual(refusal._tag === "SubmissionRefused" ? refusal.reason : refusal._tag, "already_submitted")
      assert.strictEqual(Option.getOrThrow(yield* intents.find("b")).status, "quoted")
    })
  )

  it.effect("is refused whole if the budget has room for some of its legs, and keeps none of it reserved", () =>
    Effect.gen(function* () {
      const { chains, exposures, statuses, submit } = yield* scene
      const fees = { baseFeePerGas: 10n ** 9n, maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
      yield* (yield* chains.get(chain.id)).setFees(fees)
      const network = "203.0.113.0/24"
      const mine = classOf("unlisted", "network", chain.id, network)
      const wei = 5n * 10n ** 15n - worstCase({ gas: 210_000n, maxFeePerGas: fees.maxFeePerGas, dataFee: 0n }) - 1n
      const budgets = { unlisted: { hour: 2n * 10n ** 16n, day: 10n ** 17n }, listedHour: 0n }
      yield* exposures.reserve(
        [{ intentId: "other", classes: [classOf("unlisted", "all", chain.id), mine], wei }],
        budgets
      )
      const refusal = yield* Effect.flip(submit(["a", "b"], { network }))
      assert.deepInclude(refusal, { reason: "budget_spent", retryAfterMillis: 15_000 })
      assert.deepStrictEqual(yield* statuses, new Set(["quoted"]))
      assert.strictEqual((yield* exposures.sums([mine])).get(mine)?.open, wei)
      yield* submit(["a"], { network })
    })
  )

  it.effect("is refused whole if a bridge has no room for one of its legs, and keeps nothing reserved", () =>
    Effect.gen(function* () {
      const { chains, exposures, statuses, submit } = yield* scene
      const fees = { baseFeePerGas: 10n ** 9n, maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
      yield* (yield* chains.get(chain.id)).setFees(fees)
      const network = "203.0.113.0/24"
      const mine = classOf("unlisted", "network", chain.id, network)
      const refusal = yield* Effect.flip(submit(["a", "relayed"], { network }))
      assert.deepInclude(refusal, { reason: "budget_spent", retryAfterMillis: 60_000 })
      assert.deepStrictEqual(yield* statuses, new Set(["quoted"]))
      assert.strictEqual((yield* exposures.sums([mine])).get(mine)?.open ?? 0n, 0n)
      yield* submit(["a"], { network })
      assert.isTrue(((yield* exposures.sums([mine])).get(mine)?.open ?? 0n) > 0n)
    })
  )

  it.effect("has one winner among simultaneous requests", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      const outcomes = yield* Effect.forEach([1, 2, 3, 4], () => Effect.result(submit(["a", "c"])), {
        concurrency: "unbounded"
      })
      const reasons = outcomes.map((each) =>
        each._tag === "Success" ? "accepted" : each.failure._tag === "SubmissionRefused" ? each.failure.reason : "other"
      )
      assert.deepStrictEqual(reasons.toSorted(), [
        "accepted",
        "already_submitted",
        "already_submitted",
        "already_submitted"
      ])
    })
  )

  it.effect("is recognised when the same request comes again", () =>
    Effect.gen(function* () {
      const { intake, of } = yield* scene
      const submission = yield* of(["a", "c"])
      assert.deepStrictEqual(yield* intake.accepted(submission), Option.none())
      const accepted = yield* intake.submit(submission)
      assert.deepStrictEqual(yield* intake.accepted(submission), Option.some(accepted))
      const shouted = `0x${submission.signature.slice(2).toUpperCase()}` as const
      assert.deepStrictEqual(yield* intake.accepted({ ...submission, signature: shouted }), Option.some(accepted))
      assert.deepStrictEqual(yield* intake.accepted({ ...submission, quoteIds: ["a"] }), Option.none())
      assert.deepStrictEqual(yield* intake.accepted({ ...submission, quoteIds: ["c", "a"] }), Option.none())
      const other = yield* sign(["b"])
      assert.deepStrictEqual(yield* intake.accepted({ ...submission, signature: other }), Option.none())
    })
  )
})
