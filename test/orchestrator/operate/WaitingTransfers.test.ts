/** Transfers of a lane's rest that no block includes, and the way to end them. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keccak256, parseTransaction } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { SendRejected } from "../../../src/ports/shared/Chains.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import { source } from "../../support/RelayFixtures.ts"
import { CHANGE, FEES, RECIPIENT, TRANSFER_GAS, confirmed, layer, reasonOf, retired } from "./LaneScene.ts"

/** A retired lane whose rest is on its way to the other lane, and the operator's next steps. */
const sentOnce = Effect.gen(function* () {
  const given = yield* retired
  const { chain, desk, lane, other } = given
  const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
  const first = yield* empty
  const activate = desk.move(lane, "active", CHANGE)
  /** Text about the transfer in the list of lanes. */
  const told = Effect.map(desk.list, (lanes) => {
    const [view] = lanes.filter(({ address }) => address === lane).flatMap(({ chains }) => chains)
    return { text: view?.waiting, inFlight: view?.inFlight }
  })
  const versions = Effect.map(chain.sent, (all) => all.map((raw) => parseTransaction(raw)))
  return { ...given, activate, empty, first, told, versions }
})

/** The desk of another process over the same book and chain. */
const anotherDesk = Effect.map(Layer.build(Layer.fresh(LaneDesk.layer)), (context) => Context.get(context, LaneDesk))

const detailOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), (error) => ("detail" in error ? String(error.detail) : error._tag))

const refusing = (reason: SendRejected["reason"]) => () =>
  Effect.fail(new SendRejected({ chainId: source.id, reason, detail: "no" }))

