/** Sweeps that are legs of a batch: their owner signed once for all of them, and one transaction of a chain carries them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData } from "viem"
import { sweepDelegate } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import { SweepSimulationState } from "../../../src/adapters/memory/orchestrator/SweepSimulation.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { firstClass } from "../../../src/domain/Exposure.ts"
import { batchCallGas, batchGasLimit, itemGas } from "../../../src/domain/RelayGas.ts"
import { size } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as AccountCall from "../../../src/orchestrator/relay/AccountCall.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, layerWith } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { AUTHORIZATION, SIGNATURE, wallet } from "./wallet.ts"

const OWNER = address(0x01)
const ABROAD = 2

/** Class of owners' first sweeps. */
const FIRST = firstClass(source.id, false)

/** More than the pause of a postponed sweep. */
const pause = TestClock.adjust(3_000)

describe("the legs of a chain", () => {
  const THREE = [{ id: "other", chainId: ABROAD }, { id: "a" }, { id: "b" }]

  it.effect("travel in one call, with the hashes of all legs, one signature and one authorization", () =>
    Effect.gen(function* () {
      const { intent, pending, sent } = yield* wallet(THREE)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 2 })
      const [transaction, ...others] = yield* sent
      assert.lengthOf(others, 0)
      assert.strictEqual(transaction?.to, source.contracts.entry)
      assert.deepStrictEqual(transaction?.authorizationList, [AUTHORIZATION])
      const [item, ...further] = (yield* SweepContracts).decodeRun(transaction?.data ?? "0x")
      assert.lengthOf(further, 0)
      const data = item?.data ?? "0x"
      const call = decodeFunctionData({ abi: sweepDelegate.abi, data })
      assert.strictEqual(call.functionName, "executeBatch")
      const orders = [(yield* intent("a")).order, (yield* intent("b")).order]
      const hashes = THREE.map(({ id }) => hash(id))
      assert.deepStrictEqual(call.args, [orders, [220_000n, 220_000n], hashes, 1n, SIGNATURE])
      const execution = batchCallGas([220_000n, 220_000n], 3)
      assert.isTrue(execution > 440_000n + 220_000n / 63n)
      assert.strictEqual(item?.gasLimit, execution)
      assert.strictEqual(transaction?.gas, batchGasLimit([itemGas({ gasLimit: execution, data, authorizations: 1 })]))
      assert.deepStrictEqual((yield* pending).intentIds, ["a", "b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("travel beside the sweeps of other owners, native input last", () =>
    Effect.gen(function* () {
      const { calls, sent, submit } = yield* wallet([
        { id: "a" },
        { id: "native", order: { tokenIn: NATIVE } },
        { id: "abroad", chainId: ABROAD },
        { id: "b" },
        { id: "c" }
      ])
      yield* submit({ id: "single", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 5 })
      assert.deepStrictEqual(yield* calls, [
        [
          { account: OWNER, nonces: [100n], first: 0n },
          { account: OWNER, nonces: [103n, 104n], first: 3n },
          { account: OWNER, nonces: [101n], first: 1n },
          { account: address(2), nonces: [7n] }
        ]
      ])
      const [transaction] = yield* sent
      assert.lengthOf(transaction?.authorizationList ?? [], 2)
      // Not more than calls of their own would need.
      const legs = { gasLimit: batchCallGas([220_000n], 5), data: transaction?.data ?? "0x", authorizations: 1 }
      assert.isTrue((transaction?.gas ?? 0n) <= batchGasLimit(Array.from({ length: 5 }, () => itemGas(legs))))
    }).pipe(Effect.provide(layer))
  )

  it.effect("are settled one by one, by their events, and one that failed alone is given up alone", () =>
    Effect.gen(function* () {
      const { bury, chain, givenUp, intent, mineLane, pending } = yield* wallet([{ id: "a" }, { id: "b" }, { id: "c" }])
      yield* relay
      const { attempts } = yield* pending
      const settled = [yield* intent("c"), yield* intent("a")]
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none"), logs: settled.map((each) => sweptLog(each)) })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.strictEqual((yield* intent("c")).status, "delivered")
      assert.strictEqual(yield* givenUp("b"), "reverted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("leave out one that would fail, which is given up with the error of its order", () =>
    Effect.gen(function* () {
      const { calls, failing, intent } = yield* wallet([{ id: "a" }, { id: "b" }, { id: "c" }])
      failing.add(101n)
      yield* Ref.update(yield* SweepSimulationState, (state) => ({ ...state, reverts: "InsufficientOutput" }))
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.deepStrictEqual(yield* calls, [
        [
          { account: OWNER, nonces: [100n], first: 0n },
          { account: OWNER, nonces: [102n], first: 2n }
        ]
      ])
      const why = yield* Effect.flatMap(Intents, (intents) => intents.givenUp("b"))
      assert.deepStrictEqual(why, Option.some({ reason: "simulation_failed", detail: "InsufficientOutput" }))
      assert.strictEqual((yield* intent("b")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("leave out one whose owner holds too little by now", () =>
    Effect.gen(function* () {
      const { calls, failing, givenUp, state } = yield* wallet([{ id: "a" }, { id: "b" }])
      failing.add(100n)
      yield* Ref.update(yield* SweepSimulationState, (each) => ({ ...each, reverts: "TransferFailed" }))
      state.ownerBalance = 0n
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.deepStrictEqual(yield* calls, [[{ account: OWNER, nonces: [101n], first: 1n }]])
      assert.strictEqual(yield* givenUp("a"), "insufficient_balance")
    }).pipe(Effect.provide(layer))
  )

  it.effect("that fail only in the batch wait, and go under the same signature once the others have ended", () =>
    Effect.gen(function* () {
      const { bury, calls, chain, failing, givenUp, intent, mineLane, pending, sent } = yield* wallet(THREE)
      failing.add(102n)
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.isUndefined(yield* givenUp("b"))
      failing.clear()
      yield* pause
      // One transaction of an owner is under way at a time.
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none"), logs: [sweptLog(yield* intent("a"))] })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual((yield* calls)[1], [{ account: OWNER, nonces: [102n], first: 2n }])
      const [, second] = yield* sent
      assert.deepStrictEqual(second?.authorizationList, [])
      const { args } = decodeFunctionData({ abi: sweepDelegate.abi, data: second?.data ?? "0x" })
      assert.deepStrictEqual(args?.slice(2), [THREE.map(({ id }) => hash(id)), 2n, SIGNATURE])
    }).pipe(Effect.provide(layer))
  )

  it.effect("with an unlisted token stay together, apart from the sweeps of listed tokens", () =>
    Effect.gen(function* () {
      const { calls, submit } = yield* wallet([{ id: "a" }, { id: "b", order: { tokenIn: address(0xb9) } }])
      yield* submit({ id: "listed", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 3 })
      assert.deepStrictEqual(
        (yield* calls).map((each) => each.map(({ account }) => account)),
        [[address(2)], [OWNER]]
      )
    }).pipe(Effect.provide(layerWith({ unlistedLossBudget: 10n ** 18n })))
  )

  it.effect("beyond the room of a transaction wait until it has ended", () =>
    Effect.gen(function* () {
      const { calls, chain, intent, bury, mineLane, pending } = yield* wallet([{ id: "a" }, { id: "b" }, { id: "c" }])
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      yield* pause
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      const { attempts, intentIds } = yield* pending
      assert.deepStrictEqual(intentIds, ["a", "b"])
      const reserved = Effect.flatMap(Exposures, ({ sums }) =>
        Effect.map(sums([FIRST]), (known) => known.get(FIRST)?.open ?? 0n)
      )
      assert.isTrue((yield* reserved) > 0n)
      const logs = [sweptLog(yield* intent("a")), sweptLog(yield* intent("b"))]
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none"), logs })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* bury(10)
      yield* tick
      // The one that waits reserves nothing.
      assert.strictEqual(yield* reserved, 0n)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual((yield* calls)[1], [{ account: OWNER, nonces: [102n], first: 2n }])
    }).pipe(Effect.provide(layerWith({ batch: 2 })))
  )

  it.effect("are sent again together after a crash, with the bytes that are stored", () =>
    Effect.gen(function* () {
      const { calls, chain, pending, sent } = yield* wallet([{ id: "a" }, { id: "b" }])
      yield* chain.onSend(() => Effect.die(new Error("the process ends")))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(relay)))
      const { attempts, intentIds } = yield* pending
      assert.deepStrictEqual(intentIds, ["a", "b"])
      yield* chain.onSend(() => Effect.succeed(attempts[0]?.hash ?? hash("none")))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      yield* tick
      const last = (yield* sent).at(-1)
      assert.strictEqual(last?.raw, attempts[0]?.raw)
      assert.deepStrictEqual((yield* calls).at(-1), [{ account: OWNER, nonces: [100n, 101n], first: 0n }])
    }).pipe(Effect.provide(layer))
  )
})

describe("fifty legs", () => {
  it.effect("fit one transaction, of whose size each has its part", () =>
    Effect.gen(function* () {
      const legs = Array.from({ length: 50 }, (_, index) => ({
        id: `leg ${index}`,
        order: { swapCalldata: `0x${"5e".repeat(260 + index)}` as const }
      }))
      const { intent, sent } = yield* wallet(legs)
      assert.deepStrictEqual(yield* relay, { claimed: 50, sent: 50 })
      const [transaction, ...others] = yield* sent
      assert.lengthOf(others, 0)
      const { decodeRun, encodeBatch } = yield* SweepContracts
      const [first, ...rest] = yield* Effect.forEach(legs, ({ id }) => intent(id))
      if (first === undefined) return yield* Effect.die("no legs")
      const { order } = first
      const legHashes = legs.map(({ id }) => hash(id))
      const alone = encodeBatch({ legs: [{ order, gasLimit: 220_000n }], legHashes, first: 0, signature: SIGNATURE })
      const added = rest.reduce((sum, each) => sum + AccountCall.legBytes(each), size(alone))
      assert.deepStrictEqual(
        decodeRun(transaction?.data ?? "0x").map(({ data }) => size(data)),
        [added]
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("a leg", () => {
  it.effect("is not settled by a transaction that succeeds without its event", () =>
    Effect.gen(function* () {
      const { bury, intent, mineLane, pending } = yield* wallet([{ id: "a" }])
      yield* relay
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none") })
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs no authorization while its account runs the delegate", () =>
    Effect.gen(function* () {
      const { chain, givenUp, sent } = yield* wallet([{ id: "a" }], { isAuthorized: false })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* relay
      assert.deepStrictEqual((yield* sent)[0]?.authorizationList, [])
      assert.isUndefined(yield* givenUp("a"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if the account does not run the delegate and no authorization is there", () =>
    Effect.gen(function* () {
      const { givenUp, sent } = yield* wallet([{ id: "a" }], { isAuthorized: false })
      yield* relay
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual(yield* givenUp("a"), "stale_authorization")
    }).pipe(Effect.provide(layer))
  )
})
