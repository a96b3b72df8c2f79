/** Guards of the first generation that a chain's entry names. */
import { assert, describe, it } from "@effect/vitest"
import { firstGenerationOf } from "../../../../src/adapters/evm/contracts/Deployment.ts"
import * as FirstGuard from "../../../../src/adapters/evm/contracts/FirstGuard.ts"
import { address } from "../../../support/FakeChain.ts"

const first = firstGenerationOf(address(0x91))
const second = { delegate: address(0x81), guard: address(0x82), entry: address(0x83) }

describe("guards of the first generation", () => {
  it("are the one that the current delegate asks and those with the first entry, each once", () => {
    assert.deepStrictEqual(FirstGuard.guardsOf({}), [])
    assert.deepStrictEqual(FirstGuard.guardsOf({ earlierContracts: [second] }), [])
    assert.deepStrictEqual(FirstGuard.guardsOf({ earlierContracts: [second, first] }), [first.guard])
    assert.deepStrictEqual(FirstGuard.guardsOf({ priorGuard: address(0x92) }), [address(0x92)])
    assert.deepStrictEqual(FirstGuard.guardsOf({ priorGuard: first.guard, earlierContracts: [second, first] }), [
      first.guard
    ])
  })
})
