/** Code is compared byte by byte, and the immutables by value: every change is noticed, and no value of the constructor counts as one. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { padHex } from "viem"
import { sweepDelegate, sweepEntry, sweepGuard } from "../../../../src/adapters/evm/abi/contracts.generated.ts"
import * as CodeComparison from "../../../../src/adapters/evm/contracts/CodeComparison.ts"
import * as Deployment from "../../../../src/adapters/evm/contracts/Deployment.ts"
import * as OwnContracts from "../../../../src/adapters/evm/contracts/OwnContracts.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { address } from "../../../support/FakeChain.ts"

const config: Deployment.Deployment = {
  chainId: 8453,
  guardOwner: address(0x11),
  timelockSeconds: 172_800,
  feeRecipient: address(0x12),
  wrappedNative: address(0x13),
  domainName: "Service",
  routers: [address(0x14)],
  bridges: []
}

const compiled = { guard: sweepGuard, delegate: sweepDelegate, entry: sweepEntry }
const { contracts } = Deployment.plan(config)

type Name = keyof typeof compiled

const judge = (name: Name, code: Hex | undefined) =>
  CodeComparison.compare(compiled[name], code, contracts[name].immutables)

/** The code with another byte at an offset. */
const changed = (code: Hex, offset: number, by: number): Hex => {
  const at = 2 + 2 * offset
  const byte = (Number.parseInt(code.slice(at, at + 2), 16) + by) % 256
  return `0x${code.slice(2, at)}${byte.toString(16).padStart(2, "0")}${code.slice(at + 2)}`
}

const names = Object.keys(compiled) as ReadonlyArray<Name>
/** Any byte of any contract, and what is added to it. */
const AName = Schema.Literals(["guard", "delegate", "entry"])
const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const Addend = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))

describe("CodeComparison", () => {
  it.each(names)("finds the deployed %s equal, and reads its immutables", (name) => {
    const comparison = judge(name, contracts[name].runtimeCode)
    assert.strictEqual(comparison.state, "equal")
    if (comparison.state !== "equal") return
    const read = Object.entries(comparison.immutables)
    assert.sameMembers(Object.keys(comparison.immutables), Object.keys(compiled[name].immutables))
    for (const [immutable, word] of read) {
      assert.strictEqual(word, padHex(contracts[name].immutables[immutable] ?? "0x", { size: 32 }).toLowerCase())
    }
  })

  it.prop("notices a change of any byte of any contract", [AName, Place, Addend], ([name, place, by]) => {
    const { runtimeCode } = contracts[name]
    const offset = place % ((runtimeCode.length - 2) / 2)
    assert.strictEqual(judge(name, changed(runtimeCode, offset, by)).state, "differs")
  })

  it("says where the code begins to differ", () => {
    const { runtimeCode } = contracts.entry
    assert.deepStrictEqual(judge("entry", changed(runtimeCode, 17, 1)), {
      state: "differs",
      differences: ["the code differs from byte 17 on"]
    })
    assert.deepStrictEqual(judge("entry", `${runtimeCode}00`), {
      state: "differs",
      differences: [
        `the code has ${runtimeCode.length / 2} bytes, and the sources compile to ${runtimeCode.length / 2 - 1}`
      ]
    })
  })

  it("names an immutable with another value, and one whose places disagree", () => {
    const other = Deployment.plan({ ...config, feeRecipient: address(0x66) }).contracts
    const expected = { ...contracts.delegate.immutables, guard: other.guard.address }
    const wrong = CodeComparison.compare(sweepDelegate, other.delegate.runtimeCode, expected)
    assert.strictEqual(wrong.state, "differs")
    assert.deepStrictEqual(wrong.state === "differs" ? wrong.differences : [], [
      `the immutable feeRecipient is ${padHex(address(0x66), { size: 32 })}, and the settings say ${config.feeRecipient}`
    ])

    const [place = 0] = sweepGuard.immutables.owner
    const torn = judge("guard", changed(contracts.guard.runtimeCode, place + 31, 1))
    assert.match(torn.state === "differs" ? torn.differences.join() : "", /^the immutable owner has different values: /)
  })

  it("tells an account without code", () => {
    for (const code of [undefined, "0x"] as const) assert.deepStrictEqual(judge("guard", code), { state: "no_code" })
  })
})

describe("OwnContracts", () => {
  it("has the computed contracts with their code, or the fixed ones with what their constructors wrote", () => {
    const computed = OwnContracts.of(config, undefined)
    assert.deepStrictEqual(
      computed.map(({ address, name, runtimeCode }) => [name, address, runtimeCode]),
      names.map((name) => [name, contracts[name].address, contracts[name].runtimeCode])
    )
    const fixed = { guard: address(0x21), delegate: address(0x22), entry: address(0x23) }
    const [guard, delegate] = OwnContracts.of(config, fixed)
    assert.deepInclude(guard?.immutables, { delegate: fixed.delegate, owner: config.guardOwner })
    assert.deepInclude(delegate?.immutables, { guard: fixed.guard, feeRecipient: config.feeRecipient })
    assert.isUndefined(guard?.runtimeCode)
  })

  it("knows contracts at fixed addresses by their code, and an entry for another delegate as such", () => {
    const { delegate, entry, guard } = contracts
    const stateOf = (addresses: typeof FIXED, code: Hex) => {
      const own = OwnContracts.of(config, addresses).find(({ name }) => name === "entry")
      return own && OwnContracts.stateOf(own, code)
    }
    const FIXED = { guard: guard.address, delegate: delegate.address, entry: address(0x23) }
    assert.strictEqual(stateOf(FIXED, entry.runtimeCode), "right")
    assert.strictEqual(stateOf({ ...FIXED, delegate: address(0x22) }, entry.runtimeCode), "foreign")
    assert.strictEqual(stateOf(FIXED, changed(entry.runtimeCode, 3, 1)), "unverified")
    assert.strictEqual(stateOf(FIXED, "0x"), "missing")
  })
})
