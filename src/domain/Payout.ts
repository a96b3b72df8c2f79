/** Payout batches: everything owed in one token on one chain, paid by one transaction of the operator's vault. */
import { Schema } from "effect"
import { decodeAbiParameters, toEventSelector } from "viem"
import * as Address from "./Address.ts"
import { Sum, Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash, type Hex, size } from "./Hex.ts"
import { PayoutPayment } from "./PayoutPayment.ts"
import { described } from "./Described.ts"

/**
 * `open`: its entries are claimed and not yet paid. `paid`: proved by a transaction. `failed`: given up; its entries
 * are owed again. Only an open batch can change.
 */
export const PayoutStatus = Schema.Literals(["open", "paid", "failed"]).annotate({ identifier: "PayoutStatus" })
export type PayoutStatus = typeof PayoutStatus.Type

/** Maximum number of ledger entries in a batch. One statement claims or releases all of them within the time limit of statements. */
export const MAX_BATCH_ENTRIES = 10_000

/**
 * Maximum number of lines of a batch, which one transaction pays. A transaction has at most 16,777,216 gas (EIP-7825), which is 83,000 for
 * each line. A plain ERC-20 takes 28,000, measured with Permit2 and accounts that had none of it, so tokens of three times the gas fit.
 */
export const MAX_BATCH_LINES = 200

/** Amount for one builder. */
export const PayoutLine = Schema.Struct({
  builderId: described(Schema.String, "Builder that is paid."),
  payoutAddress: described(Address.Address, "Address that is paid."),
  amount: described(Uint256, "Amount in the smallest unit of the token."),
  entries: described(Schema.Int, "Number of ledger entries that the line settles.")
}).annotate({ identifier: "PayoutLine" })
export type PayoutLine = typeof PayoutLine.Type

/**
 * Reason why a builder who is owed enough is not in a batch. `excluded`: the operator named it. `suspended`: its account is
 * suspended. `sanctions_listed`: screening found its payout address. `screening_unavailable`: screening gave no result.
 * `wallet_chain`: its payout address is a contract wallet of another chain, and may belong to somebody else on this one. `changed`: its account, or what it is owed, changed while the batch was opened, or no part of what it is owed fits in a batch.
 */
export const LeftOutReason = Schema.Literals([
  "excluded",
  "suspended",
  "sanctions_listed",
  "screening_unavailable",
  "wallet_chain",
  "changed"
]).annotate({ identifier: "LeftOutReason" })
export type LeftOutReason = typeof LeftOutReason.Type

/** Builder who is owed enough, but is not in the batch. The amount stays owed. */
export const LeftOut = Schema.Struct({
  builderId: described(Schema.String, "Builder that is not in the batch."),
  payoutAddress: described(Address.Address, "Payout address of the builder."),
  amount: described(Uint256, "Amount that stays owed, in the smallest unit of the token."),
  // A command or a page of this release shows the reasons of later ones as they are, since the batch is open by then.
  reason: described(
    Schema.Union([LeftOutReason, Schema.String]),
    "Reason why the builder is not in the batch. Later releases may add reasons."
  )
}).annotate({ identifier: "LeftOut" })
export type LeftOut = typeof LeftOut.Type

export const PayoutBatch = Schema.Struct({
  id: described(Schema.String, "Identifier of the batch."),
  chainId: described(ChainId, "Chain on which the batch is paid."),
  token: described(Address.Address, "Token in which the batch is paid."),
  status: described(PayoutStatus, "State of the batch."),
  minAmount: described(Uint256, "Builders who were owed less than this amount were left out."),
  total: described(Sum, "Sum of the lines."),
  lines: described(Schema.Array(PayoutLine), "Share of each builder."),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the batch was opened."),
  closedAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds when the batch was paid or given up. Absent while it is open."
  ),
  payments: described(
    Schema.optionalKey(Schema.Array(PayoutPayment)),
    "Versions of the payment that the vault signed, oldest first. Absent if there are none."
  ),
  txHash: described(Schema.optionalKey(Hash), "Transaction that paid the batch. Absent until it is paid."),
  failureReason: described(Schema.optionalKey(Schema.String), "Reason that the operator gave for giving up the batch.")
}).annotate({ identifier: "PayoutBatch" })
export type PayoutBatch = typeof PayoutBatch.Type

