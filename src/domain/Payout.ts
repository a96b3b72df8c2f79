/** Payout batches: what is owed in one token on one chain, paid by one transaction from the operator's vault. */
import { Schema } from "effect"
import { decodeAbiParameters, toEventSelector } from "viem"
import * as Address from "./Address.ts"
import { Sum, Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash, type Hex, size } from "./Hex.ts"
import { PayoutPayment } from "./PayoutPayment.ts"

/**
 * `open`: its entries are claimed and not yet paid. `paid`: proven by a transaction. `failed`: given up; its entries are
 * owed again. Only `open` changes.
 */
export const PayoutStatus = Schema.Literals(["open", "paid", "failed"]).annotate({ identifier: "PayoutStatus" })
export type PayoutStatus = typeof PayoutStatus.Type

/** One builder's share of a batch. */
export const PayoutLine = Schema.Struct({
  builderId: Schema.String,
  payoutAddress: Address.Address,
  amount: Uint256,
  /** How many ledger entries it settles. */
  entries: Schema.Int
}).annotate({ identifier: "PayoutLine" })
export type PayoutLine = typeof PayoutLine.Type

export const PayoutBatch = Schema.Struct({
  id: Schema.String,
  chainId: ChainId,
  token: Address.Address,
  status: PayoutStatus,
  /** Builders to whom less was owed were left out. */
  minAmount: Uint256,
  /** Sum of the lines. */
  total: Sum,
  lines: Schema.Array(PayoutLine),
  createdAtMs: Schema.Int,
  closedAtMs: Schema.optionalKey(Schema.Int),
  /** Versions of its payment that the vault's key signed, oldest first; absent without any. */
  payments: Schema.optionalKey(Schema.Array(PayoutPayment)),
  /** The transaction that paid. */
  txHash: Schema.optionalKey(Hash),
  failureReason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PayoutBatch" })
export type PayoutBatch = typeof PayoutBatch.Type

/** The sum of lines, which may exceed a uint256. */
export const total = (lines: ReadonlyArray<Pick<PayoutLine, "amount">>): bigint =>
  lines.reduce((sum, line) => sum + line.amount, 0n)

/** `keccak256("Transfer(address,address,uint256)")`, the event of ERC-20. */
const TRANSFER = /* @__PURE__ */ toEventSelector("Transfer(address,address,uint256)")

/** What of a log says that tokens moved. */
export interface TransferLog {
  readonly address: Address.Address
  readonly topics: ReadonlyArray<Hash>
  readonly data: Hex
}

const addressOfTopic = (topic: Hash): Address.Address => Address.of(`0x${topic.slice(-40)}`)

/**
 * The lines that a transaction's logs do not pay: those whose payout address did not receive the line's amount of the
 * token, or more, from the vault.
 */
export const unpaidLines = (
  batch: Pick<PayoutBatch, "token" | "lines">,
  vault: Address.Address,
  logs: ReadonlyArray<TransferLog>
): ReadonlyArray<PayoutLine> => {
  const received = new Map<Address.Address, bigint>()
  for (const log of logs) {
    const [event, from, to] = log.topics
    if (log.address !== batch.token || event !== TRANSFER || from === undefined || to === undefined) continue
    if (addressOfTopic(from) !== vault || size(log.data) !== 32) continue
    const [value] = decodeAbiParameters([{ type: "uint256" }], log.data)
    const recipient = addressOfTopic(to)
    received.set(recipient, (received.get(recipient) ?? 0n) + value)
  }
  return batch.lines.filter((line) => (received.get(line.payoutAddress) ?? 0n) < line.amount)
}

/** A CSV file (RFC 4180) of the batch. No field needs quoting: ids, addresses and numbers hold no special characters. */
export const toCsv = (batch: PayoutBatch): string =>
  [
    "batch_id,chain_id,token,builder_id,payout_address,amount",
    ...batch.lines.map((line) =>
      [batch.id, batch.chainId, batch.token, line.builderId, line.payoutAddress, line.amount].join(",")
    )
  ]
    .map((record) => `${record}\r\n`)
    .join("")
