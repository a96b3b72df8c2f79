/** Schemas of a node's answers, as the execution JSON-RPC API defines them. */
import { Schema, SchemaTransformation } from "effect"
import { zeroHash } from "viem"
import * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import type { Block } from "../../../ports/shared/Chains.ts"

export const Quantity = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/, { message: "expected a hex quantity" })),
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({
      decode: (text) => BigInt(text),
      encode: (value) => `0x${value.toString(16)}`
    })
  )
)

export const RpcBlock = Schema.Struct({
  number: Quantity,
  hash: Schema.NullOr(Hash),
  parentHash: Hash,
  timestamp: Quantity,
  baseFeePerGas: Schema.optionalKey(Quantity),
  gasLimit: Quantity,
  miner: Schema.optionalKey(Address.Address),
  mixHash: Schema.optionalKey(Hash)
})

/** A pending block of geth has no hash. It gets the zero hash, which no block has. */
export const block = (rpc: typeof RpcBlock.Type): Block => ({
  number: rpc.number,
  hash: rpc.hash ?? zeroHash,
  parentHash: rpc.parentHash,
  timestamp: rpc.timestamp,
  baseFeePerGas: rpc.baseFeePerGas ?? 0n,
  gasLimit: rpc.gasLimit,
  ...(rpc.miner === undefined ? {} : { coinbase: rpc.miner }),
  ...(rpc.mixHash === undefined ? {} : { randomness: rpc.mixHash })
})

export const RpcFeeHistory = Schema.Struct({
  /** One entry more than the requested blocks: the last one is that of the next block. */
  baseFeePerGas: Schema.NonEmptyArray(Quantity),
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity))))
})