/** A batch that was opened now, with the builders who are not in it. */
export const OpenedPayout = Schema.Struct({
  ...PayoutBatch.fields,
  more: described(
    Schema.optionalKey(Schema.Literal(true)),
    "True if more is owed to builders who can be paid than one batch claims. Open another batch for it. Absent otherwise."
  ),
  leftOut: described(
    Schema.Array(LeftOut),
    "Builders who are owed the minimum amount, but are not in the batch, by builder id."
  )
}).annotate({ identifier: "OpenedPayout" })
export type OpenedPayout = typeof OpenedPayout.Type

/** Sum of the lines. May exceed a uint256. */
export const total = (lines: ReadonlyArray<Pick<PayoutLine, "amount">>): bigint =>
  lines.reduce((sum, line) => sum + line.amount, 0n)

/** `keccak256("Transfer(address,address,uint256)")`, the event of ERC-20. */
export const TRANSFER = /* @__PURE__ */ toEventSelector("Transfer(address,address,uint256)")

/** Fields of a log that show a transfer. */
export interface TransferLog {
  readonly address: Address.Address
  readonly topics: ReadonlyArray<Hash>
  readonly data: Hex
}

const addressOfTopic = (topic: Hash): Address.Address => Address.of(`0x${topic.slice(-40)}`)

/** Transfer of a token that a log shows; undefined for any other log. */
export const transferOf = (
  log: TransferLog
): { readonly from: Address.Address; readonly to: Address.Address; readonly value: bigint } | undefined => {
  const [event, from, to] = log.topics
  if (event !== TRANSFER || from === undefined || to === undefined || size(log.data) !== 32) return undefined
  const [value] = decodeAbiParameters([{ type: "uint256" }], log.data)
  return { from: addressOfTopic(from), to: addressOfTopic(to), value }
}

/**
 * Lines that a transaction's logs do not pay: their payout address received less of the token from the vault than the sum
 * of its lines. Builders can share a payout address; if it received too little, all of its lines are unpaid.
 */
export const unpaidLines = (
  batch: Pick<PayoutBatch, "token" | "lines">,
  vault: Address.Address,
  logs: ReadonlyArray<TransferLog>
): ReadonlyArray<PayoutLine> => {
  const received = new Map<Address.Address, bigint>()
  for (const log of logs) {
    const transfer = log.address === batch.token ? transferOf(log) : undefined
    if (transfer?.from !== vault) continue
    received.set(transfer.to, (received.get(transfer.to) ?? 0n) + transfer.value)
  }
  const due = new Map<Address.Address, bigint>()
  for (const { amount, payoutAddress } of batch.lines) due.set(payoutAddress, (due.get(payoutAddress) ?? 0n) + amount)
  return batch.lines.filter(({ payoutAddress }) => (received.get(payoutAddress) ?? 0n) < (due.get(payoutAddress) ?? 0n))
}

/** True if the vault's transfers of the token in these logs pay every line of the batch, and nothing else. */
export const paysExactly = (
  batch: Pick<PayoutBatch, "token" | "lines">,
  vault: Address.Address,
  logs: ReadonlyArray<TransferLog>
): boolean => {
  const sent = logs.map((log) => (log.address === batch.token ? transferOf(log) : undefined))
  const amount = sent.reduce((sum, transfer) => sum + (transfer?.from === vault ? transfer.value : 0n), 0n)
  return amount === total(batch.lines) && unpaidLines(batch, vault, logs).length === 0
}

/** The batch as CSV (RFC 4180). Ids, addresses and numbers contain no special characters, so no field is quoted. */
export const toCsv = (batch: PayoutBatch): string =>
  [
    "batch_id,chain_id,token,builder_id,payout_address,amount",
    ...batch.lines.map((line) =>
      [batch.id, batch.chainId, batch.token, line.builderId, line.payoutAddress, line.amount].join(",")
    )
  ]
    .map((record) => `${record}\r\n`)
    .join("")
