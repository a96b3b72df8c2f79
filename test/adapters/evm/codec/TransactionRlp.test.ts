import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { serializeTransaction, toHex } from "viem"
import * as TransactionRlp from "../../../../src/adapters/evm/codec/TransactionRlp.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { UnsignedTransaction } from "../../../../src/ports/shared/Transaction.ts"
import { Account, address, Uint256, Uint64 } from "../../../domain/Arbitraries.ts"

const Nonce = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const YParity = Schema.Literals([0, 1])

const Parts = Schema.Struct({
  chainId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  nonce: Nonce,
  to: Account,
  data: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))),
  /** Data of a batch's length, beyond what short prefixes hold. */
  repeated: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 })),
  amounts: Schema.Tuple([Uint64, Uint64, Uint64]),
  authorizations: Schema.Array(
    Schema.Struct({ address: Account, chainId: Nonce, nonce: Nonce, r: Uint256, s: Uint256, yParity: YParity })
  ),
  signature: Schema.Struct({ r: Uint256, s: Uint256, yParity: YParity })
})

const word = (value: bigint): Hex => toHex(value, { size: 32 })

const transactionOf = (parts: typeof Parts.Type): UnsignedTransaction => ({
  chainId: parts.chainId,
  nonce: BigInt(parts.nonce),
  to: address(parts.to),
  data: `0x${Buffer.from(parts.data).toString("hex").repeat(parts.repeated)}`,
  gas: parts.amounts[0],
  maxPriorityFeePerGas: parts.amounts[1],
  maxFeePerGas: parts.amounts[1] + parts.amounts[2],
  authorizationList: parts.authorizations.map((each) => ({
    address: address(each.address),
    chainId: each.chainId,
    nonce: BigInt(each.nonce),
    r: word(each.r),
    s: word(each.s),
    yParity: each.yParity
  }))
})

describe("TransactionRlp", () => {
  it.effect.prop("writes every transaction as viem does", [Parts], ([parts]) =>
    Effect.sync(() => {
      const transaction = transactionOf(parts)
      const { authorizationList, nonce, ...rest } = transaction
      const common = { ...rest, nonce: Number(nonce), value: 0n }
      const theirs =
        authorizationList.length === 0
          ? { ...common, type: "eip1559" as const }
          : {
              ...common,
              type: "eip7702" as const,
              authorizationList: authorizationList.map((each) => ({ ...each, nonce: Number(each.nonce) }))
            }
      const { r, s, yParity } = parts.signature
      const signature = { r: word(r), s: word(s), yParity }
      assert.strictEqual(TransactionRlp.serialize(transaction), serializeTransaction(theirs))
      assert.strictEqual(TransactionRlp.serialize(transaction, signature), serializeTransaction(theirs, signature))
    })
  )
})
