import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { MAX_UINT256 } from "../../src/domain/Amount.ts"
import * as Address from "../../src/domain/Address.ts"
import {
  approvals,
  isSpent,
  paymentData,
  permitNonce,
  permitTypedData,
  readPayment
} from "../../src/domain/PayoutPayment.ts"
import * as FakeChain from "../support/FakeChain.ts"

const key = privateKeyToAccount(`0x${"11".repeat(32)}`)
const payer = { vault: Address.of(key.address), permit2: FakeChain.address(0xc2) }

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_UINT256 }))
const Deadline = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n ** 40n }))

const batchOf = (id: string, amounts: ReadonlyArray<bigint>) => ({
  id,
  chainId: FakeChain.chain.id,
  token: FakeChain.address(0xd1),
  lines: amounts.map((amount, index) => ({ payoutAddress: FakeChain.address(0x10 + index), amount }))
})

const sign = (batch: ReturnType<typeof batchOf>, deadline: bigint, changes: { readonly value?: bigint } = {}) =>
  Effect.promise(async () => {
    const signature = await key.signTypedData(permitTypedData(batch, payer, deadline))
    return key.signTransaction({
      type: "eip1559",
      chainId: batch.chainId,
      to: payer.permit2,
      data: paymentData(batch, payer.vault, deadline, signature),
      gas: 90_000n,
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 2n,
      nonce: 5,
      ...changes
    })
  })

describe("a batch's payment", () => {
  it.effect.prop(
    "is read back as it was signed, for its own batch alone",
    [Schema.NonEmptyString, Schema.NonEmptyArray(Amount).check(Schema.isMaxLength(5)), Deadline],
    ([id, amounts, deadline]) =>
      Effect.gen(function* () {
        const batch = batchOf(id, amounts)
        const raw = yield* sign(batch, deadline)
        const read = Option.getOrThrow(readPayment(batch, payer, raw))
        assert.deepStrictEqual(
          { ...read, txHash: undefined },
          {
            txHash: undefined,
            nonce: 5n,
            gas: 90_000n,
            fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: 2n },
            deadline
          }
        )
        const others = [
          batchOf(`${id}x`, amounts),
          batchOf(id, [...amounts, 1n]),
          batchOf(
            id,
            amounts.map((amount, index) => (index === 0 ? amount ^ 1n : amount))
          ),
          { ...batch, chainId: batch.chainId + 1 },
          { ...batch, token: FakeChain.address(0xd2) }
        ]
        for (const other of others) assert.isTrue(Option.isNone(readPayment(other, payer, raw)))
        assert.isTrue(Option.isNone(readPayment(batch, { ...payer, vault: FakeChain.address(1) }, raw)))
        assert.isTrue(Option.isNone(readPayment(batch, { ...payer, permit2: FakeChain.address(1) }, raw)))
        assert.isTrue(Option.isNone(readPayment(batch, payer, yield* sign(batch, deadline, { value: 1n }))))
      })
  )

  it.effect.prop("has one bit of the bitmap for its nonce", [Schema.String, Amount], ([id, bitmap]) =>
    Effect.sync(() => {
      const bit = 1n << (permitNonce(id) & 0xffn)
      assert.strictEqual(isSpent(id, bitmap | bit), true)
      assert.strictEqual(isSpent(id, bitmap & ~bit), false)
    })
  )

  it.effect.prop("takes an approval exactly where one is missing", [Amount, Amount], ([allowance, total]) =>
    Effect.sync(() => {
      const amounts = approvals(allowance, total)
      assert.strictEqual(amounts.length === 0, allowance >= total)
      if (amounts.length > 0) assert.strictEqual(amounts.at(-1), MAX_UINT256)
      // Never from one amount to another: USDT refuses that.
      assert.strictEqual(amounts.length === 2, allowance > 0n && allowance < total)
    })
  )
})
