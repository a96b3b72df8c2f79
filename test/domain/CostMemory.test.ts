import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CostMemory from "../../src/domain/CostMemory.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 21_000n, maximum: 30_000_000n }))
const Wei = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 15n }))
const Sample = Schema.Struct({ gas: Gas, dataFee: Wei })
const Samples = Schema.Array(Sample).check(Schema.isMinLength(2), Schema.isMaxLength(8))

const within = (value: bigint, values: ReadonlyArray<bigint>) =>
  values.some((each) => value >= each) && values.some((each) => value <= each)

describe("the typical cost of a kind of sweep", () => {
  it.prop("stays among the ordinary samples whatever one sample says", [Samples, Sample], ([ordinary, outlier]) => {
    const kept = ordinary.slice(-4)
    const after = CostMemory.typical(CostMemory.remembered(ordinary.reduce(CostMemory.remembered, []), outlier))
    return (
      after !== undefined &&
      within(
        after.gas,
        kept.map(({ gas }) => gas)
      ) &&
      within(
        after.dataFee,
        kept.map(({ dataFee }) => dataFee)
      )
    )
  })

  it.prop("follows a lasting change within five samples", [Samples, Sample], ([before, lasting]) => {
    const samples = Array.from({ length: 5 }, () => lasting).reduce(CostMemory.remembered, before)
    const after = CostMemory.typical(samples)
    return samples.length === 5 && after?.gas === lasting.gas && after.dataFee === lasting.dataFee
  })

  it("is unknown without samples", () => assert.isUndefined(CostMemory.typical([])))
})

describe("the first assumption", () => {
  it.prop("is refused only if the least possible cost is", [Sample, Wei, Wei], ([sample, gasPrice, room]) => {
    const fits = (cost: bigint) => cost <= room
    const assumed = CostMemory.firstAssumption(sample, gasPrice, fits)
    const least = (sample.gas < CostMemory.LEAST_SWEEP_GAS ? sample.gas : CostMemory.LEAST_SWEEP_GAS) * gasPrice
    return (fits(assumed) || !fits(least)) && CostMemory.leastAssumption(sample, gasPrice) === least
  })

  it.prop("is the typical cost where that fits", [Sample, Wei], ([sample, gasPrice]) => {
    const cost = sample.gas * gasPrice + sample.dataFee
    return CostMemory.firstAssumption(sample, gasPrice, () => true) === cost
  })
})
