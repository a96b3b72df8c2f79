/** Submissions are refused in the documented order of checks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../src/domain/Address.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { digest, type SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { classOf } from "../../../src/domain/Exposure.ts"
import { MOST_RUNNING } from "../../../src/domain/FairTurns.ts"
import { address } from "../../support/FakeChain.ts"
import {
  authorize,
  chain,
  DESTINATION,
  EARLIER,
  EXPIRY,
  ID,
  make,
  owner,
  OWNER,
  paused,
  upgraded,
  withoutSetCode
} from "./intakeScene.ts"

const stranger = privateKeyToAccount(generatePrivateKey())

const BUILDER = address(0xbb)

type Scene = Effect.Success<ReturnType<typeof make>>

const reasonOf = (submitting: ReturnType<Scene["submit"]>) =>
  Effect.map(Effect.flip(submitting), (error) => (error._tag === "SubmissionRefused" ? error.reason : error._tag))

interface Case {
  readonly reason: SubmissionRefused["reason"]
  readonly settings?: Parameters<typeof make>[0]
  readonly trouble?: (scene: Scene) => Effect.Effect<unknown, unknown>
  readonly submission?: Effect.Effect<Partial<Parameters<Scene["submit"]>[0]>>
}

const list =
  (...listed: ReadonlyArray<Address.Address>) =>
  (scene: Scene) =>
    Ref.set(scene.screening, { listed: new Set(listed), available: true })

const signed = (sign: (scene: Scene) => Promise<Hex>) => (scene: Scene) =>
  Effect.map(
    Effect.promise(() => sign(scene)),
    (signature) => ({ signature })
  )

const refusals: Readonly<Record<string, Case>> = {
  "an unknown quote": { reason: "unknown_quote", submission: Effect.succeed({ quoteId: "other" }) },
  "a quote that has just expired": { reason: "expired_quote", trouble: () => TestClock.setTime(EXPIRY) },
  "what was submitted already": { reason: "already_submitted", trouble: (scene) => scene.submit() },
  "a quote of a chain that is configured no more": { reason: "unknown_quote", settings: { chainId: 9 } },
  "an owner that was listed since": { reason: "screening_blocked", trouble: list(OWNER) },
  "a destination that was listed since": { reason: "screening_blocked", trouble: list(DESTINATION) },
  "a builder that was listed since": {
    reason: "screening_blocked",
    settings: { builder: BUILDER },
    trouble: list(BUILDER)
  },
  "everything while screening does not answer": {
    reason: "screening_unavailable",
    trouble: (scene) => Ref.set(scene.screening, { listed: new Set<Address.Address>(), available: false })
  },
  "an authorization for another chain": {
    reason: "wrong_authorization_chain",
    submission: Effect.map(authorize({ chainId: 2 }), (authorization) => ({ authorization }))
  },
  "an authorization for every chain": {
    reason: "wrong_authorization_chain",
    submission: Effect.map(authorize({ chainId: 0 }), (authorization) => ({ authorization }))
  },
  "an authorization for another delegate": {
    reason: "wrong_delegate",
    submission: Effect.map(authorize({ address: address(0x66) }), (authorization) => ({ authorization }))
  },
  "a revocation in place of an authorization": {
    reason: "wrong_delegate",
    submission: Effect.map(authorize({ address: Address.zero }), (authorization) => ({ authorization }))
  },
  "a chain without EIP-7702": {
    reason: "no_set_code_support",
    settings: { chainId: withoutSetCode.id },
    submission: Effect.map(authorize({ chainId: withoutSetCode.id }), (authorization) => ({ authorization }))
  },
  "an order whose fee would count as its output": {
    reason: "expired_quote",
    settings: {
      order: {
        tokenIn: NATIVE,
        tokenOut: chain.wrappedNative,
        destination: chain.feeRecipient,
        destChainId: BigInt(chain.id)
      }
    }
  },
  "a paused chain": {
    reason: "chain_paused",
    settings: { chainId: paused.id },
    submission: Effect.map(authorize({ chainId: paused.id }), (authorization) => ({ authorization }))
  },
  "a signature that is none": { reason: "bad_signature", submission: Effect.succeed({ signature: "0x" }) },
  "a signature of 65 bytes that nobody made": {
    reason: "bad_signature",
    submission: Effect.succeed({ signature: `0x${"ab".repeat(65)}` })
  },
  "an authorization that somebody else signed": {
    reason: "bad_authorization",
    submission: Effect.map(authorize({}, stranger), (authorization) => ({ authorization }))
  },
  "an authorization whose nonce was changed after signing": {
    reason: "bad_authorization",
    submission: Effect.map(authorize({ nonce: 1n }), (authorization) => ({
      authorization: { ...authorization, nonce: 2n }
    }))
  }
}

describe("refused is", () => {
  it.effect.each(Object.entries(refusals))("%s", ([, { reason, settings, submission, trouble }]) =>
    Effect.gen(function* () {
      const scene = yield* make(settings)
      if (trouble !== undefined) yield* Effect.orDie(trouble(scene))
      const before = yield* scene.status
      const changes = submission === undefined ? {} : yield* submission
      assert.strictEqual(yield* reasonOf(scene.submit(changes)), reason)
      assert.strictEqual(yield* scene.status, before)
    })
  )

  it.effect("an order that somebody else signed", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const changes = yield* signed(({ orderDigest }) => stranger.sign({ hash: orderDigest }))(scene)
      assert.strictEqual(yield* reasonOf(scene.submit(changes)), "bad_signature")
    })
  )

  it.effect("a signature of any other order than the stored one", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      const others: ReadonlyArray<Partial<SweepOrder>> = [
        { destination: address(0x66) },
        { amountIn: 1n },
        { feeAmount: 0n },
        { builder: address(0x66) },
        { builderFee: 1n },
        { tokenIn: address(0x66) },
        { tokenOut: address(0x66) },
        { minAmountOut: 0n },
        { swapTarget: address(0x66) },
        { swapCalldata: "0x" },
        { deadline: 2n ** 40n },
        { nonce: 0n },
        { destChainId: 5n }
      ]
      for (const other of others) {
        const hash = digest({ ...scene.order, ...other }, { name: "Service", chainId: chain.id })
        const signature = yield* Effect.promise(() => owner.sign({ hash }))
        assert.strictEqual(yield* reasonOf(scene.submit({ signature })), "bad_signature", Object.keys(other).join())
      }
      const foreign = digest(scene.order, { name: "Service", chainId: 2 })
      const signature = yield* Effect.promise(() => owner.sign({ hash: foreign }))
      assert.strictEqual(yield* reasonOf(scene.submit({ signature })), "bad_signature")
      assert.strictEqual(yield* scene.status, "quoted")
    })
  )

  it.effect("an authorization for the delegate of another generation than the order's", () =>
    Effect.gen(function* () {
      const { delegate, guard } = upgraded.contracts
      const cases = [
        { nonce: 7n, right: EARLIER.delegate, wrong: delegate },
        { nonce: bound(EARLIER.guard, 7n), right: EARLIER.delegate, wrong: delegate },
        { nonce: bound(guard, 7n), right: delegate, wrong: EARLIER.delegate }
      ]
      for (const { nonce, right, wrong } of cases) {
        const scene = yield* make({ chainId: upgraded.id, nonce })
        const submit = (named: Address.Address) =>
          Effect.flatMap(authorize({ chainId: upgraded.id, address: named }), (authorization) =>
            scene.submit({ authorization })
          )
        assert.strictEqual(yield* reasonOf(submit(wrong)), "wrong_delegate")
        assert.strictEqual((yield* submit(right)).status, "submitted")
      }
    })
  )

  it.effect("a quote for contracts that the settings do not name, whatever its authorization names", () =>
    Effect.gen(function* () {
      const scene = yield* make({ chainId: upgraded.id, nonce: bound(address(0x99), 7n) })
      for (const named of [upgraded.contracts.delegate, EARLIER.delegate, address(0x98)]) {
        const authorization = yield* authorize({ chainId: upgraded.id, address: named })
        assert.strictEqual(yield* reasonOf(scene.submit({ authorization })), "wrong_delegate")
      }
    })
  )

  it.effect("for the first reason that applies, in the order of the interface", () =>
    Effect.gen(function* () {
      const scene = yield* make({ chainId: withoutSetCode.id })
      const broken = {
        signature: "0x",
        authorization: yield* authorize({ chainId: 5, address: address(0x66) }, stranger)
      } as const
      yield* Ref.set(scene.screening, { listed: new Set([OWNER]), available: true })
      yield* TestClock.setTime(EXPIRY)
      assert.strictEqual(yield* reasonOf(scene.submit({ ...broken, quoteId: "other" })), "unknown_quote")
      assert.strictEqual(yield* reasonOf(scene.submit(broken)), "expired_quote")
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* reasonOf(scene.submit(broken)), "screening_blocked")
      yield* Ref.set(scene.screening, { listed: new Set<Address.Address>(), available: true })
      assert.strictEqual(yield* reasonOf(scene.submit(broken)), "wrong_authorization_chain")
      const right = { chainId: withoutSetCode.id }
      const foreign = yield* authorize({ ...right, address: address(0x66) }, stranger)
      assert.strictEqual(yield* reasonOf(scene.submit({ ...broken, authorization: foreign })), "wrong_delegate")
      const ours = yield* authorize(right, stranger)
      assert.strictEqual(yield* reasonOf(scene.submit({ ...broken, authorization: ours })), "no_set_code_support")

      const capable = yield* make()
      const strange = yield* authorize({}, stranger)
      assert.strictEqual(yield* reasonOf(capable.submit({ signature: "0x", authorization: strange })), "bad_signature")
      assert.strictEqual(yield* reasonOf(capable.submit({ authorization: strange })), "bad_authorization")
      yield* capable.submit()
      yield* Ref.set(capable.screening, { listed: new Set([OWNER]), available: true })
      assert.strictEqual(yield* reasonOf(capable.submit()), "already_submitted")
    })
  )

  it.effect("nothing by a store that is down: whether it was taken is unknown", () =>
    Effect.gen(function* () {
      const scene = yield* make()
      yield* Ref.set(scene.down, true)
      assert.strictEqual(yield* reasonOf(scene.submit()), "StoreUnavailable")
      yield* Ref.set(scene.down, false)
      assert.strictEqual((yield* scene.submit()).status, "submitted")
    })
  )

  it.effect("with unlisted tokens reserves its worst case with its network, and is refused without room", () =>
    Effect.gen(function* () {
      const { exposures, intents, order, submit } = yield* make()
      yield* TestClock.setTime(EXPIRY - 1)
      const mine = classOf("unlisted", "network", chain.id, "203.0.113.0/24")
      const all = classOf("unlisted", "all", chain.id)
      // Another sweep of the network has reserved nearly all of its quarter of the budget.
      const reserved = { intentId: "other", classes: [all, mine], wei: 5n * 10n ** 15n - 1n }
      const budgets = { unlisted: { hour: 2n * 10n ** 16n, day: 10n ** 17n }, listedHour: 0n }
      yield* exposures.reserve([reserved], budgets)
      const refused = yield* Effect.flip(submit({ network: "203.0.113.0/24" }))
      assert.deepInclude(refused, { reason: "budget_spent", retryAfterMillis: 15_000 })
      assert.strictEqual(Option.getOrThrow(yield* intents.find(ID)).status, "quoted")

      yield* submit({ network: "198.51.100.0/24" })
      assert.strictEqual(Option.getOrThrow(yield* intents.find(ID)).network, "198.51.100.0/24")
      const owner = classOf("unlisted", "owner", chain.id, order.owner)
      const { open } = (yield* exposures.sums([owner])).get(owner) ?? { open: 0n }
      assert.isTrue(open > 0n)
    })
  )

  it.effect("nothing, but fails, once it has waited behind as many as the process runs", () =>
    Effect.gen(function* () {
      const scene = yield* make({ storing: Effect.never })
      yield* Effect.forEach(
        Array.from({ length: MOST_RUNNING }),
        () => Effect.forkChild(scene.submit(), { startImmediately: true }),
        { discard: true }
      )
      const waiting = yield* Effect.forkChild(reasonOf(scene.submit()), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      assert.isDefined(waiting.pollUnsafe())
      assert.strictEqual(yield* Fiber.join(waiting), "TooBusy")
    })
  )
})
