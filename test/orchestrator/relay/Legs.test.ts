/** Sweeps that are legs of a batch: their owner signed once for all of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Ref } from "effect"
import { decodeFunctionData, numberToHex } from "viem"
import { sweepDelegate } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import { SweepSimulationState } from "../../../src/adapters/memory/orchestrator/SweepSimulation.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { batchCallGas } from "../../../src/domain/RelayGas.ts"
import { calldataGas } from "../../../src/domain/TransactionGas.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { hash, submission } from "../../support/IntentFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const OWNER = address(0x01)
const SIGNATURE = `0x${"ab".repeat(64)}` as const
const LEGS = ["other", "a", "b"]
const { authorization } = submission(source.id)
const AUTHORIZATION = { ...authorization, address: source.contracts.delegate, nonce: 0n }

/** A batch of three legs, of which `a` and `b` are on the source chain. `bitmap`: what its simulated calls return. */
const batch = Effect.fnUntraced(function* (options: { readonly isSigned: boolean; readonly bitmap?: bigint }) {
  const the = yield* scene
  const intents = yield* Intents
  const returnData = numberToHex(options.bitmap ?? 1n, { size: 32 })
  yield* the.chain.onSimulate((calls) =>
    Effect.succeed(calls.map(() => ({ success: true, returnData, gasUsed: 150_000n, logs: [] })))
  )
  for (const [index, id] of LEGS.entries()) {
    const intent = offer({ id, order: { nonce: BigInt(index) } })
    yield* intents.create(id === "other" ? { ...intent, quote: { ...intent.quote, sourceChainId: 2 } } : intent)
  }
  yield* intents.submitSweep({
    id: "sweep",
    owner: OWNER,
    signature: SIGNATURE,
    legs: LEGS.map((intentId) => ({
      intentId,
      legHash: hash(intentId),
      ...(options.isSigned ? { authorization: AUTHORIZATION } : {})
    }))
  })
  return the
})

describe("a leg", () => {
  it.effect("is sent with the hashes of all legs, its gas limit and the batch's signature", () =>
    Effect.gen(function* () {
      const { intent, sent } = yield* batch({ isSigned: true })
      yield* relay
      const [transaction, ...others] = yield* sent
      assert.lengthOf(others, 0)
      assert.strictEqual(transaction?.to, OWNER)
      assert.deepStrictEqual(transaction?.authorizationList, [AUTHORIZATION])
      const data = transaction?.data ?? "0x"
      const { order } = yield* intent("a")
      const call = decodeFunctionData({ abi: sweepDelegate.abi, data })
      assert.strictEqual(call.functionName, "executeBatch")
      assert.deepStrictEqual(call.args, [[order], [220_000n], LEGS.map(hash), 1n, SIGNATURE])
      const execution = batchCallGas([220_000n], 3)
      assert.isTrue(execution > 220_000n + 220_000n / 63n)
      assert.strictEqual(transaction?.gas, 21_000n + calldataGas(data) + execution + 25_000n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is settled by its event, and the next one is sent under the same signature", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, mineLane, pending, sent } = yield* batch({ isSigned: true })
      yield* relay
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none"), logs: [sweptLog(yield* intent("a"))] })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      yield* relay
      const second = (yield* sent)[1]
      assert.deepStrictEqual(second?.authorizationList, [])
      const { args } = decodeFunctionData({ abi: sweepDelegate.abi, data: second?.data ?? "0x" })
      assert.deepStrictEqual(args?.slice(2), [LEGS.map(hash), 2n, SIGNATURE])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not settled by a transaction that succeeds without its event", () =>
    Effect.gen(function* () {
      const { bury, intent, mineLane, pending } = yield* batch({ isSigned: true })
      yield* relay
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? hash("none") })
      yield* bury(10)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("that fails in the simulated batch is given up with the error of its order", () =>
    Effect.gen(function* () {
      const { sent } = yield* batch({ isSigned: true, bitmap: 0n })
      yield* Ref.update(yield* SweepSimulationState, (state) => ({ ...state, reverts: "InsufficientOutput" }))
      yield* relay
      assert.lengthOf(yield* sent, 0)
      const why = yield* Effect.flatMap(Intents, (intents) => intents.givenUp("a"))
      assert.deepStrictEqual(why, Option.some({ reason: "simulation_failed", detail: "InsufficientOutput" }))
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits if it fails in the batch alone", () =>
    Effect.gen(function* () {
      const { givenUp, intent, sent } = yield* batch({ isSigned: true, bitmap: 0n })
      yield* relay
      assert.lengthOf(yield* sent, 0)
      assert.isUndefined(yield* givenUp("a"))
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs no authorization while its account runs the delegate", () =>
    Effect.gen(function* () {
      const { chain, givenUp, sent } = yield* batch({ isSigned: false })
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* relay
      assert.deepStrictEqual((yield* sent)[0]?.authorizationList, [])
      assert.isUndefined(yield* givenUp("a"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if the account does not run the delegate and no authorization is there", () =>
    Effect.gen(function* () {
      const { givenUp, sent } = yield* batch({ isSigned: false })
      yield* relay
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual(yield* givenUp("a"), "stale_authorization")
    }).pipe(Effect.provide(layer))
  )
})
