import { describe, expect, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { TypedDataEncoder } from "ethers"
import { encodeAbiParameters, hashTypedData, keccak256, stringToHex } from "viem"
import { MAX_UINT256 } from "../../src/domain/Amount.ts"
import * as SweepOrder from "../../src/domain/SweepOrder.ts"
import vectors from "../vectors/sweep-order.json"
import * as Arbitraries from "./Arbitraries.ts"

/** The signing order as the spec's table gives it. */
const SPEC: ReadonlyArray<readonly [string, "address" | "uint256" | "bytes"]> = [
  ["owner", "address"],
  ["tokenIn", "address"],
  ["amountIn", "uint256"],
  ["feeAmount", "uint256"],
  ["builder", "address"],
  ["builderFee", "uint256"],
  ["tokenOut", "address"],
  ["minAmountOut", "uint256"],
  ["destination", "address"],
  ["swapTarget", "address"],
  ["swapCalldata", "bytes"],
  ["deadline", "uint256"],
  ["nonce", "uint256"],
  ["destChainId", "uint256"]
]

const domain: SweepOrder.SigningDomain = { name: SweepOrder.DEFAULT_DOMAIN_NAME, chainId: 8453 }
const sample = Arbitraries.order({
  accounts: [1n, 2n, 3n, 4n, 5n, 6n],
  amounts: [100n, 1n, 2n, 90n, 1_800_000_000n, 7n, 10n],
  calldata: [0xde, 0xad, 0xbe, 0xef]
})

/** The digest by hand, straight from EIP-712. */
const byHand = (order: SweepOrder.SweepOrder, { chainId, name }: SweepOrder.SigningDomain) => {
  const typeHash = keccak256(stringToHex(`SweepOrder(${SPEC.map(([field, type]) => `${type} ${field}`).join(",")})`))
  const structHash = keccak256(
    encodeAbiParameters(
      [{ type: "bytes32" }, ...SPEC.map(([, type]) => ({ type: type === "bytes" ? "bytes32" : type }))],
      [
        typeHash,
        ...SPEC.map(([field]) => (field === "swapCalldata" ? keccak256(order.swapCalldata) : Reflect.get(order, field)))
      ]
    )
  )
  const separator = keccak256(
    encodeAbiParameters(
      [{ type: "bytes32" }, { type: "bytes32" }, { type: "bytes32" }, { type: "uint256" }, { type: "address" }],
      [
        keccak256(stringToHex("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
        keccak256(stringToHex(name)),
        keccak256(stringToHex("1")),
        BigInt(chainId),
        order.owner
      ]
    )
  )
  return { digest: keccak256(`0x1901${separator.slice(2)}${structHash.slice(2)}`), structHash }
}

describe("SweepOrder", () => {
  it("has the spec's fields, in the spec's order, on the wire and in the EIP-712 type", () => {
    expect(SweepOrder.TYPES.SweepOrder.map(({ name, type }) => [name, type])).toEqual(SPEC)
    expect(Object.keys(SweepOrder.SweepOrder.fields)).toEqual(SPEC.map(([field]) => field))
    expect(Object.keys(Schema.encodeSync(SweepOrder.SweepOrder)(sample))).toEqual(SPEC.map(([field]) => field))
  })

  it("is all strings on the wire", () => {
    for (const value of Object.values(Schema.encodeSync(SweepOrder.SweepOrder)(sample))) {
      expect(typeof value).toBe("string")
    }
  })

  it("does without no field, and takes no value that is not of its type", () => {
    const decode = Schema.decodeUnknownExit(SweepOrder.SweepOrder)
    const wire = Schema.encodeSync(SweepOrder.SweepOrder)(sample)
    const bad = { address: "0x12", uint256: (MAX_UINT256 + 1n).toString(), bytes: "0xabc" }
    expect(Exit.isSuccess(decode(wire))).toBe(true)
    for (const [field, type] of SPEC) {
      expect(Exit.isFailure(decode({ ...wire, [field]: undefined })), field).toBe(true)
      expect(Exit.isFailure(decode({ ...wire, [field]: bad[type] })), field).toBe(true)
    }
  })

  it.prop("survives the wire", [Arbitraries.OrderParts], ([parts]) => {
    const order = Arbitraries.order(parts)
    const wire: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(SweepOrder.SweepOrder)(order)))
    expect(Schema.decodeUnknownExit(SweepOrder.SweepOrder)(wire)).toEqual(Exit.succeed(order))
  })
})

describe("digest", () => {
  it.prop(
    "agrees with viem, with ethers, and with EIP-712 by hand",
    [Arbitraries.OrderParts, Arbitraries.Uint64],
    ([parts, seed]) => {
      const order = Arbitraries.order(parts)
      const signing = { name: `Service ${seed}`, chainId: Number(seed % 1_000_000n) + 1 }
      const digest = SweepOrder.digest(order, signing)
      expect(digest).toBe(hashTypedData(SweepOrder.typedData(order, signing)))
      const types = { SweepOrder: SweepOrder.TYPES.SweepOrder.map((field) => ({ ...field })) }
      expect(digest).toBe(TypedDataEncoder.hash(SweepOrder.typedData(order, signing).domain, types, order))
      expect({ digest, structHash: SweepOrder.structHash(order) }).toEqual(byHand(order, signing))
    }
  )

  it("changes with every field and every part of the domain", () => {
    const digests = new Set([
      SweepOrder.digest(sample, domain),
      SweepOrder.digest(sample, { ...domain, chainId: 1 }),
      SweepOrder.digest(sample, { ...domain, name: "Other" })
    ])
    const changed = { address: Arbitraries.address(99n), uint256: 99_999n, bytes: "0x" } as const
    for (const [field, type] of SPEC) digests.add(SweepOrder.digest({ ...sample, [field]: changed[type] }, domain))
    expect(digests.size).toBe(3 + SPEC.length)
  })

  it("is verified by the owner's own account, under version 1", () => {
    expect(SweepOrder.typedData(sample, domain).domain).toEqual({
      name: "Service",
      version: "1",
      chainId: 8453,
      verifyingContract: sample.owner
    })
  })
})

describe("the vectors that the contracts are tested with", () => {
  it.each(vectors.orders)("hold: $name", ({ digest, domain: signing, order: wire, structHash }) => {
    const order = Schema.decodeUnknownSync(SweepOrder.SweepOrder)(wire)
    expect(SweepOrder.digest(order, signing)).toBe(digest)
    expect(SweepOrder.structHash(order)).toBe(structHash)
    expect(SweepOrder.typedData(order, signing).domain).toEqual(signing)
  })

  it("are all there", () => {
    expect(vectors.count).toBeGreaterThan(0)
    expect(vectors.orders).toHaveLength(vectors.count)
  })
})

describe("isCrossChain", () => {
  it("compares the destination with the source", () => {
    expect(SweepOrder.isCrossChain(sample, 10)).toBe(false)
    expect(SweepOrder.isCrossChain(sample, 8453)).toBe(true)
    expect(SweepOrder.isCrossChain({ ...sample, destChainId: 2n ** 64n + 10n }, 10)).toBe(true)
  })
})
