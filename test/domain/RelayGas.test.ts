import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { sweepGasLimit } from "../../src/domain/RelayGas.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 21_000n, maximum: 30_000_000n }))

describe("sweepGasLimit", () => {
  it("covers the gross use, a tenth more, and each authorization", () => {
    assert.strictEqual(sweepGasLimit({ simulated: 100_000n, quoted: 0n, authorizations: 0 }), 137_500n)
    assert.strictEqual(sweepGasLimit({ simulated: 100_000n, quoted: 0n, authorizations: 2 }), 187_500n)
  })

  it.prop("is never below the quoted limit, nor below what a maximal refund may have hidden", [Gas, Gas], (input) => {
    const [gross, quoted] = input
    // A refund takes at most a fifth of the gross.
    const simulated = gross - gross / 5n
    const limit = sweepGasLimit({ simulated, quoted, authorizations: 1 })
    return limit >= quoted && limit >= gross
  })
})
