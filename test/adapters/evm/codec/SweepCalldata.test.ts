import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, toHex } from "viem"
import { sweepDelegate, sweepEntry } from "../../../../src/adapters/evm/abi/contracts.generated.ts"
import * as SweepCalldata from "../../../../src/adapters/evm/codec/SweepCalldata.ts"
import { Account, address, order, OrderParts, Uint64 } from "../../../domain/Arbitraries.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const hexOf = (bytes: ReadonlyArray<number>) => toHex(Uint8Array.from(bytes))

const Items = Schema.Array(Schema.Struct({ account: Account, gasLimit: Uint64, data: Bytes }))

describe("SweepCalldata", () => {
  it.effect.prop("calls execute as viem does", [OrderParts, Bytes], ([parts, signature]) =>
    Effect.sync(() =>
      assert.strictEqual(
        SweepCalldata.execute(order(parts), hexOf(signature)),
        encodeFunctionData({
          abi: sweepDelegate.abi,
          functionName: "execute",
          args: [order(parts), hexOf(signature)]
        })
      )
    )
  )

  it.effect.prop("calls run as viem does", [Items], ([drawn]) =>
    Effect.sync(() => {
      const items = drawn.map(({ account, data, gasLimit }) => ({
        account: address(account),
        gasLimit,
        data: hexOf(data)
      }))
      assert.strictEqual(
        SweepCalldata.run(items),
        encodeFunctionData({ abi: sweepEntry.abi, functionName: "run", args: [items] })
      )
    })
  )
})
