import { assert, describe, it } from "@effect/vitest"
import { type BatchFile, checksum, toSafeTransactions } from "../../src/domain/SafeTransactions.ts"
import * as FakeChain from "../support/FakeChain.ts"

/** A file that the Transaction Builder itself wrote, and the checksum that it put in. */
const WRITTEN_BY_SAFE: BatchFile = {
  version: "1.0",
  chainId: "1",
  createdAt: 1761326849944,
  meta: {
    name: "Transactions Batch",
    description: "",
    txBuilderVersion: "1.18.2",
    createdFromSafeAddress: "0xA77DE01e157f9f57C7c4A326eeE9C4874D0598b6",
    createdFromOwnerAddress: ""
  },
  transactions: [
    {
      to: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      value: "0",
      data: null,
      contractMethod: {
        inputs: [
          { internalType: "address", name: "spender", type: "address" },
          { internalType: "uint256", name: "value", type: "uint256" }
        ],
        name: "approve",
        payable: false
      },
      contractInputsValues: { spender: "0x474e5Ded6b5D078163BFB8F6dBa355C3aA5478C8", value: "100000000000" }
    }
  ]
}

describe("files for a Safe", () => {
  it("carry the checksum that the Transaction Builder computes", () => {
    assert.strictEqual(checksum(WRITTEN_BY_SAFE), "0x8b5032f716845c8b08bab3d63dbd9ba92e056f3557793cd041e59b84e16aa989")
    const renamed = { ...WRITTEN_BY_SAFE, meta: { ...WRITTEN_BY_SAFE.meta, name: "Another name" } }
    assert.strictEqual(checksum(renamed), checksum(WRITTEN_BY_SAFE))
    assert.notStrictEqual(checksum({ ...WRITTEN_BY_SAFE, chainId: "10" }), checksum(WRITTEN_BY_SAFE))
  })

  it("transfer each line's amount out of the vault", () => {
    const vault = FakeChain.address(0xf2)
    const lines = [
      { builderId: "a", payoutAddress: FakeChain.address(0x0a), amount: 2n ** 256n - 1n, entries: 2 },
      { builderId: "b", payoutAddress: FakeChain.address(0x0b), amount: 1n, entries: 1 }
    ]
    const file = toSafeTransactions(
      {
        id: "batch",
        chainId: 8453,
        token: FakeChain.address(0xd1),
        status: "open",
        minAmount: 0n,
        total: 2n ** 256n,
        lines,
        createdAtMs: 1
      },
      vault
    )
    assert.deepInclude(file, { version: "1.0", chainId: "8453", createdAt: 1 })
    const { checksum: written, ...meta } = file.meta
    assert.strictEqual(written, checksum({ ...file, meta }))
    assert.deepStrictEqual(
      JSON.parse(JSON.stringify(file["transactions"])).map(
        ({ contractInputsValues, contractMethod, data, to, value }: Record<string, unknown>) => ({
          to,
          value,
          data,
          name: Object(contractMethod).name,
          ...Object(contractInputsValues)
        })
      ),
      lines.map(({ amount, payoutAddress }) => ({
        to: payoutAddress,
        value: amount.toString(),
        data: null,
        name: "transfer"
      }))
    )
  })
})
