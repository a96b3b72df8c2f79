/** Transfers of a lane's rest that no block includes, and the way to end them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256, parseTransaction } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { SendRejected } from "../../../src/ports/shared/Chains.ts"
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
      const { activate, chain, empty, lane, told } = yield* sentOnce
      const cost = TRANSFER_GAS * 2_250n
      yield* chain.setBalance(lane, 0n)
      const missing = `at least ${cost + 1n} wei`
      assert.include((yield* told).text ?? "", missing)
      assert.include(yield* detailOf(activate), missing)
      assert.strictEqual(yield* reasonOf(empty), "nothing_to_move")
      assert.include(yield* detailOf(empty), missing)
      assert.lengthOf(yield* chain.sent, 1)
      yield* chain.setBalance(lane, cost + 1n)
      assert.strictEqual((yield* empty).amount, 1n)
      assert.lengthOf(yield* chain.sent, 2)
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
