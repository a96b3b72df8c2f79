import { assert, describe, it } from "@effect/vitest"
import { checksum } from "../../src/domain/SafeTransactions.ts"
import { toSafeSales } from "../../src/domain/TreasurySafe.ts"
import { address } from "../support/IntentFixtures.ts"

describe("sales as a file for a Safe", () => {
  it("approve exactly the amount, and then swap, for each token", () => {
    const [safe, router] = [address(0xfee), address(0x7)]
    const file = toSafeSales(
      { chainId: 8453, safe, asset: address(9) },
      [
        { token: address(1), amount: 2n ** 256n - 1n, target: router, calldata: "0xaa" },
        { token: address(2), amount: 3n, target: router, calldata: "0xbb" }
      ],
      17
    )
    const { checksum: stored, ...meta } = file.meta
    assert.strictEqual(stored, checksum({ ...file, meta }))
    assert.deepInclude(meta, { createdFromSafeAddress: safe })
    assert.deepInclude(file, { chainId: "8453", createdAt: 17 })
    const approve = {
      name: "approve",
      payable: false,
      inputs: [
        { name: "spender", type: "address", internalType: "address" },
        { name: "value", type: "uint256", internalType: "uint256" }
      ]
    }
    const called = (to: string, data: string) => ({
      to,
      value: "0",
      data,
      contractMethod: null,
      contractInputsValues: null
    })
    const approved = (to: string, value: bigint) => ({
      to,
      value: "0",
      data: null,
      contractMethod: approve,
      contractInputsValues: { spender: router, value: value.toString() }
    })
    assert.deepStrictEqual(file["transactions"], [
      approved(address(1), 2n ** 256n - 1n),
      called(router, "0xaa"),
      approved(address(2), 3n),
      called(router, "0xbb")
    ])
  })
})
