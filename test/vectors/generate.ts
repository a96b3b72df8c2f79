/**
 * Test vectors by an implementation that is neither viem's nor ours: `bun test/vectors/generate.ts` writes them with
 * ethers. The contract tests and the TypeScript tests read the same files.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { hashAuthorization, id, Signature, TypedDataEncoder, Wallet } from "ethers"

const types = {
  SweepOrder: [
    { name: "owner", type: "address" },
    { name: "tokenIn", type: "address" },
    { name: "amountIn", type: "uint256" },
    { name: "feeAmount", type: "uint256" },
    { name: "builder", type: "address" },
    { name: "builderFee", type: "uint256" },
    { name: "tokenOut", type: "address" },
    { name: "minAmountOut", type: "uint256" },
    { name: "destination", type: "address" },
    { name: "swapTarget", type: "address" },
    { name: "swapCalldata", type: "bytes" },
    { name: "deadline", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "destChainId", type: "uint256" }
  ]
}

const batchTypes = {
  SweepBatch: [{ name: "legs", type: "SweepLeg[]" }],
  SweepLeg: [
    { name: "chainId", type: "uint256" },
    { name: "order", type: "SweepOrder" }
  ],
  ...types
}

const MAX = (2n ** 256n - 1n).toString()
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const ZERO = "0x0000000000000000000000000000000000000000"

/** Keys for tests only: hashes of a public sentence. */
const wallet = (label: string): Wallet => new Wallet(id(`token sweep test vector: ${label}`))

const base = {
  tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  amountIn: "1000000000",
  feeAmount: "2500000",
  builder: "0x00000000000000000000000000000000000b11d3",
  builderFee: "1000000",
  tokenOut: "0x4200000000000000000000000000000000000006",
  minAmountOut: "398000000000000000",
  destination: "0x000000000000000000000000000000000000dEaD",
  swapTarget: "0x2626664c2603336E57B271c5C0b26F421741e481",
  swapCalldata: "0x04e45aaf00000000000000000000000000000000000000000000000000000000000000ff",
  deadline: "1800000000",
  nonce: "0",
  destChainId: "8453"
}

const cases = [
  { name: "same chain", chainId: 8453, domainName: "Service", order: base },
  {
    name: "cross chain, no builder",
    chainId: 8453,
    domainName: "Service",
    order: { ...base, builder: ZERO, builderFee: "0", minAmountOut: "0", destChainId: "42161", nonce: "257" }
  },
  {
    name: "native to token, empty calldata",
    chainId: 1,
    domainName: "Service",
    order: { ...base, tokenIn: NATIVE, swapCalldata: "0x", destChainId: "1" }
  },
  {
    name: "token to native, long calldata of odd length",
    chainId: 31337,
    domainName: "Service",
    order: { ...base, tokenOut: NATIVE, swapCalldata: `0x${"c0ffee".repeat(333)}`, destChainId: "31337" }
  },
  {
    name: "largest values, other domain name",
    chainId: Number.MAX_SAFE_INTEGER,
    domainName: "Ünother Name, 25 letters",
    order: {
      ...base,
      amountIn: MAX,
      feeAmount: MAX,
      builderFee: MAX,
      minAmountOut: MAX,
      deadline: MAX,
      nonce: MAX,
      destChainId: MAX
    }
  }
]

const orders = cases.map(({ name, chainId, domainName, order }) => {
  const signer = wallet(name)
  const domain = { name: domainName, version: "1", chainId, verifyingContract: signer.address }
  const message = { owner: signer.address, ...order }
  const digest = TypedDataEncoder.hash(domain, types, message)
  const signature = signer.signingKey.sign(digest)
  return {
    name,
    privateKey: signer.privateKey,
    domain,
    order: message,
    domainSeparator: TypedDataEncoder.hashDomain(domain),
    structHash: TypedDataEncoder.hashStruct("SweepOrder", types, message),
    digest,
    signature: signature.serialized,
    compactSignature: signature.compactSerialized
  }
})

const authorizations = [
  { name: "first nonce", chainId: 8453, nonce: 0 },
  { name: "one-byte nonce", chainId: 1, nonce: 127 },
  { name: "nonce that needs a length prefix", chainId: 31337, nonce: 128 },
  { name: "large nonce and chain", chainId: Number.MAX_SAFE_INTEGER, nonce: Number.MAX_SAFE_INTEGER }
].map(({ name, chainId, nonce }) => {
  const signer = wallet(`authorization, ${name}`)
  const request = { chainId, nonce, address: "0x00000000000000000000000000000000de1e9a7e" }
  const hash = hashAuthorization(request)
  const { r, s, yParity } = Signature.from(signer.signingKey.sign(hash))
  return { name, privateKey: signer.privateKey, authority: signer.address, ...request, hash, r, s, yParity }
})

const write = (file: string, content: unknown): void =>
  writeFileSync(
    join(import.meta.dirname, file),
    `${JSON.stringify(content, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value), 2)}\n`
  )

/** Batches of the orders above, each signed by its first owner. */
const batches = [
  { name: "one leg", legs: [0], domainName: "Service" },
  { name: "three legs on three chains", legs: [0, 2, 3], domainName: "Service" },
  { name: "two legs on one chain between others", legs: [3, 0, 1, 2], domainName: "Service" },
  { name: "largest values, other domain name", legs: [4, 4], domainName: "Ünother Name, 25 letters" }
].map(({ name, legs: indices, domainName }) => {
  const signer = wallet(`batch, ${name}`)
  const legs = indices.flatMap((index) => {
    const found = cases[index]
    return found === undefined ? [] : [{ chainId: found.chainId, order: { owner: signer.address, ...found.order } }]
  })
  const domain = { name: domainName, version: "1", verifyingContract: signer.address }
  const digest = TypedDataEncoder.hash(domain, batchTypes, { legs })
  const signature = signer.signingKey.sign(digest)
  return {
    name,
    privateKey: signer.privateKey,
    domain,
    count: legs.length,
    legs,
    legHashes: legs.map((leg) => TypedDataEncoder.hashStruct("SweepLeg", batchTypes, leg)),
    domainSeparator: TypedDataEncoder.hashDomain(domain),
    structHash: TypedDataEncoder.hashStruct("SweepBatch", batchTypes, { legs }),
    digest,
    signature: signature.serialized,
    compactSignature: signature.compactSerialized
  }
})

write("sweep-batch.json", {
  typeHash: id(TypedDataEncoder.from(batchTypes).encodeType("SweepBatch")),
  count: batches.length,
  batches
})
write("sweep-order.json", {
  typeHash: id(TypedDataEncoder.from(types).encodeType("SweepOrder")),
  count: orders.length,
  orders
})
write("authorization.json", { count: authorizations.length, authorizations })
