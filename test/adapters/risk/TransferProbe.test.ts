import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { encodeAbiParameters } from "viem"
import * as TransferProbe from "../../../src/adapters/risk/TransferProbe.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { SimulatedCall } from "../../../src/ports/shared/Simulation.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const word = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value])
const did = (returnData: Hex, success = true): SimulatedCall => ({ success, returnData, gasUsed: 50_000n })

describe("TransferProbe.judge", () => {
  const transfer = { token: FakeChain.address(1), amount: 100n }
  const observed = (changes: Partial<TransferProbe.Observation> = {}): TransferProbe.Observation => ({
    ownerBefore: did(word(150n)),
    recipientBefore: did(word(7n)),
    moved: did(word(1n)),
    recipientAfter: did(word(107n)),
    ownerAfter: did(word(50n)),
    ...changes
  })
  const verdict = (changes: Partial<TransferProbe.Observation>) =>
    Result.match(TransferProbe.judge(transfer, observed(changes)), {
      onFailure: (error) => error.reason,
      onSuccess: () => "sound"
    })

  it("accepts true, a longer answer that begins with true, and silence", () => {
    for (const returnData of [word(1n), `${word(1n)}${"00".repeat(32)}`, "0x"] as const) {
      assert.strictEqual(verdict({ moved: did(returnData) }), "sound")
    }
  })

  it("takes false, other words and short answers for failures", () => {
    for (const returnData of [word(0n), word(2n), "0x01"] as const) {
      assert.strictEqual(verdict({ moved: did(returnData) }), "transfer_fails")
    }
    assert.strictEqual(verdict({ moved: did("0x", false) }), "transfer_fails")
  })

  it("sees a tax on either side, down to one unit", () => {
    assert.strictEqual(verdict({ recipientAfter: did(word(106n)) }), "transfer_taxed")
    assert.strictEqual(verdict({ ownerAfter: did(word(49n)) }), "transfer_taxed")
    assert.strictEqual(verdict({ recipientAfter: did(word(0n)) }), "transfer_taxed")
  })

  it("wants one word for a balance", () => {
    for (const bad of [did("0x"), did(word(150n), false), did("0x01"), did(`0x${"11".repeat(64)}`)]) {
      for (const which of ["ownerBefore", "recipientBefore", "recipientAfter", "ownerAfter"] as const) {
        assert.strictEqual(verdict({ [which]: bad }), "not_a_token")
      }
    }
  })

  it("names a missing balance before a failed transfer", () => {
    assert.strictEqual(verdict({ ownerBefore: did(word(99n)), moved: did("0x", false) }), "insufficient_balance")
  })

  const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n }))

  it.prop(
    "finds a transfer sound exactly when it moves the amount in full",
    [Units, Units, Units, Units],
    ([amount, before, tax, extra]) => {
      const ownerBefore = amount + extra + before
      const outcome = TransferProbe.judge(
        { token: transfer.token, amount },
        {
          ownerBefore: did(word(ownerBefore)),
          recipientBefore: did(word(before)),
          moved: did("0x"),
          recipientAfter: did(word(before + (tax > amount ? 0n : amount - tax))),
          ownerAfter: did(word(ownerBefore - amount))
        }
      )
      return Result.isSuccess(outcome) === (tax === 0n || amount === 0n)
    }
  )
})
