/** Answers of the contract that trades in pools, beside viem's decoding. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { concatHex, encodeFunctionResult, type Hex, pad, slice } from "viem"
import { roundTrips } from "../../../src/adapters/evm/abi/simulation.generated.ts"
import * as RoundTripAnswer from "../../../src/adapters/prices/RoundTripAnswer.ts"
import { address } from "../../support/FakeChain.ts"

/** A reading whose fields all differ. */
const reading = (index: number): RoundTripAnswer.Reading => ({
  pool: address(index),
  money: address(0xf0 - index),
  fee: 500 + index,
  bought: 2n ** 255n + BigInt(index),
  returned: BigInt(index),
  depth: 10n ** 30n,
  tick: -887_272 + index,
  meanTick: 887_272 - index,
  liquidity: 2n ** 127n,
  meanLiquidity: 3n,
  hasMean: index % 2 === 0,
  oldest: 4_000_000_000 + index
})

const answer: RoundTripAnswer.Answer = {
  time: 1_800_000_000n,
  nativeAmount: 7n,
  native: [reading(1), reading(2)],
  stables: [[], [reading(3)]],
  tokens: [[reading(4), reading(5), reading(6)], [reading(7)]]
}

const encoded = ({ native, nativeAmount, stables, time, tokens }: RoundTripAnswer.Answer): Hex =>
  encodeFunctionResult({
    abi: roundTrips.abi,
    functionName: "run",
    result: [time, nativeAmount, native, stables, tokens]
  })

/** The data with another word in place of one. */
const withWord = (data: Hex, word: number, value: Hex): Hex =>
  concatHex([slice(data, 0, 32 * word), pad(value), slice(data, 32 * (word + 1))])

describe("an answer about pools", () => {
  it("is read as viem encodes it", () => {
    assert.deepStrictEqual(RoundTripAnswer.decode(encoded(answer)), Option.some(answer))
    const empty = { time: 1n, nativeAmount: 0n, native: [], stables: [], tokens: [] }
    assert.deepStrictEqual(RoundTripAnswer.decode(encoded(empty)), Option.some(empty))
  })

  it("is none if it ends early or points out of itself", () => {
    const data = encoded(answer)
    assert.isTrue(Option.isNone(RoundTripAnswer.decode("0x")))
    for (let bytes = 32; bytes < (data.length - 2) / 2; bytes += 32) {
      assert.isTrue(Option.isNone(RoundTripAnswer.decode(slice(data, 0, bytes))), `${bytes} bytes`)
    }
    // The offsets of the lists, the length of the first one, and a length that would take hours.
    for (const word of [2, 3, 4, 5]) {
      for (const value of ["0xffffff", `0x${"ff".repeat(32)}`] as const) {
        assert.isTrue(Option.isNone(RoundTripAnswer.decode(withWord(data, word, value))), `word ${word}: ${value}`)
      }
    }
  })
})
