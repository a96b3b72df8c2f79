/**
 * Decodes accounts, receipts, logs and simulated calls in a node's answers. A batch of sweeps has hundreds of logs, and each is
 * read twice: in the simulation and in the receipt. So these answers are checked by hand (`./sweep bench codecs`), and all other
 * answers by the schemas of `rpc/Schemas.ts`.
 */
import { Option } from "effect"
import * as Arr from "effect/Array"
import * as Address from "../../../domain/Address.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { AccountState, Log, Receipt, SimulatedCall } from "../../../ports/shared/Chains.ts"

const HASH = /^0x[0-9a-fA-F]{64}$/
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** Aborts decoding. The exported functions turn the exception into none. */
const malformed = (): never => {
  throw new TypeError("a malformed answer")
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : malformed())
const listOf = (value: unknown): ReadonlyArray<unknown> => (isList(value) ? value : malformed())
const textOf = (value: unknown, pattern: RegExp): string =>
  typeof value === "string" && pattern.test(value) ? value : malformed()
const hashOf = (value: unknown): Hash => textOf(value, HASH) as Hash
const bytesOf = (value: unknown): Hex => textOf(value, BYTES) as Hex
const quantityOf = (value: unknown): bigint => BigInt(textOf(value, QUANTITY))
const addressOf = (value: unknown): Address.Address => Address.of(textOf(value, ADDRESS))
const isSuccess = (value: unknown): boolean => value === "0x1" || (value === "0x0" ? false : malformed())

const eventOf = ({ address, data, topics }: Fields): Pick<Log, "address" | "topics" | "data"> => ({
  address: addressOf(address),
  topics: listOf(topics).map(hashOf),
  data: bytesOf(data)
})

const logOf = (fields: Fields): Log => ({
  ...eventOf(fields),
  blockNumber: quantityOf(fields["blockNumber"]),
  blockHash: hashOf(fields["blockHash"]),
  transactionHash: hashOf(fields["transactionHash"]),
  logIndex: Number(quantityOf(fields["logIndex"]))
})

const receiptOf = (fields: Fields): Receipt => ({
  transactionHash: hashOf(fields["transactionHash"]),
  blockNumber: quantityOf(fields["blockNumber"]),
  blockHash: hashOf(fields["blockHash"]),
  status: isSuccess(fields["status"]) ? "success" : "reverted",
  gasUsed: quantityOf(fields["gasUsed"]),
  effectiveGasPrice: quantityOf(fields["effectiveGasPrice"]),
  ...(fields["l1Fee"] === undefined || fields["l1Fee"] === null ? {} : { dataFee: quantityOf(fields["l1Fee"]) }),
  logs: listOf(fields["logs"]).map((each) => logOf(fieldsOf(each)))
})

const simulatedCallOf = (fields: Fields): SimulatedCall => ({
  success: isSuccess(fields["status"]),
  returnData: bytesOf(fields["returnData"]),
  gasUsed: quantityOf(fields["gasUsed"]),
  logs: listOf(fields["logs"]).map((each) => eventOf(fieldsOf(each)))
})

/** Decodes answers of `eth_getCode` and `eth_getTransactionCount` in turns. */
export const accounts = Option.liftThrowable((answers: ReadonlyArray<unknown>): ReadonlyArray<AccountState> =>
  Arr.chunksOf(answers, 2).map(([code, count]) => ({ code: bytesOf(code), pendingCount: quantityOf(count) }))
)

/** Decodes `eth_getTransactionReceipt`: null when there is no receipt. */
export const receipt = Option.liftThrowable((answer: unknown): Receipt | null =>
  answer === null ? null : receiptOf(fieldsOf(answer))
)

/** Decodes `eth_getLogs`, without logs that a reorganisation removed. */
export const logs = Option.liftThrowable((answer: unknown): ReadonlyArray<Log> =>
  listOf(answer)
    .map(fieldsOf)
    .filter(({ removed }) => removed !== true)
    .map(logOf)
)

/** Decodes `eth_simulateV1` with exactly one block. */
export const simulation = Option.liftThrowable((answer: unknown): ReadonlyArray<SimulatedCall> => {
  const [block, ...others] = listOf(answer)
  if (others.length > 0) return malformed()
  return listOf(fieldsOf(block)["calls"]).map((each) => simulatedCallOf(fieldsOf(each)))
})
