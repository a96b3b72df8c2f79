/** Calldata and outcomes of simulations, which are written and read by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { decodeFunctionData, encodeFunctionResult, toHex } from "viem"
import { rehearsal } from "../../../../src/adapters/evm/abi/simulation.generated.ts"
import * as Rehearsal from "../../../../src/adapters/evm/codec/Rehearsal.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { partsOf } from "../../../../src/domain/RehearsalParts.ts"
import { itemGas } from "../../../../src/domain/RelayGas.ts"
import { Account, address, Uint256, Uint64 } from "../../../domain/Arbitraries.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const hexOf = (bytes: ReadonlyArray<number>): Hex => toHex(Uint8Array.from(bytes))

const Steps = Schema.Array(Schema.Struct({ from: Account, to: Account, amounts: Schema.Array(Uint64), data: Bytes }))
const Outcomes = Schema.Array(
  Schema.Struct({ success: Schema.Boolean, gasUsed: Uint256, gasLimit: Uint256, bytes: Bytes })
)

/** Gas limits of sweeps, and their calldata. */
const Sweeps = Schema.Array(
  Schema.Struct({
    gas: Schema.Int.check(Schema.isBetween({ minimum: 120_000, maximum: 5_550_000 })),
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4_000 }))
  })
)

const result = (outcomes: typeof Outcomes.Type): Hex =>
  encodeFunctionResult({
    abi: rehearsal.abi,
    functionName: "run",
    result: outcomes.map(({ bytes, ...outcome }) => ({ ...outcome, returnData: hexOf(bytes) }))
  })

const ANYONE = address(0x5eedn)

describe("Rehearsal", () => {
  it.effect.prop("asks for every step as it is given", [Steps], ([given]) =>
    Effect.sync(() => {
      const steps = given.map(({ amounts: [value, gas, share], data, from, to }) => ({
        from: address(from),
        to: address(to),
        data: hexOf(data),
        ...(value === undefined ? {} : { value }),
        ...(gas === undefined ? {} : { gas }),
        ...(share === undefined ? {} : { fit: { share: share + 1n, extra: 7n } })
      }))
      const { args } = decodeFunctionData({ abi: rehearsal.abi, data: Rehearsal.encode(steps, ANYONE).data })
      assert.deepStrictEqual(args, [
        steps.map(({ data, fit, from, gas, to, value }) => ({
          from,
          to,
          value: value ?? 0n,
          gasLimit: gas ?? 5_000_000n,
          share: fit?.share ?? 0n,
          extra: fit?.extra ?? 0n,
          data
        }))
      ])
    })
  )

  it("has code at the senders alone, and at the given account only if no step names a sender", () => {
    const step = { to: address(1n), data: "0x" as const }
    const sendersOf = (steps: Parameters<typeof Rehearsal.encode>[0]) => {
      const { codeOverrides, stage } = Rehearsal.encode(steps, ANYONE)
      return [stage, ...codeOverrides.map((each) => each.address)]
    }
    assert.deepStrictEqual(sendersOf([step, step]), [ANYONE, ANYONE])
    assert.deepStrictEqual(sendersOf([step, { ...step, from: address(2n) }]), [address(2n), address(2n)])
  })

  it("gives a call for steps apart the gas of one whole step and of ordinary others", () => {
    const step = { to: address(1n), data: "0x" as const, gas: 5_000_000n, fit: { share: 10n, extra: 50_000n } }
    const alone = Rehearsal.encode([step], ANYONE, true)
    const together = Rehearsal.encode([step, step, step], ANYONE, true)
    assert.strictEqual(decodeFunctionData({ abi: rehearsal.abi, data: together.data }).functionName, "runApart")
    assert.isTrue(together.gas - alone.gas < 2n * 2_200_000n, `${together.gas - alone.gas}`)
    assert.isTrue(Rehearsal.encode([step, step, step], ANYONE).gas > together.gas + 15_000_000n)
  })

  it.effect.prop("reads every outcome, and the gas limit of steps that were fitted", [Outcomes], ([outcomes]) =>
    Effect.sync(() => {
      const steps = outcomes.map((_, index) => (index % 2 === 0 ? {} : { fit: { share: 10n, extra: 0n } }))
      assert.deepStrictEqual(
        Option.getOrThrow(Rehearsal.decode(result(outcomes), steps)),
        outcomes.map(({ bytes, gasLimit, gasUsed, success }, index) => ({
          success,
          returnData: hexOf(bytes),
          gasUsed,
          ...(index % 2 === 0 ? {} : { gasLimit })
        }))
      )
    })
  )

  it.effect.prop("reads nothing in an answer that was cut", [Outcomes, Schema.Int], ([outcomes, seed]) =>
    Effect.sync(() => {
      const all = [...outcomes, { success: true, gasUsed: 1n, gasLimit: 1n, bytes: [1, 2, 3] }]
      const whole = result(all)
      // Padding may be missing; anything before it may not.
      const kept = Math.abs(seed) % ((whole.length - 2) / 64 - 1)
      const cut = Rehearsal.decode(
        whole.slice(0, 2 + 64 * kept) as Hex,
        Array.from(all, () => ({}))
      )
      assert.isTrue(Option.isNone(cut))
    })
  )

  it.effect.prop("asks for less gas than public nodes give, for a part of any sweeps", [Sweeps], ([drawn]) =>
    Effect.sync(() => {
      // Many of each, so that parts are full.
      const sweeps = drawn.flatMap(({ bytes, gas }) => {
        const sweep = { data: `0x${"ff".repeat(bytes)}` as const, gas: BigInt(gas) }
        return Array.from({ length: 40 }, () => sweep)
      })
      const parts = partsOf(
        sweeps.map((sweep) => [sweep] as const),
        ({ data, gas }) => itemGas({ data, gasLimit: gas, authorizations: 0 })
      )
      for (const part of parts) {
        const { gas } = Rehearsal.encode(
          part.map((sweep) => ({ ...sweep, to: ANYONE })),
          ANYONE
        )
        assert.isTrue(gas < 50_000_000n, `${gas}`)
      }
    })
  )

  it("reads nothing in other bytes", () => {
    for (const bytes of ["0x", "0x00", `0x${"ff".repeat(64)}`, result([])] as const) {
      assert.isTrue(Option.isNone(Rehearsal.decode(bytes, [{}])), bytes)
    }
  })
})
