/** Decodes accounts, receipts and logs in a node's answers, as the execution JSON-RPC API defines them. */
import { Option, Schema } from "effect"
import * as Arr from "effect/Array"
import * as Address from "../../../domain/Address.ts"
import { Hash, Hex } from "../../../domain/Hex.ts"
import type { AccountState, Log, Receipt } from "../../../ports/shared/Chains.ts"
import { Quantity } from "./Schemas.ts"

const RpcLog = Schema.Struct({
  address: Address.Address,
  topics: Schema.Array(Hash),
  data: Hex,
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
  logIndex: Quantity,
  /** True for a log that a reorganisation removed. */
  removed: Schema.optionalKey(Schema.Boolean)
})

const RpcReceipt = Schema.Struct({
  transactionHash: Hash,
  blockNumber: Quantity,
  blockHash: Hash,
  status: Schema.Literals(["0x0", "0x1"]),
  gasUsed: Quantity,
  effectiveGasPrice: Quantity,
  /** Only on OP stack chains. The last three are left out where the operator charges nothing, and the last one before Jovian. */
  l1Fee: Schema.optional(Schema.NullOr(Quantity)),
  operatorFeeScalar: Schema.optional(Schema.NullOr(Quantity)),
  operatorFeeConstant: Schema.optional(Schema.NullOr(Quantity)),
  daFootprintGasScalar: Schema.optional(Schema.NullOr(Quantity)),
  logs: Schema.Array(RpcLog)
})

const logOf = ({ logIndex, removed: _removed, ...log }: typeof RpcLog.Type): Log => ({
  ...log,
  logIndex: Number(logIndex)
})

/** Fee of an OP stack chain's operator. Isthmus scales by 10^-6, Jovian by 100. */
const operatorFee = ({
  daFootprintGasScalar,
  gasUsed,
  operatorFeeConstant,
  operatorFeeScalar
}: Pick<
  typeof RpcReceipt.Type,
  "daFootprintGasScalar" | "gasUsed" | "operatorFeeConstant" | "operatorFeeScalar"
>): bigint => {
  const scaled = gasUsed * (operatorFeeScalar ?? 0n)
  const isJovian = daFootprintGasScalar !== undefined && daFootprintGasScalar !== null
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + (operatorFeeConstant ?? 0n)
}

const receiptOf = ({
  daFootprintGasScalar,
  l1Fee,
  logs,
  operatorFeeConstant,
  operatorFeeScalar,
  status,
  ...receipt
}: typeof RpcReceipt.Type): Receipt => {
  const operator = operatorFee({
    daFootprintGasScalar,
    gasUsed: receipt.gasUsed,
    operatorFeeConstant,
    operatorFeeScalar
  })
  const dataFee = (l1Fee ?? 0n) + operator
  return {
    ...receipt,
    status: status === "0x1" ? "success" : "reverted",
    logs: logs.map(logOf),
    ...((l1Fee === undefined || l1Fee === null) && operator === 0n ? {} : { dataFee })
  }
}

const decodeReceipt = Schema.decodeUnknownOption(Schema.NullOr(RpcReceipt))
const decodeLogs = Schema.decodeUnknownOption(Schema.Array(RpcLog))
const decodeAccount = Schema.decodeUnknownOption(Schema.Tuple([Hex, Quantity]))

/** Decodes answers of `eth_getCode` and `eth_getTransactionCount` in turns. */
export const accounts = (answers: ReadonlyArray<unknown>): Option.Option<ReadonlyArray<AccountState>> =>
  Option.all(
    Arr.chunksOf(answers, 2).map((answer) =>
      Option.map(decodeAccount(answer), ([code, pendingCount]): AccountState => ({ code, pendingCount }))
    )
  )

/** Decodes `eth_getTransactionReceipt`: null when there is no receipt. */
export const receipt = (answer: unknown): Option.Option<Receipt | null> =>
  Option.map(decodeReceipt(answer), (read) => (read === null ? null : receiptOf(read)))

/** Decodes `eth_getLogs`, without logs that a reorganisation removed. */
export const logs = (answer: unknown): Option.Option<ReadonlyArray<Log>> =>
  Option.map(decodeLogs(answer), (read) => read.filter(({ removed }) => removed !== true).map(logOf))
