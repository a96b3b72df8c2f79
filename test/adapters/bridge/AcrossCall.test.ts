import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { type Abi, toFunctionSelector } from "viem"
import * as AcrossCall from "../../../src/adapters/bridge/AcrossCall.ts"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import { spokePoolPeripheryAbi } from "../../../src/adapters/bridge/spokePoolPeripheryAbi.ts"
import * as Address from "../../../src/domain/Address.ts"
import { size } from "../../../src/domain/Hex.ts"
import { address } from "../../support/FakeChain.ts"
import { Byte, depositOf, Deposit, mutated, sample } from "./generated.ts"

const POOL = address(0x91)
const PERIPHERY = address(0x92)
const contracts = { spokePool: POOL, spokePoolPeriphery: PERIPHERY }

const Swap = Schema.Struct({
  tokenIn: Byte,
  exchange: Byte,
  amountIn: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  data: Schema.Array(Byte).check(Schema.isMaxLength(100))
})

const swapOf = ({ amountIn, data, exchange, tokenIn }: typeof Swap.Type): AcrossCall.AcrossSwap => ({
  tokenIn: address(tokenIn),
  amountIn: BigInt(amountIn) ** 2n,
  exchange: address(exchange),
  calldata: `0x${Buffer.from(data).toString("hex")}`
})

const swap = swapOf({ tokenIn: 6, exchange: 7, amountIn: 5_000, data: [1, 2, 3] })
const calldata = AcrossCall.encodeSwap(POOL, sample, swap)

describe("AcrossCall", () => {
  it.effect.prop("reads back what was written, to the contract that it was written for", [Deposit, Swap], (generated) =>
    Effect.sync(() => {
      const deposit = depositOf(generated[0])
      const before = swapOf(generated[1])
      const plain = AcrossDeposit.encode(deposit)
      const swapped = AcrossCall.encodeSwap(POOL, deposit, before)
      assert.deepStrictEqual(AcrossCall.decode(contracts, POOL, plain), Option.some({ deposit }))
      assert.deepStrictEqual(AcrossCall.decode(contracts, PERIPHERY, swapped), Option.some({ deposit, swap: before }))
      assert.deepStrictEqual(AcrossCall.decode(contracts, PERIPHERY, plain), Option.none())
      assert.deepStrictEqual(AcrossCall.decode(contracts, POOL, swapped), Option.none())
      assert.deepStrictEqual(AcrossCall.decode(contracts, address(0x93), swapped), Option.none())
    })
  )

  it("is never read as the call it was, once a byte is changed", () => {
    for (let at = 0; at < size(calldata); at++) {
      const changed = AcrossCall.decode(contracts, PERIPHERY, mutated(calldata, at, 1))
      assert.notDeepEqual(changed, Option.some({ deposit: sample, swap }), `byte ${at}`)
    }
  })

  it("is not read where it pays into another pool, whose deposits nobody fills", () => {
    const elsewhere = AcrossCall.encodeSwap(address(0x94), sample, swap)
    assert.deepStrictEqual(AcrossCall.decode(contracts, PERIPHERY, elsewhere), Option.none())
  })

  it("is not read where it pays into a former pool of the chain, but for its order's deposit", () => {
    const former = address(0x94)
    const moved = { ...contracts, formerSpokePools: [former] }
    for (const [target, data] of [
      [former, AcrossDeposit.encode(sample)],
      [PERIPHERY, AcrossCall.encodeSwap(former, sample, swap)],
      [former, AcrossCall.encodeSwap(former, sample, swap)]
    ] as const) {
      assert.deepStrictEqual(AcrossCall.decode(moved, target, data), Option.none())
      assert.strictEqual(Option.getOrThrow(AcrossCall.decodeSigned(target, data)).spokePool, former)
    }
  })

  it("is not read for a chain without the contracts", () => {
    const plain = AcrossDeposit.encode(sample)
    assert.deepStrictEqual(AcrossCall.decode({}, POOL, plain), Option.none())
    assert.deepStrictEqual(AcrossCall.decode({ spokePool: POOL }, PERIPHERY, calldata), Option.none())
    assert.deepStrictEqual(AcrossCall.decode({ spokePool: POOL }, Address.zero, calldata), Option.none())
  })

  it("makes one deposit, or with a swap any from its least on", () => {
    const { inputAmount, outputAmount } = sample
    const made = (call: AcrossCall.AcrossCall, amount: bigint) =>
      Option.getOrUndefined(Option.map(AcrossCall.depositMade(call, amount), (deposit) => deposit.outputAmount))
    assert.strictEqual(made({ deposit: sample }, inputAmount), outputAmount)
    assert.isUndefined(made({ deposit: sample }, inputAmount + 1n))
    assert.isUndefined(made({ deposit: sample }, inputAmount - 1n))
    assert.strictEqual(made({ deposit: sample, swap }, inputAmount), outputAmount)
    assert.strictEqual(made({ deposit: sample, swap }, inputAmount * 3n), outputAmount * 3n)
    assert.isUndefined(made({ deposit: sample, swap }, inputAmount - 1n))
    assert.isUndefined(made({ deposit: { ...sample, inputAmount: 0n }, swap }, 1n))
  })

  it.effect.prop(
    "pays out no more than the offer's share of what is deposited",
    [Deposit, Byte],
    ([generated, extra]) =>
      Effect.sync(() => {
        const deposit = depositOf(generated)
        const inputAmount = deposit.inputAmount + BigInt(extra)
        const made = Option.getOrThrow(
          AcrossCall.depositMade(
            { deposit: { ...deposit, inputAmount: deposit.inputAmount + 1n }, swap },
            inputAmount + 1n
          )
        )
        assert.isTrue(made.outputAmount * (deposit.inputAmount + 1n) <= deposit.outputAmount * made.inputAmount)
        assert.isTrue(made.outputAmount >= deposit.outputAmount)
      })
  )

  it("calls the functions that the deployed contract has", () => {
    const file = "@across-protocol/contracts/dist/evm/artifacts/SpokePoolPeriphery.sol/SpokePoolPeriphery.json"
    const { abi }: { readonly abi: Abi } = JSON.parse(
      readFileSync(createRequire(import.meta.url).resolve(file), "utf8")
    )
    const selectors = (abi: Abi) => abi.filter((item) => item.type === "function").map(toFunctionSelector)
    assert.includeMembers(selectors(abi), selectors(spokePoolPeripheryAbi))
  })
})
