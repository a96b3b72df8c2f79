/** The rest of a retired lane, which goes to another account. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, parseTransaction } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { type ChainClient, Chains, ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import { source } from "../../support/RelayFixtures.ts"
import { CHANGE, FEES, RECIPIENT, STRANGER, TRANSFER_GAS, confirmed, layer, reasonOf, retired } from "./LaneScene.ts"

describe("the rest of a lane", () => {
  it.effect("goes to another lane by one transaction, however often it is asked for", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const wanted = { chainId: source.id, recipient: other }
      const amount = 10n ** 18n - TRANSFER_GAS * FEES.maxFeePerGas
      const moved = yield* desk.empty(lane, wanted, CHANGE)
      assert.deepInclude(moved, { lane, chainId: source.id, recipient: other, amount })
      yield* chain.setFees({ ...FEES, maxFeePerGas: 9_000n })
      assert.deepStrictEqual(yield* desk.empty(lane, wanted, CHANGE), moved)
      const [raw, again, ...more] = yield* chain.sent
      assert.strictEqual(raw, again)
      assert.lengthOf(more, 0)
      const { gas, to, value } = parseTransaction(raw ?? "0x")
      assert.deepStrictEqual({ gas, to: Address.of(to ?? ""), value }, { gas: TRANSFER_GAS, to: other, value: amount })
      const [record] = yield* desk.log
      assert.deepInclude(record, { action: "lane.empty", subject: lane })
      assert.lengthOf(
        (yield* (yield* LaneBook).log(10)).filter(({ action }) => action === "lane.empty"),
        1
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes nowhere else once a transfer is signed, until that one is mined", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const to = (recipient: Address.Address) => desk.empty(lane, { chainId: source.id, recipient }, CHANGE)
      yield* to(other)
      assert.strictEqual(yield* reasonOf(to(RECIPIENT)), "recipient_not_allowed")
      assert.lengthOf(yield* chain.sent, 1)
      yield* chain.setTransactionCount(lane, 1n)
      assert.strictEqual((yield* to(RECIPIENT)).recipient, RECIPIENT)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent again to the lane that was active when the transfer was signed, and to no other one", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const to = (recipient: Address.Address) => desk.empty(lane, { chainId: source.id, recipient }, CHANGE)
      const moved = yield* to(other)
      yield* (yield* LaneBook).move(other, "active", "draining", { actor: "", action: "", subject: other, details: {} })
      assert.deepStrictEqual(yield* to(other), moved)
      const [raw, again, ...more] = yield* chain.sent
      assert.strictEqual(raw, again)
      assert.lengthOf(more, 0)
      for (const recipient of [RECIPIENT, STRANGER]) {
        const refused = yield* Effect.flip(to(recipient))
        if (refused._tag !== "LaneRefused") return yield* Effect.die(refused)
        assert.strictEqual(refused.reason, "recipient_not_allowed")
        assert.include(refused.detail ?? "", other)
      }
      yield* chain.setTransactionCount(lane, 1n)
      assert.strictEqual(yield* reasonOf(to(other)), "recipient_not_allowed")
      assert.lengthOf(yield* chain.sent, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not keep the lane out of use while a chain is silent whose transfer was seen mined", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const activate = desk.move(lane, "active", CHANGE)
      const retire = Effect.gen(function* () {
        yield* desk.move(lane, "draining", CHANGE)
        yield* TestClock.adjust("1 minute")
        yield* desk.move(lane, "retired", CHANGE)
      })
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      yield* chain.setTransactionCount(lane, 1n)
      yield* confirmed(chain)
      yield* activate
      yield* retire
      yield* chain.fail("transactionCount")
      assert.strictEqual((yield* activate).state, "active")
      yield* retire
      // The transfer was seen in a block that a reorg has dropped.
      yield* chain.fail()
      yield* chain.setTransactionCount(lane, 0n)
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      yield* chain.fail("transactionCount")
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      // A new transfer was not seen mined.
      yield* chain.fail()
      yield* chain.setTransactionCount(lane, 1n)
      yield* confirmed(chain)
      yield* activate
      yield* retire
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      yield* chain.fail("transactionCount")
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its nonce: the lane is used again only when the transfer is mined", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      yield* chain.setTransactionCount(lane, 4n)
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      const activate = (from?: "draining") =>
        Effect.andThen(
          from === undefined ? Effect.void : desk.move(lane, from, CHANGE),
          desk.move(lane, "active", CHANGE)
        )
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      assert.strictEqual(yield* reasonOf(activate("draining")), "in_flight")
      // A node behind the others may not know the newest transactions of the lane.
      yield* chain.setTransactionCount(lane, 3n)
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      yield* chain.setTransactionCount(lane, 5n)
      yield* confirmed(chain)
      yield* chain.fail("transactionCount")
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      yield* chain.fail()
      assert.strictEqual((yield* activate()).state, "active")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "is not signed for while two endpoints contradict each other about the nonce, and is for a silent one",
    () =>
      Effect.gen(function* () {
        const { all } = yield* Chains
        const compared = Context.Reference<boolean>("test/Compared", { defaultValue: () => false })
        let isSilent = false
        const difference = new ChainUnavailable({
          chainId: source.id,
          method: "a read",
          detail: "first and second differ"
        })
        const change = (client: ChainClient): ChainClient => ({
          ...client,
          transactionCount: (address, block) =>
            Effect.flatMap(compared, (isSecond) =>
              isSecond ? client.transactionCount(address, block) : Effect.succeed(isSilent ? 0n : 7n)
            ),
          corroborated: (read) =>
            Effect.gen(function* () {
              const first = yield* read
              if (isSilent) return first
              return first === (yield* Effect.provideService(read, compared, true)) ? first : yield* difference
            })
        })
        const nodes = { all: all.map(change), get: () => Effect.orDie(Effect.fromNullishOr(all.map(change)[0])) }
        const desk = yield* LaneDesk.pipe(
          Effect.provide(Layer.fresh(LaneDesk.layer)),
          Effect.provideService(Chains, nodes)
        )
        const { chain, lane, other } = yield* retired
        const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
        assert.strictEqual(yield* Effect.flip(empty), difference)
        assert.lengthOf(yield* chain.sent, 0)
        assert.strictEqual((yield* (yield* LaneBook).lastWithdrawals(lane)).size, 0)
        isSilent = true
        assert.strictEqual((yield* empty).recipient, other)
      }).pipe(Effect.provide(layer))
  )

  it.effect("stays where it is without a retired lane, an allowed recipient, or enough for the transfer", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const to = (recipient: Address.Address) => ({ chainId: source.id, recipient })
      assert.strictEqual(yield* reasonOf(desk.empty(other, to(lane), CHANGE)), "not_retired")
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(STRANGER), CHANGE)), "recipient_not_allowed")
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(lane), CHANGE)), "recipient_not_allowed")
      yield* chain.setBalance(lane, TRANSFER_GAS * FEES.maxFeePerGas)
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(RECIPIENT), CHANGE)), "nothing_to_move")
      assert.lengthOf(yield* chain.sent, 0)
      yield* chain.setBalance(lane, TRANSFER_GAS * FEES.maxFeePerGas + 1n)
      assert.strictEqual((yield* desk.empty(lane, to(RECIPIENT), CHANGE)).amount, 1n)
    }).pipe(Effect.provide(layer))
  )
})

describe("a stored transfer that no version may replace, since all need a fee cap above the operator's limit", () => {
  /** The transfer, at a limit of its own fee cap. `gas`: what a transfer needs now. `texts`: those of both refusals. */
  const atLimit = Effect.gen(function* () {
    const { chain, lane, other, desk: before } = yield* retired
    const wanted = { chainId: source.id, recipient: other }
    const first = yield* before.empty(lane, wanted, CHANGE)
    const limits = [{ chainId: source.id, limit: "maxFeePerGasWei" as const, wei: FEES.maxFeePerGas }]
    const needs = { gas: 21_000n }
    const desk = yield* Effect.map(Layer.build(Layer.fresh(LaneDesk.layer)), Context.get(LaneDesk)).pipe(
      Effect.provideService(LimitChoices, Effect.succeed(limits)),
      Effect.updateService(Chains, (own) => {
        const changed = (client: (typeof own.all)[number]) => ({
          ...client,
          estimateGas: () => Effect.sync(() => needs.gas)
        })
        return { all: own.all.map(changed), get: (chainId) => Effect.map(own.get(chainId), changed) }
      })
    )
    const empty = desk.empty(lane, wanted, CHANGE)
    const texts = Effect.gen(function* () {
      const refused = yield* Effect.all([Effect.flip(empty), Effect.flip(desk.move(lane, "active", CHANGE))])
      return refused.map((error) => ("detail" in error ? `${error.detail}` : error._tag))
    })
    return { chain, empty, first, lane, needs, texts }
  })

  it.effect("tells what the lane lacks to pay for it, and is sent again then", () =>
    Effect.gen(function* () {
      const { chain, empty, first, lane, texts } = yield* atLimit
      yield* chain.setBalance(lane, 10n ** 18n - 5n)
      for (const text of yield* texts) {
        assert.include(text, "Send at least 5 wei to the lane")
        assert.notInclude(text, "maxFeePerGasWei")
        assert.notInclude(text, "gas costs less")
      }
      assert.lengthOf(yield* chain.sent, 1)
      yield* chain.setBalance(lane, 10n ** 18n)
      assert.strictEqual((yield* empty).txHash, first.txHash)
      assert.deepStrictEqual(
        (yield* chain.sent).map((raw) => keccak256(raw)),
        [first.txHash, first.txHash]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells that only a higher limit helps if its gas limit is too low", () =>
    Effect.gen(function* () {
      const { needs, texts } = yield* atLimit
      needs.gas = TRANSFER_GAS + 1n
      for (const text of yield* texts) {
        assert.include(text, "Only a higher limit ends this: raise maxFeePerGasWei to at least 2250")
        assert.notInclude(text, "gas costs less")
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not tell to wait for lower fees if nodes refuse it at present fees", () =>
    Effect.gen(function* () {
      const { chain, empty } = yield* atLimit
      const refusal = new SendRejected({ chainId: source.id, reason: "Underpriced", detail: "no" })
      yield* chain.onSend(() => Effect.fail(refusal))
      const refused = yield* Effect.flip(empty)
      if (refused._tag !== "LaneRefused") return yield* Effect.die(refused)
      assert.include(refused.detail ?? "", "Raise maxFeePerGasWei to at least 2250")
      assert.notInclude(refused.detail ?? "", "gas costs less")
    }).pipe(Effect.provide(layer))
  )
})
