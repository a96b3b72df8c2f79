/** Smaller versions of transactions that nodes refuse. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import { raise } from "../../../src/domain/FeeBump.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { OwnerBlocks } from "../../../src/orchestrator/relay/OwnerBlocks.ts"
import * as Reduction from "../../../src/orchestrator/relay/Reduction.ts"
import { ChainLosses } from "../../../src/orchestrator/shared/ChainLosses.ts"
import { KeptVersions } from "../../../src/orchestrator/shared/KeptVersions.ts"
import { RecentIntents } from "../../../src/orchestrator/shared/RecentIntents.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { layer } from "../../support/RelayScene.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { layerLimited, limitFees } from "./chosenLimits.ts"
import { crowd, ownersIn } from "./crowd.ts"

describe("a version that may have reached a node", () => {
  it.effect("is left to the relayer that has just signed it", () =>
    Effect.gen(function* () {
      const { client, pending } = yield* crowd(4)
      yield* relay
      const { reduce } = yield* Reduction.make.pipe(
        Effect.provide(
          Layer.mergeAll(
            ChainLosses.layer,
            KeptVersions.layer,
            OwnerBlocks.layer,
            RecentIntents.layer,
            StandingAlerts.layer
          )
        )
      )
      const before = yield* pending
      const [first] = before.attempts
      if (first === undefined) return yield* Effect.die("no attempt")
      const attempts = Effect.map(pending, (transaction) => transaction.attempts.length)
      yield* TestClock.adjust(14_999)
      yield* reduce(client, before, first, "authority already reserved")
      assert.strictEqual(yield* attempts, 1)
      // A look at a transaction that has another version by now changes nothing.
      const transactions = yield* RelayTransactions
      yield* transactions.addAttempt(before.id, { ...first, hash: keccak256("0x01") }, "sweep")
      yield* TestClock.adjust(1)
      yield* reduce(client, before, first, "authority already reserved")
      assert.strictEqual(yield* attempts, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the sweeps that it leaves out until its nonce is used", () =>
    Effect.gen(function* () {
      const { accepted, bury, chain, hostile, intents, lane, mineLane, pending, sent } = yield* crowd(4)
      hostile.add(4)
      let answers = 0
      const refusal = new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "authority reserved" })
      const silence = new ChainUnavailable({ chainId: source.id, method: "eth_sendRawTransaction", detail: "timeout" })
      yield* chain.onSend(() => Effect.fail(answers++ === 0 ? refusal : silence))
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 2 })
      const { attempts, intentIds } = yield* pending
      assert.deepStrictEqual(intentIds, ["s1", "s2", "s3", "s4"])
      assert.lengthOf(attempts, 2)
      // Nobody sends the others with another nonce meanwhile.
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })

      const [first, second] = intents
      if (first === undefined || second === undefined) return yield* Effect.die("no intents")
      yield* chain.onSend((raw) => Effect.sync(() => (accepted.push(raw), keccak256(raw))))
      yield* mineLane({ hash: attempts[1]?.hash ?? "0x", logs: [sweptLog(first), sweptLog(second)] })
      yield* bury(2)
      yield* tick
      yield* relay
      assert.deepStrictEqual(
        (yield* pending).intentIds,
        ["s3", "s4"],
        `lane ${lane} sent ${(yield* sent).length} transactions`
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is refused later is replaced by a smaller one with the same nonce and higher fees", () =>
    Effect.gen(function* () {
      const { accepted, blocking, bury, givenUp, hostile, intent, intents, mineLane, pending, unstored } =
        yield* crowd(8)
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 8 })
      // The node lost its pool, and owner 5 filled the new one.
      hostile.add(5)
      yield* TestClock.adjust(15_000)
      yield* tick
      assert.lengthOf(unstored, 0)
      const [whole, smaller, ...more] = accepted
      assert.lengthOf(more, 0)
      if (whole === undefined || smaller === undefined) return yield* Effect.die("not replaced")
      assert.strictEqual(parse(smaller).nonce, parse(whole).nonce)
      for (const field of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
        assert.isTrue(10n * parse(smaller)[field] >= 11n * parse(whole)[field])
      }
      const carried = ownersIn(smaller)
      assert.notInclude(carried, address(5))
      const { attempts, intentIds } = yield* pending
      assert.lengthOf(intentIds, 8)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })

      yield* mineLane({
        hash: attempts.at(-1)?.hash ?? "0x",
        logs: intents.filter(({ order }) => carried.includes(order.owner)).map((each) => sweptLog(each))
      })
      yield* bury(2)
      yield* tick
      for (const { id, order } of intents) {
        if (carried.includes(order.owner)) assert.strictEqual((yield* intent(id)).status, "delivered")
        else assert.isUndefined(yield* givenUp(id))
      }
      yield* relay
      yield* TestClock.adjust(3_000)
      yield* relay
      const again = accepted.slice(2).flatMap(ownersIn)
      assert.deepStrictEqual(
        [...carried, ...again, address(5)].toSorted(),
        intents.map(({ order }) => order.owner).toSorted()
      )
      assert.deepStrictEqual(
        (yield* blocking).map(({ details }) => details["owner"]),
        [address(5)]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced by a smaller one also while an endpoint is silent", () =>
    Effect.gen(function* () {
      const { blocking, chain, pending, sent } = yield* crowd(4)
      const failing = { chainId: source.id, method: "eth_sendRawTransaction", detail: "authority reserved; timeout" }
      yield* chain.onSend((raw) =>
        parse(raw).authorizationList.some(({ r }) => BigInt(r) === 3n)
          ? Effect.fail(new ChainUnavailable({ ...failing, refusal: "AuthorityBusy" }))
          : Effect.succeed(keccak256(raw))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 4, sent: 4 })
      yield* TestClock.adjust(15_000)
      yield* tick
      const { attempts, intentIds } = yield* pending
      // The version with all may be at the silent endpoint, so nobody leaves the transaction.
      assert.lengthOf(intentIds, 4)
      assert.deepStrictEqual(ownersIn(attempts.at(-1)?.raw ?? "0x"), [address(1), address(2)])
      assert.deepStrictEqual([...new Set((yield* sent).map(({ nonce }) => nonce))], [0n])
      assert.lengthOf(yield* blocking, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("with one sweep is replaced by a self-send", () =>
    Effect.gen(function* () {
      const { accepted, bury, givenUp, hostile, lane, mineLane, pending } = yield* crowd(1)
      yield* relay
      hostile.add(1)
      yield* TestClock.adjust(15_000)
      yield* tick
      const { attempts, kind } = yield* pending
      assert.strictEqual(kind, "cancel")
      assert.strictEqual(parse(accepted.at(-1) ?? "0x").to, lane)
      yield* mineLane({ hash: attempts.at(-1)?.hash ?? "0x" })
      yield* bury(2)
      yield* tick
      assert.isUndefined(yield* givenUp("s1"))
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    { fate: "is replaced by a smaller one within the fee limit", room: 0n, kind: "sweep" },
    { fate: "is replaced by a self-send above it", room: 1n, kind: "cancel" }
  ])("$fate", ({ kind, room }) =>
    Effect.gen(function* () {
      const { accepted, hostile, pending } = yield* crowd(4)
      yield* relay
      const first = parse(accepted[0] ?? "0x")
      yield* limitFees(raise(first, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }).maxFeePerGas - room)
      hostile.add(4)
      yield* TestClock.adjust(15_000)
      yield* tick
      assert.strictEqual((yield* pending).kind, kind)
    }).pipe(Effect.provide(layerLimited))
  )
})