describe("a transfer of a lane's rest that no block can include", () => {
  it.effect("is replaced at its nonce once its fee cap is below the base fee, and its end frees the lane", () =>
    Effect.gen(function* () {
      const { activate, chain, desk, empty, first, lane, other, told, versions } = yield* sentOnce
      yield* chain.setFees({ baseFeePerGas: 3_000n, maxFeePerGas: 6_000n, maxPriorityFeePerGas: 1n })
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      const { inFlight, text = "" } = yield* told
      assert.strictEqual(inFlight, 1)
      for (const part of [first.txHash, "2000 wei per gas", "3000", `lanes empty ${lane} --chain 1 --to ${other}`]) {
        assert.include(text, part)
        assert.include(yield* detailOf(activate), part)
      }

      const second = yield* empty
      assert.notStrictEqual(second.txHash, first.txHash)
      assert.strictEqual(second.amount, 10n ** 18n - TRANSFER_GAS * 6_000n)
      const [before, after, ...more] = yield* versions
      assert.lengthOf(more, 0)
      assert.strictEqual(after?.nonce, before?.nonce)
      assert.strictEqual(Address.of(after?.to ?? ""), other)
      assert.strictEqual(after?.value, second.amount)
      // Both fees rise in step.
      assert.deepStrictEqual([after?.maxFeePerGas, after?.maxPriorityFeePerGas], [6_000n, 3n])
      const [record] = yield* desk.log
      assert.deepInclude(record?.details, { txHash: second.txHash, replaces: first.txHash })

      // Nothing is mined yet, whatever the nodes have.
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      yield* chain.setTransactionCount(lane, 1n)
      yield* confirmed(chain)
      assert.strictEqual((yield* activate).state, "active")
      assert.deepStrictEqual(yield* told, { text: undefined, inFlight: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends when a confirmed block shows that its nonce is used, by whichever transaction, and not before", () =>
    Effect.gen(function* () {
      const { activate, chain, lane, told } = yield* sentOnce
      // Neither a pending transaction nor a missing receipt is a proof.
      yield* chain.setTransactionCount(lane, 0n, 1n)
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      yield* chain.mine()
      yield* chain.setTransactionCount(lane, 1n)
      yield* chain.mine()
      // A reorg may still drop the block, and the lane's next transaction would wait for the nonce for ever.
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      const { inFlight, text } = yield* told
      assert.deepInclude({ inFlight, text: text?.includes("3 confirmations") }, { inFlight: 1, text: true })
      yield* chain.mine()
      assert.strictEqual((yield* activate).state, "active")
      assert.deepStrictEqual(yield* told, { text: undefined, inFlight: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced by a smaller one if the lane has less now, and tells how much an empty lane lacks", () =>
    Effect.gen(function* () {
      const { activate, chain, empty, first, lane, told } = yield* sentOnce
      const hashes = Effect.map(chain.sent, (all) => new Set(all.map((raw) => keccak256(raw))))
      yield* chain.onSend((raw) =>
        keccak256(raw) === first.txHash ? refusing("InsufficientFunds")() : Effect.succeed(keccak256(raw))
      )
      const cost = TRANSFER_GAS * 2_250n
      yield* chain.setBalance(lane, 0n)
      const missing = `at least ${cost + 1n} wei`
      assert.include((yield* told).text ?? "", missing)
      assert.include(yield* detailOf(activate), missing)
      assert.strictEqual(yield* reasonOf(empty), "nothing_to_move")
      assert.include(yield* detailOf(empty), missing)
      assert.deepStrictEqual([...(yield* hashes)], [first.txHash])
      yield* chain.setBalance(lane, cost + 1n)
      assert.strictEqual((yield* empty).amount, 1n)
      assert.strictEqual((yield* hashes).size, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each(["Underpriced", "FeeCapTooLow", "InsufficientFunds"] as const)(
    "is replaced when nodes refuse it: %s",
    (reason) =>
      Effect.gen(function* () {
        const { chain, empty, first } = yield* sentOnce
        yield* chain.onSend((raw) =>
          keccak256(raw) === first.txHash ? refusing(reason)() : Effect.succeed(keccak256(raw))
        )
        assert.notStrictEqual((yield* empty).txHash, first.txHash)
        const record = (yield* (yield* LaneBook).log(1))[0]
        assert.deepInclude(record?.details, { replaces: first.txHash })
      }).pipe(Effect.provide(layer))
  )

  it.effect("waits for a block while another version of it is in the pool", () =>
    Effect.gen(function* () {
      const { chain, empty } = yield* sentOnce
      yield* chain.onSend(refusing("ReplacementUnderpriced"))
      assert.strictEqual(yield* reasonOf(empty), "in_flight")
      assert.include(yield* detailOf(empty), "Wait")
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    { limit: 2_500n, baseFee: 3_000n, needed: 3_000n },
    { limit: 2_200n, baseFee: 2_100n, needed: 2_250n }
  ])("is not replaced while the version needs a fee cap above the operator's limit: %o", ({ baseFee, limit, needed }) =>
    Effect.gen(function* () {
      const { chain, lane, other } = yield* sentOnce
      const chosen = { wei: limit }
      const desk = yield* Effect.provideService(
        anotherDesk,
        LimitChoices,
        Effect.sync(() => [{ chainId: source.id, limit: "maxFeePerGasWei" as const, wei: chosen.wei }])
      )
      const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      yield* chain.setFees({ baseFeePerGas: baseFee, maxFeePerGas: limit, maxPriorityFeePerGas: 1n })
      const { length: before } = yield* desk.log
      const activate = desk.move(lane, "active", CHANGE)
      assert.strictEqual(yield* reasonOf(empty), "in_flight")
      for (const detail of [yield* detailOf(empty), yield* detailOf(activate)]) {
        assert.include(detail, `Raise maxFeePerGasWei to at least ${needed}`)
        assert.include(detail, `${limit} wei`)
        assert.include(detail, "or wait until gas costs less")
      }
      assert.lengthOf(yield* chain.sent, 1)
      assert.lengthOf(yield* desk.log, before)
      chosen.wei = needed
      yield* chain.setFees({ baseFeePerGas: baseFee, maxFeePerGas: needed, maxPriorityFeePerGas: 1n })
      yield* empty
      assert.strictEqual(parseTransaction((yield* chain.sent)[1] ?? "0x").maxFeePerGas, needed)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not signed at first either while the operator's limit of fees is below the base fee", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      yield* chain.setFees({ baseFeePerGas: 3_000n, maxFeePerGas: 2_500n, maxPriorityFeePerGas: 1n })
      const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      assert.strictEqual(yield* reasonOf(empty), "in_flight")
      assert.include(yield* detailOf(empty), "Raise maxFeePerGasWei to at least 3000")
      assert.include(yield* detailOf(empty), "or wait until gas costs less")
      assert.lengthOf(yield* chain.sent, 0)
      assert.strictEqual((yield* (yield* LaneBook).lastWithdrawals(lane)).size, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "has its nonce looked up again before the balance counts against it, which may be that after its block",
    () =>
      Effect.gen(function* () {
        const { chain, desk, empty, first, lane } = yield* sentOnce
        const { length: before } = yield* desk.log
        for (const wei of [0n, 10n ** 17n]) {
          yield* chain.setBalance(lane, wei)
          yield* chain.setTransactionCount(lane, 0n)
          yield* chain.onCall(() => Effect.as(chain.setTransactionCount(lane, 1n), "0x"))
          const refused = yield* Effect.flip(empty)
          if (refused._tag !== "LaneRefused") return yield* Effect.die(refused)
          assert.strictEqual(refused.reason, "in_flight")
          assert.include(refused.detail ?? "", "is mined")
          assert.notInclude(refused.detail ?? "", "Send at least")
        }
        assert.deepStrictEqual(
          (yield* chain.sent).map((raw) => keccak256(raw)),
          [first.txHash]
        )
        assert.lengthOf(yield* desk.log, before)
      }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced if the lane cannot pay for it, also while a node still has it", () =>
    Effect.gen(function* () {
      const { chain, desk, empty, first, lane, versions } = yield* sentOnce
      // The node answers as it does to a transaction that it knows.
      yield* chain.setBalance(lane, 10n ** 17n)
      const second = yield* empty
      assert.notStrictEqual(second.txHash, first.txHash)
      assert.strictEqual(second.amount, 10n ** 17n - TRANSFER_GAS * 2_250n)
      const [before, after, ...more] = yield* versions
      assert.lengthOf(more, 0)
      assert.strictEqual(after?.nonce, before?.nonce)
      assert.deepInclude((yield* desk.log)[0]?.details, { txHash: second.txHash, replaces: first.txHash })
    }).pipe(Effect.provide(layer))
  )

  it.effect("asks for no money if it is mined while its lane is looked at", () =>
    Effect.gen(function* () {
      const { chain, lane, told } = yield* sentOnce
      yield* chain.setBalance(lane, 0n)
      yield* chain.onCall(() => Effect.as(chain.setTransactionCount(lane, 1n), "0x"))
      const { text = "" } = yield* told
      assert.notInclude(text, "Send at least")
      assert.include(text, "3 confirmations")
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs the lane's key again if the key is gone, which an operator is told first", () =>
    Effect.gen(function* () {
      const { chain, lane, other } = yield* sentOnce
      const desk = yield* Effect.updateService(anotherDesk, RelayerKeys, (own) => ({
        ...own,
        lanes: (chainId) => own.lanes(chainId).filter((each) => each !== lane)
      }))
      yield* chain.setBalance(lane, 0n)
      const detail = yield* detailOf(desk.move(lane, "active", CHANGE))
      assert.notInclude(detail, "Send at least")
      assert.match(detail, /Add the lane's key to RELAYER_KEYS again.*lanes empty/u)
      const empty = desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      assert.strictEqual(yield* reasonOf(empty), "no_key")
      assert.include(yield* detailOf(empty), "RELAYER_KEYS")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not signed again for a recipient that is no longer allowed", () =>
    Effect.gen(function* () {
      const { chain, empty, other, told } = yield* sentOnce
      const change = { actor: "", action: "", subject: other, details: {} }
      yield* (yield* LaneBook).move(other, "active", "draining", change)
      yield* chain.setFees({ ...FEES, baseFeePerGas: 3_000n, maxFeePerGas: 6_000n })
      assert.strictEqual(yield* reasonOf(empty), "recipient_not_allowed")
      assert.include(yield* detailOf(empty), "LANE_REST_RECIPIENTS")
      assert.lengthOf(yield* chain.sent, 1)
      assert.include((yield* told).text ?? "", `--to ${other}`)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is told of while its chain does not answer, and does not hold up the list", () =>
    Effect.gen(function* () {
      const { activate, chain, lane, told } = yield* sentOnce
      yield* chain.fail("transactionCount")
      assert.strictEqual(yield* reasonOf(activate), "in_flight")
      assert.include((yield* told).text ?? "", "does not answer")
      yield* chain.fail("feesPerGas")
      assert.include((yield* told).text ?? "", `lanes empty ${lane}`)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent again from a retired lane only, which an operator is told", () =>
    Effect.gen(function* () {
      const { activate, desk, lane, told } = yield* sentOnce
      yield* desk.move(lane, "draining", CHANGE)
      assert.include((yield* told).text ?? "", `lanes retire ${lane}`)
      assert.include(yield* detailOf(activate), `lanes retire ${lane}`)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is nowhere else's: another recipient is refused while it waits", () =>
    Effect.gen(function* () {
      const { chain, desk, lane } = yield* sentOnce
      yield* chain.setFees({ ...FEES, baseFeePerGas: 3_000n, maxFeePerGas: 6_000n })
      const elsewhere = desk.empty(lane, { chainId: source.id, recipient: RECIPIENT }, CHANGE)
      assert.strictEqual(yield* reasonOf(elsewhere), "recipient_not_allowed")
      assert.lengthOf(yield* chain.sent, 1)
    }).pipe(Effect.provide(layer))
  )
})
