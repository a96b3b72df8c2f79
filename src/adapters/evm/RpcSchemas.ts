/** The answers of a node, as the execution JSON-RPC API defines them, decoded to what the `Chains` port speaks. */
import { Effect, Schema, SchemaTransformation } from "effect"
import { zeroHash } from "viem"
import * as Address from "../../domain/Address.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import type { Block, Log, Receipt, SimulatedCall } from "../../ports/Chains.ts"

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
  gasLimit: Quantity
})

/** A pending block of geth has no hash yet; the zero hash stands for it and equals that of no block. */
export const block = (rpc: typeof RpcBlock.Type): Block => ({
  number: rpc.number,
  hash: rpc.hash ?? zeroHash,
  parentHash: rpc.parentHash,
  timestamp: rpc.timestamp,
  baseFeePerGas: rpc.baseFeePerGas ?? 0n,
  gasLimit: rpc.gasLimit
})

export const RpcLog = Schema.Struct({
  address: Address.Address,
  topics: Schema.Array(Hash),
  data: Hex,
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
  logIndex: Quantity,
  removed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})

export const log = (rpc: typeof RpcLog.Type): Log => ({
  address: rpc.address,
  topics: rpc.topics,
  data: rpc.data,
  blockNumber: rpc.blockNumber,
  blockHash: rpc.blockHash,
  transactionHash: rpc.transactionHash,
  logIndex: Number(rpc.logIndex)
})

export const RpcReceipt = Schema.Struct({
  transactionHash: Hash,
  blockNumber: Quantity,
  blockHash: Hash,
  status: Schema.Literals(["0x0", "0x1"]),
  gasUsed: Quantity,
  effectiveGasPrice: Quantity,
  logs: Schema.Array(RpcLog)
})

export const receipt = (rpc: typeof RpcReceipt.Type): Receipt => ({
  ...rpc,
  status: rpc.status === "0x1" ? "success" : "reverted",
  logs: rpc.logs.map(log)
})

const RpcSimulatedCall = Schema.Struct({
  status: Schema.Literals(["0x0", "0x1"]),
  returnData: Hex,
  gasUsed: Quantity,
  logs: Schema.Array(Schema.Struct({ address: Address.Address, topics: Schema.Array(Hash), data: Hex }))
})

/** One simulated block: the only one that is ever asked for. */
export const RpcSimulation = Schema.Tuple([Schema.Struct({ calls: Schema.Array(RpcSimulatedCall) })])

export const simulatedCall = (rpc: typeof RpcSimulatedCall.Type): SimulatedCall => ({
  success: rpc.status === "0x1",
  returnData: rpc.returnData,
  gasUsed: rpc.gasUsed,
  logs: rpc.logs
})

export const RpcFeeHistory = Schema.Struct({
  /** One more than the blocks asked for: the last is the next block's. */
  baseFeePerGas: Schema.NonEmptyArray(Quantity),
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity))))
})
