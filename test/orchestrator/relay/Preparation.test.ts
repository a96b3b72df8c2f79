import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { ScreeningState } from "../../../src/adapters/memory/shared/Screening.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Deployment } from "../../../src/domain/Chain.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { BUILDER, cancelledLog, source, sweptLog, TOKEN } from "../../support/RelayFixtures.ts"
import { tick } from "../../support/SentSweep.ts"

const OWNER = address(0x01)

const run = Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))

describe("what is refused", () => {
  it.effect("an authorization for a nonce that is gone", () =>
    Effect.gen(function* () {
      const { chain, givenUp, intent, passDeadline, sent, submit } = yield* scene
      yield* chain.setTransactionCount(OWNER, 1n)
      yield* submit({ id: "a" })
      yield* run
      assert.strictEqual(yield* givenUp("a"), "stale_authorization")
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
      yield* passDeadline
      yield* tick
      const failed = yield* intent("a")
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.failureReason, "stale_authorization")
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an account with another delegate whose authorization is gone", () =>
    Effect.gen(function* () {
      const { chain, givenUp, submit } = yield* scene
      yield* chain.setCode(OWNER, designator(address(0x99)))
      yield* chain.setTransactionCount(OWNER, 1n)
      yield* submit({ id: "a" })
      yield* run
      assert.strictEqual(yield* givenUp("a"), "delegation_replaced")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sweep that would revert, with the decoded reason", () =>
    Effect.gen(function* () {
      const { intent, passDeadline, sent, simulatesRevert, submit } = yield* scene
      yield* simulatesRevert("InsufficientOutput")
      yield* submit({ id: "a" })
      yield* run
      yield* passDeadline
      yield* tick
      const failed = yield* intent("a")
      assert.strictEqual(failed.failureReason, "simulation_failed")
      assert.strictEqual(failed.failureDetail, "InsufficientOutput")
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sweep whose owner has moved the tokens", () =>
    Effect.gen(function* () {
      const { givenUp, simulatesRevert, state, submit } = yield* scene
      state.ownerBalance = 999_999n
      yield* simulatesRevert("TransferFailed")
      yield* submit({ id: "a" })
      yield* run
      assert.strictEqual(yield* givenUp("a"), "insufficient_balance")
    }).pipe(Effect.provide(layer))
  )

  it.effect("no sweep whose tokens only a node that is behind does not show", () => {
    let isBehind = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      call: (request) =>
        Effect.suspend(() => {
          if (request.to !== TOKEN || !isBehind) return client.call(request)
          isBehind = false
          return Effect.succeed(numberToHex(0, { size: 32 }))
        })
    }))
    return Effect.gen(function* () {
      const { givenUp, intent, simulatesRevert, simulatesWell, submit } = yield* scene
      yield* simulatesRevert("TransferFailed")
      yield* submit({ id: "a" })
      assert.strictEqual((yield* run).sent, 0)
      assert.isFalse(isBehind)
      assert.isUndefined(yield* givenUp("a"))
      yield* simulatesWell
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* run).sent, 1)
      assert.isDefined((yield* intent("a")).txHash)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("a call that succeeds and does nothing", () =>
    Effect.gen(function* () {
      const { givenUp, sent, simulatesNothing, submit } = yield* scene
      yield* simulatesNothing
      yield* submit({ id: "a" })
      yield* run
      assert.strictEqual(yield* givenUp("a"), "simulation_failed")
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an order past its deadline, once that deadline is deep", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, simulatesRevert, submit } = yield* scene
      yield* simulatesRevert("Expired")
      yield* submit({ id: "a" })
      yield* chain.mine([], 601n)
      yield* run
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* bury(2)
      yield* TestClock.adjust(3_000)
      yield* run
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a party that was listed since, when the clearance is old", () =>
    Effect.gen(function* () {
      const { givenUp, sent, submit } = yield* scene
      const screening = yield* ScreeningState
      const list = (party: Address.Address) =>
        Ref.update(screening, (state) => ({ ...state, listed: new Set([party]) }))
      yield* submit({ id: "fresh", owner: 1 })
      yield* list(BUILDER)
      yield* run
      assert.lengthOf(yield* sent, 1)

      const destination = address(0xdd)
      const parties = { builder: BUILDER, destination, owner: address(4) }
      for (const [index, [id, party]] of Object.entries(parties).entries()) {
        yield* list(party)
        yield* submit({ id, owner: 2 + index, order: { destination, deadline: 1_800_000_000n } })
        yield* TestClock.adjust(60_001)
        yield* run
        assert.strictEqual(yield* givenUp(id), "screening_blocked", id)
      }
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("an order of a guard that this process does not have", () => {
  it.effect("waits for a process that has it, and keeps no other sweep from being sent", () => {
    const replacing = { delegate: address(0x71), guard: address(0x72), entry: source.contracts.entry }
    const settings = { contracts: source.contracts, earlierContracts: new Array<Deployment>() }
    const nodes = layerOnNodes((client) => ({
      ...client,
      chain: {
        ...client.chain,
        get contracts() {
          return settings.contracts
        },
        get earlierContracts() {
          return settings.earlierContracts
        }
      }
    }))
    return Effect.gen(function* () {
      const { givenUp, sent, submit } = yield* scene
      yield* submit({
        id: "a",
        order: { nonce: bound(replacing.guard, 7n) },
        submission: { address: replacing.delegate }
      })
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* run, { claimed: 2, sent: 1 })
      assert.isUndefined(yield* givenUp("a"))
      assert.lengthOf(yield* sent, 1)
      // Another replica, with the new chains file.
      settings.contracts = replacing
      settings.earlierContracts = [source.contracts]
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })
      assert.lengthOf(yield* sent, 2)
    }).pipe(Effect.provide(nodes))
  })
})

describe("an order that somebody else ran", () => {
  const frontRun = Effect.gen(function* () {
    const the = yield* scene
    const intent = yield* the.submit({ id: "a" })
    yield* the.simulatesRevert("NonceUsed")
    const transaction = { hash: hash("foreign"), logs: [sweptLog(intent)] }
    return { ...the, transaction, spend: Effect.sync(() => the.state.spentNonces.add(7n)) }
  })

  it.effect("is settled by that transaction, and booked", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, sent, spend, transaction } = yield* frontRun
      yield* chain.mine([transaction])
      yield* spend
      yield* bury(2)
      yield* run
      const settled = yield* intent("a")
      assert.strictEqual(settled.status, "delivered")
      assert.strictEqual(settled.txHash, transaction.hash)
      assert.strictEqual((yield* (yield* Outbox).counts).pending, 2)
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits until that transaction is deep enough", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, spend, transaction } = yield* frontRun
      yield* run
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.mine([transaction])
      yield* spend
      yield* TestClock.adjust(3_000)
      yield* run
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* bury(2)
      yield* TestClock.adjust(3_000)
      yield* run
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails as nonce_used when the owner cancelled the nonce", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, spend } = yield* frontRun
      const { order } = yield* intent("a")
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order)] }])
      yield* spend
      yield* bury(2)
      yield* run
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(layer))
  )
})
