/** The contracts of a chain were upgraded after the sweep was quoted. It settles with those that its nonce names. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Deployment } from "../../../src/domain/Chain.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { cancelledLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** The relay scene's contracts are of the first generation here. */
const first = source.contracts
const second: Deployment = { delegate: address(0x71), guard: address(0x72), entry: address(0x73) }

const UNSPENT = numberToHex(0, { size: 32 })

/** Nodes of the upgraded chain, and the delegates that simulations gave to accounts. */
const upgraded = (delegates: Array<string>) =>
  layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, contracts: second, earlierContracts: [first] },
    code: (account) => (account === second.entry ? Effect.succeed("0xfe") : client.code(account)),
    // Nothing is spent at the second guard. The scene answers for the first.
    call: (request) => (request.to === second.guard ? Effect.succeed(UNSPENT) : client.call(request)),
    simulate: (calls, options) => {
      delegates.push(...(options?.codeOverrides ?? []).map(({ code }) => code))
      return client.simulate(calls, options)
    }
  }))

/** A sent sweep of the current contracts. */
const current = sentSweep({
  order: { nonce: bound(second.guard, 7n) },
  submission: { address: second.delegate }
})

const settlesBy = Effect.fnUntraced(function* (
  nonce: bigint,
  guards: { readonly own: Address.Address; readonly other: Address.Address },
  authorization: Address.Address
) {
  const { attempt, bury, intent, mineLane, order } = yield* sentSweep({
    order: { nonce },
    submission: { address: authorization }
  })
  yield* mineLane({
    hash: attempt.hash,
    logs: [sweptLog(order, { guard: guards.other, amountOut: 1n }), sweptLog(order, { guard: guards.own })]
  })
  yield* bury(100)
  yield* tick
  assert.strictEqual((yield* intent("a")).status, "delivered")
})

describe("a sweep of an upgraded chain", () => {
  it.effect("settles with the first generation if it was quoted for that", () => {
    const delegates: Array<string> = []
    return Effect.gen(function* () {
      yield* settlesBy(7n, { own: first.guard, other: second.guard }, first.delegate)
      assert.deepStrictEqual([...new Set(delegates)], [designator(first.delegate)])
    }).pipe(Effect.provide(upgraded(delegates)))
  })

  it.effect("settles with the current contracts if its nonce names their guard", () => {
    const delegates: Array<string> = []
    return Effect.gen(function* () {
      yield* settlesBy(bound(second.guard, 7n), { own: second.guard, other: first.guard }, second.delegate)
      assert.deepStrictEqual([...new Set(delegates)], [designator(second.delegate)])
    }).pipe(Effect.provide(upgraded(delegates)))
  })

  it.effect("is not settled by an event of the other guard", () =>
    Effect.gen(function* () {
      const { attempt, bury, intent, mineLane, order } = yield* sentSweep({ submission: { address: first.delegate } })
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: second.guard })] })
      yield* bury(100)
      yield* tick
      assert.notStrictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("is settled by the first generation, which takes every nonce", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order, { guard: first.guard })] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("fails once its nonce is cancelled at the first generation", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("is found in the logs of its own guard when another transaction settled it", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* sentSweep({
        submission: { address: first.delegate }
      })
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order, { guard: first.guard })] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )
})
