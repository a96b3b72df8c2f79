/** The client's own typed data of a batch, held to the vectors that another library made. */
import { assert, describe, it } from "vitest"
import { domainSeparator, hashTypedData } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { batchTypedData, UsageError } from "../../../src/sdk/index.ts"
import { list } from "../../../src/sdk/wire/Reader.ts"
import { readLeg } from "../../../src/sdk/wire/Batch.ts"
import vectors from "../../vectors/sweep-batch.json" with { type: "json" }

describe("typed data of a batch", () => {
  for (const {
    digest,
    domain,
    domainSeparator: expectedSeparator,
    legs,
    name,
    privateKey,
    signature
  } of vectors.batches) {
    it(`is that of the vector: ${name}`, async () => {
      const typedData = batchTypedData(list(readLeg)(legs, "legs"), domain.name)
      assert.strictEqual(hashTypedData(typedData), digest)
      assert.deepStrictEqual<unknown>(typedData.domain, domain)
      assert.strictEqual(domainSeparator({ domain: typedData.domain }), expectedSeparator)
      const account = privateKeyToAccount(privateKey as `0x${string}`)
      assert.strictEqual(await account.signTypedData(typedData), signature)
    })
  }

  it("covers all vectors", () => assert.isAbove(vectors.batches.length, 3))

  it("is of at least one leg, and of one owner", () => {
    assert.throws(() => batchTypedData([]), UsageError)
    const [a, b] = vectors.batches.map(({ legs }) => list(readLeg)(legs, "legs")[0])
    if (a === undefined || b === undefined) return assert.fail("the vectors have no legs")
    assert.throws(() => batchTypedData([a, b]), UsageError)
  })
})
