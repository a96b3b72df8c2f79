/** The contracts of a chain were upgraded after the sweep was quoted. It settles with those that its nonce names. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain, Deployment } from "../../../src/domain/Chain.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { address } from "../../support/FakeChain.ts"
import { type Intent, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { hash, submission } from "../../support/IntentFixtures.ts"
import { cancelledLog, offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

/** The relay scene's contracts are of the first generation here. */
const first = source.contracts
const second: Deployment = { delegate: address(0x71), guard: address(0x72), entry: address(0x73) }

const UNSPENT = numberToHex(0, { size: 32 })

/** Contracts of a chain whose current delegate asks the first guard. */
const asking = { contracts: second, earlierContracts: [first], priorGuard: first.guard }

/** Nodes of the upgraded chain, and the delegates that simulations gave to accounts. */
const upgraded = (
  delegates: Array<string>,
  contracts: Pick<Chain, "contracts" | "earlierContracts" | "priorGuard"> = asking
) =>
  layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, ...contracts },
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

/** Nodes of the upgraded chain on which the guards of both generations have the same nonces. One look reads at most `width` blocks of logs. */
const bothSpentOn = (width: bigint) =>
  layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, ...asking },
    code: (account) => (account === second.entry ? Effect.succeed("0xfe") : client.code(account)),
    call: (request) => client.call(request.to === second.guard ? { ...request, to: first.guard } : request),
    logs: (filter) => {
      const next = filter.fromBlock + width
      if (filter.toBlock < next) return client.logs(filter)
      return Effect.map(client.logs({ ...filter, toBlock: next - 1n }), ({ logs }) => ({
        logs,
        unread: { fromBlock: next, toBlock: filter.toBlock }
      }))
    }
  }))

const bothSpent = bothSpentOn(10_000n)

/** A sweep of the current contracts that reverted, and whose nonce is spent at both guards. No log says by whom. */
const spentAtBoth = Effect.gen(function* () {
  const the = yield* current
  the.state.spentNonces.add(the.order.order.nonce)
  yield* the.mineLane({ hash: the.attempt.hash, status: "reverted" })
  return the
})

const cancelledAt = (guard: Address.Address, { order }: Pick<Intent, "order">) => ({
  ...cancelledLog(order),
  address: guard
})

/** A sent sweep of the current contracts that is the only leg of a batch. */
const sentLeg = Effect.gen(function* () {
  const the = yield* scene
  const intents = yield* Intents
  const nonce = bound(second.guard, 7n)
  const { authorization, signature } = submission(source.id)
  yield* intents.create(offer({ id: "a", order: { nonce } }))
  const order = yield* intents.submit("a", {
    signature,
    authorization: { ...authorization, address: second.delegate, nonce: 0n },
    batch: { sweepId: "s", legHashes: [hash("leg")], leg: 0 }
  })
  yield* the.chain.onSimulate((calls) =>
    Effect.succeed(
      calls.map(() => ({ success: true, returnData: numberToHex(1, { size: 32 }), gasUsed: 150_000n, logs: [] }))
    )
  )
  yield* relay
  const [attempt] = (yield* the.pending).attempts
  if (attempt === undefined) return yield* Effect.die("no attempt")
  return { ...the, order, attempt }
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

  it.effect("waits while its own guard's spender is unseen, whatever the first generation shows", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(bothSpent))
  )

  it.effect("waits while the first generation's spender is unseen, whatever its own guard shows", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, order } = yield* spentAtBoth
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledAt(second.guard, order)] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.mine([{ hash: hash("shown"), logs: [sweptLog(order, { guard: first.guard })] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(bothSpent))
  )

  it.effect.each([
    ["its own guard and then the first", 10_000n, [second.guard, first.guard]],
    ["the first guard and then its own", 10_000n, [first.guard, second.guard]],
    ["its own guard and then the first, which no single look sees", 50n, [second.guard, first.guard]],
    ["the first guard and then its own, which no single look sees", 50n, [first.guard, second.guard]]
  ] as const)("fails once its nonce is cancelled at %s", ([, width, guards]) =>
    Effect.gen(function* () {
      const { bury, chain, intent, order } = yield* spentAtBoth
      for (const guard of guards) {
        yield* bury(120)
        yield* chain.mine([{ hash: hash(guard), logs: [cancelledAt(guard, order)] }])
      }
      yield* bury(100)
      yield* Effect.repeat(tick, { times: 40 })
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(bothSpentOn(width)))
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

describe("a nonce that is spent at the first generation, which the order's own contracts do not ask", () => {
  const unasked = { contracts: second, earlierContracts: [first] }

  it.effect("keeps no leg of a batch from settling", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* sentLeg
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      // Given up, it is looked at again after its deadline.
      yield* chain.mine([{ hash: hash("later"), logs: [sweptLog(order, { guard: second.guard })] }])
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("lets a leg of a batch end after its deadline", () =>
    Effect.gen(function* () {
      const { attempt, bury, intent, mineLane, order, passDeadline, state } = yield* sentLeg
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* passDeadline
      yield* tick
      const { failureReason, status } = yield* intent("a")
      assert.strictEqual(status, "failed")
      assert.notStrictEqual(failureReason, "nonce_used")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("keeps no order from settling where the delegate knows no earlier guard", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      // Given up, it is looked at again after its deadline.
      yield* chain.mine([{ hash: hash("later"), logs: [sweptLog(order, { guard: second.guard })] }])
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([], unasked)))
  )

  it.effect("keeps an order open while nobody knows who spent it there, as that may have been the order itself", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* current
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.mine([{ hash: hash("shown"), logs: [sweptLog(order, { guard: first.guard })] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([], unasked)))
  )
})
