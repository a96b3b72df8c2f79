import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as RpcReceipts from "../../../../src/adapters/evm/rpc/Receipts.ts"
import { address } from "../../../support/FakeChain.ts"

const hash = (byte: string) => `0x${byte.repeat(32)}`

const log = {
  address: address(0xb1).toLowerCase(),
  topics: [hash("01"), hash("02")],
  data: "0xabcd",
  blockNumber: "0x10",
  blockHash: hash("03"),
  transactionHash: hash("04"),
  logIndex: "0x2",
  removed: false
}

const receipt = {
  transactionHash: hash("04"),
  blockNumber: "0x10",
  blockHash: hash("03"),
  status: "0x1",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x3b9aca00",
  logs: [log],
  type: "0x4"
}

/** Every copy of an object in which one field is missing, and every one in which it is something else. */
const broken = (whole: Readonly<Record<string, unknown>>, optional: ReadonlyArray<string>) =>
  Object.keys(whole).flatMap((field) =>
    optional.includes(field) ? [] : [undefined, "0xzz", 7].map((value) => ({ ...whole, [field]: value }))
  )

describe("RpcReceipts", () => {
  it("reads a receipt with its logs", () => {
    const read = Option.getOrThrow(RpcReceipts.receipt(receipt))
    assert.strictEqual(read?.status, "success")
    assert.strictEqual(read?.gasUsed, 21_000n)
    assert.strictEqual(read?.logs[0]?.address, address(0xb1))
    assert.strictEqual(read?.logs[0]?.logIndex, 2)
    assert.strictEqual(Option.getOrThrow(RpcReceipts.receipt({ ...receipt, status: "0x0" }))?.status, "reverted")
    assert.isNull(Option.getOrThrow(RpcReceipts.receipt(null)))
  })

  it("reads what an OP stack chain took for the transaction's bytes, where it tells", () => {
    const dataFee = (l1Fee: unknown) =>
      Option.getOrUndefined(Option.map(RpcReceipts.receipt({ ...receipt, l1Fee }), (read) => read?.dataFee ?? null))
    assert.strictEqual(dataFee("0x10"), 16n)
    assert.isNull(dataFee(undefined))
    assert.isNull(dataFee(null))
    assert.isUndefined(dataFee("0xzz"))
  })

  it("adds what the operator of an OP stack chain took, by the formula of its upgrade", () => {
    const dataFee = (fees: Readonly<Record<string, unknown>>) =>
      Option.getOrUndefined(
        Option.map(RpcReceipts.receipt({ ...receipt, l1Fee: "0x10", ...fees }), (read) => read?.dataFee ?? null)
      )
    const operator = { operatorFeeScalar: "0x186a0", operatorFeeConstant: "0x5" }
    // 21,000 gas by a tenth of a wei, and 5 wei.
    assert.strictEqual(dataFee(operator), 16n + 2_100n + 5n)
    assert.strictEqual(dataFee({ ...operator, daFootprintGasScalar: "0x190" }), 16n + 21_000n * 10_000_000n + 5n)
    assert.strictEqual(dataFee({ daFootprintGasScalar: "0x190", operatorFeeScalar: null }), 16n)
    assert.strictEqual(dataFee({ ...operator, l1Fee: undefined }), 2_105n)
    assert.isUndefined(dataFee({ operatorFeeScalar: "0xzz" }))
  })

  it("makes nothing of a receipt that lacks something, or has something else in its place", () => {
    for (const bad of broken(receipt, ["type"])) assert.isTrue(Option.isNone(RpcReceipts.receipt(bad)))
    for (const bad of broken(log, ["removed"])) {
      assert.isTrue(Option.isNone(RpcReceipts.receipt({ ...receipt, logs: [log, bad] })))
      assert.isTrue(Option.isNone(RpcReceipts.logs([bad])))
    }
  })

  it("leaves out logs that a reorganisation removed", () => {
    assert.lengthOf(Option.getOrThrow(RpcReceipts.logs([log, { ...log, removed: true }])), 1)
  })

  it.effect.prop("makes something or nothing of any answer, and never throws", [Schema.Json], ([json]) =>
    Effect.sync(() => {
      for (const read of [RpcReceipts.receipt, RpcReceipts.logs]) read(json)
      RpcReceipts.accounts([json, json])
    })
  )
})
