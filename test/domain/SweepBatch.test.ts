import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { TypedDataEncoder } from "ethers"
import { recoverAddress } from "viem"
import * as SweepBatch from "../../src/domain/SweepBatch.ts"
import * as SweepOrder from "../../src/domain/SweepOrder.ts"
import vectors from "../vectors/sweep-batch.json"
import * as Arbitraries from "./Arbitraries.ts"

const decodeOrder = Schema.decodeUnknownSync(SweepOrder.SweepOrder)

const first = Arbitraries.order({
  accounts: [1n, 2n, 3n, 4n, 5n, 6n],
  amounts: [100n, 1n, 2n, 90n, 1_800_000_000n, 7n, 10n],
  calldata: [0xde, 0xad]
})
const sample: SweepBatch.Legs = [
  { chainId: 1, order: first },
  { chainId: 10, order: { ...first, nonce: 8n } }
]

const ChainIds = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 53 - 1 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(8)
)

const types = JSON.parse(JSON.stringify(SweepBatch.TYPES)) as Record<string, Array<{ name: string; type: string }>>

describe("SweepBatch", () => {
  it.prop(
    "hashes as ethers does, from legs and from their hashes",
    [ChainIds, Arbitraries.OrderParts],
    ([chainIds, parts]) => {
      const order = Arbitraries.order(parts)
      const [head, ...tail] = chainIds.map((chainId, index) => ({
        chainId,
        order: { ...order, nonce: BigInt.asUintN(256, order.nonce + BigInt(index)) }
      }))
      if (head === undefined) throw new Error("a batch has legs")
      const legs: SweepBatch.Legs = [head, ...tail]
      const { domain, message } = SweepBatch.typedData(legs, "Service")
      expect(SweepBatch.digest(legs, "Service")).toBe(TypedDataEncoder.hash(domain, types, message))
      expect(legs.map(SweepBatch.legHash)).toEqual(
        message.legs.map((leg) => TypedDataEncoder.hashStruct("SweepLeg", types, leg))
      )
      expect(SweepBatch.batchHash(legs.map(SweepBatch.legHash))).toBe(
        TypedDataEncoder.hashStruct("SweepBatch", types, message)
      )
    }
  )

  it("has a domain without a chain, whose contract is the owner's account", () => {
    expect(SweepBatch.typedData(sample, "Service").domain).toEqual({
      name: "Service",
      version: "1",
      verifyingContract: first.owner
    })
  })

  it("changes with the name, each leg's chain and order, and the order of legs", () => {
    const [one, two] = sample
    if (two === undefined) throw new Error("the sample has two legs")
    const others: ReadonlyArray<SweepBatch.Legs> = [
      [one],
      [two, one],
      [{ ...one, chainId: 2 }, two],
      [one, { ...two, order: { ...two.order, minAmountOut: two.order.minAmountOut + 1n } }],
      [one, two, two]
    ]
    const digests = [sample, ...others].map((legs) => SweepBatch.digest(legs, "Service"))
    expect(new Set([...digests, SweepBatch.digest(sample, "Other")]).size).toBe(7)
  })

  it("is signed by one owner", () => {
    const [one] = sample
    expect(SweepBatch.hasOneOwner(sample)).toBe(true)
    const foreign = { ...one, order: { ...one.order, owner: Arbitraries.address(9n) } }
    expect(SweepBatch.hasOneOwner([one, foreign])).toBe(false)
  })
})

describe("the vectors of batches", () => {
  it.each(vectors.batches)("$name", async (vector) => {
    const [head, ...tail] = vector.legs.map(({ chainId, order }) => ({ chainId, order: decodeOrder(order) }))
    if (head === undefined) throw new Error("a batch has legs")
    const legs: SweepBatch.Legs = [head, ...tail]
    expect(legs.map(SweepBatch.legHash)).toEqual(vector.legHashes)
    expect(SweepBatch.batchHash(legs.map(SweepBatch.legHash))).toBe(vector.structHash)
    expect(SweepBatch.digest(legs, vector.domain.name)).toBe(vector.digest)
    const signer = await recoverAddress({
      hash: SweepBatch.digest(legs, vector.domain.name),
      signature: vector.signature as `0x${string}`
    })
    expect(signer).toBe(vector.domain.verifyingContract)
  })
})
