/** Versions of a transaction that carries several legs of one owner. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex } from "viem"
import { designator } from "../../../src/domain/Delegation.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { type FeesPerGas, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { attempt, hash } from "../../support/IntentFixtures.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { AUTHORIZATION, callsIn, wallet } from "./wallet.ts"

const OWNER = address(0x01)
const OTHER = address(0x02)

const GWEI = 1_000_000_000n

const feesAt = (gwei: bigint): FeesPerGas => ({
  baseFeePerGas: gwei * GWEI,
  maxPriorityFeePerGas: GWEI,
  maxFeePerGas: 2n * gwei * GWEI + GWEI
})

/** Covers 200,000 gas at so many gwei, without a margin. */
const coverOf = (gwei: bigint) => ({ gas: 200_000n, gasPrice: gwei * GWEI, value: 200_000n * gwei * GWEI })

const LEGS = [{ id: "a" }, { id: "b" }]

/** A node whose pool takes no authorization of the wallet's owner while `isBusy`. */
const busyNode = Effect.fnUntraced(function* ({ chain }: Effect.Success<ReturnType<typeof wallet>>) {
  const node = { isBusy: true }
  yield* chain.onSend((raw) =>
    node.isBusy && parse(raw).authorizationList.some(({ r }) => r === AUTHORIZATION.r)
      ? Effect.fail(
          new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "authority already reserved" })
        )
      : Effect.succeed(keccak256(raw))
  )
  return node
})

describe("a transaction with several legs of an owner", () => {
  it.effect("is replaced without the legs whose fees do not cover it, and those are sent again", () =>
    Effect.gen(function* () {
      const the = yield* wallet([
        { id: "poor", cover: coverOf(2n) },
        { id: "rich", cover: coverOf(100n) }
      ])
      const { bury, calls, chain, givenUp, intent, mineLane, pending } = the
      yield* relay
      yield* chain.setFees(feesAt(5n))
      yield* TestClock.adjust(46_000)
      yield* tick
      assert.deepStrictEqual(yield* calls, [
        [{ account: OWNER, nonces: [100n, 101n], first: 0n }],
        [{ account: OWNER, nonces: [101n], first: 1n }]
      ])
      const { attempts, intentIds } = yield* pending
      assert.deepStrictEqual(intentIds, ["poor", "rich"])
      assert.deepStrictEqual(parse(attempts[1]?.raw ?? "0x").authorizationList, [AUTHORIZATION])
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })

      yield* mineLane({ hash: attempts[1]?.hash ?? hash("none"), logs: [sweptLog(yield* intent("rich"))] })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("rich")).status, "delivered")
      // The mined version did not run it, so it has not failed.
      assert.isUndefined(yield* givenUp("poor"))
      yield* chain.setFees(feesAt(1n))
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual((yield* calls).at(-1), [{ account: OWNER, nonces: [100n], first: 0n }])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent without all of them where nodes refuse the owner, and they go together later", () =>
    Effect.gen(function* () {
      const the = yield* wallet(LEGS)
      const { alertKinds, givenUp, submit, unfinished } = the
      yield* submit({ id: "single", owner: 2 })
      const node = yield* busyNode(the)
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 1 })
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds),
        [["single"]]
      )
      assert.deepStrictEqual(yield* alertKinds, ["owner_blocks_batch"])
      for (const { id } of LEGS) assert.isUndefined(yield* givenUp(id))
      node.isBusy = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 2 })
      assert.deepStrictEqual((yield* unfinished).map(({ intentIds }) => intentIds).at(-1), ["a", "b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("that nodes refuse later is replaced without all of them, and keeps them until its nonce is used", () =>
    Effect.gen(function* () {
      const the = yield* wallet(LEGS)
      const { calls, pending, submit } = the
      yield* submit({ id: "single", owner: 2 })
      const node = yield* busyNode(the)
      node.isBusy = false
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 3 })
      node.isBusy = true
      yield* TestClock.adjust(15_000)
      yield* tick
      const { attempts, intentIds } = yield* pending
      assert.sameMembers([...intentIds], ["a", "b", "single"])
      assert.deepStrictEqual(callsIn(attempts.at(-1)?.raw ?? "0x"), [{ account: OTHER, nonces: [7n] }])
      assert.isAtLeast((yield* calls).length, 2)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not sent if another worker has sent one of them meanwhile", () =>
    Effect.gen(function* () {
      const { chain, intent, lane, sent, unfinished } = yield* wallet(LEGS)
      const transactions = yield* RelayTransactions
      const simulated = { success: true, returnData: numberToHex(1n, { size: 32 }), gasUsed: 150_000n, logs: [] }
      yield* chain.onSimulate((calls) =>
        transactions
          .allocate({
            chainId: source.id,
            lane,
            chainNonce: 0n,
            intentIds: ["a"],
            sign: () => Effect.succeed(attempt("other"))
          })
          .pipe(Effect.orDie, Effect.as(calls.map(() => simulated)))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds),
        [["a"]]
      )
      assert.strictEqual((yield* intent("b")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )
})
