/** The result of `./sweep reconcile`, for programs and for people. */
import { Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import { Sum, Uint256 } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { Hash } from "../../domain/Hex.ts"
import { table } from "../Table.ts"

/** A transfer of a vault, by transaction and token. `moved`: to another vault. `unknown`: nothing explains it. */
const Payment = Schema.Struct({
  chainId: ChainId,
  txHash: Hash,
  token: Address.Address,
  outcome: Schema.Literals(["booked", "explained", "moved", "open_batch", "lost_batch", "unknown"]),
  batchId: Schema.optionalKey(Schema.String),
  recipients: Schema.Array(
    Schema.Struct({
      address: Address.Address,
      amount: Sum,
      builderId: Schema.optionalKey(Schema.String),
      /** Unclaimed amount that the builder is owed. Only for unknown payments. */
      owed: Schema.optionalKey(Schema.BigIntFromString)
    })
  )
})

/** A settlement that the books did not have. */
const Sweep = Schema.Struct({
  chainId: ChainId,
  sweepId: Schema.String,
  token: Address.Address,
  feeAmount: Uint256,
  builderFee: Uint256,
  /** Absent if no builder earned a fee, or if it is not assigned. */
  builderId: Schema.optionalKey(Schema.String)
})

const Unassigned = Schema.Struct({
  sweepId: Schema.String,
  chainId: ChainId,
  token: Address.Address,
  amount: Uint256,
  recipient: Address.Address,
  paid: Schema.Boolean
})

const Transaction = Schema.Struct({
  chainId: ChainId,
  hash: Hash,
  lane: Address.Address,
  nonce: Schema.BigIntFromString,
  wei: Uint256
})

/** Sums that the treasury's books lack, since the database forgot the intents. Nothing books them later. */
const Treasury = Schema.Struct({
  chainId: ChainId,
  token: Address.Address,
  collected: Sum,
  sold: Sum
})

const Open = Schema.Struct({
  /** True if builders are not paid before it is settled. */
  stopsPayouts: Schema.Boolean,
  text: Schema.String
})
export type Open = typeof Open.Type

export const Report = Schema.Struct({
  restoredToMs: Schema.Int,
  dryRun: Schema.Boolean,
  /** True if payouts are possible after the run. False for a dry run. */
  reconciled: Schema.Boolean,
  payments: Schema.Array(Payment),
  sweeps: Schema.Array(Sweep),
  treasury: Schema.Array(Treasury),
  unassigned: Schema.Array(Unassigned),
  transactions: Schema.Array(Transaction),
  open: Schema.Array(Open)
})
export type Report = typeof Report.Type

const OUTCOMES: Readonly<Record<Report["payments"][number]["outcome"], string>> = {
  booked: "was booked",
  explained: "explained by the operator",
  moved: "moved to another vault",
  open_batch: "pays an open batch",
  lost_batch: "pays a forgotten batch",
  unknown: "UNKNOWN"
}

const paymentRows = ({ payments }: Report) =>
  payments.flatMap(({ batchId, chainId, outcome, recipients, token, txHash }) =>
    recipients.map(({ address, amount, builderId }) => [
      String(chainId),
      txHash,
      token,
      builderId ?? address,
      String(amount),
      OUTCOMES[outcome],
      batchId ?? "–"
    ])
  )

const sweepRows = ({ sweeps }: Report) =>
  sweeps.map(({ builderFee, builderId, chainId, feeAmount, sweepId, token }) => [
    String(chainId),
    sweepId,
    token,
    String(feeAmount),
    String(builderFee),
    builderId ?? "–"
  ])

const unassignedRows = ({ unassigned }: Report) =>
  unassigned.map(({ amount, chainId, paid, recipient, sweepId, token }) => [
    String(chainId),
    sweepId,
    token,
    String(amount),
    paid ? `paid to ${recipient}` : "in the vault"
  ])

const treasuryRows = ({ treasury }: Report) =>
  treasury.map(({ chainId, collected, sold, token }) => [String(chainId), token, String(collected), String(sold)])

const transactionRows = ({ transactions }: Report) =>
  transactions.map(({ chainId, hash, lane, nonce, wei }) => [String(chainId), hash, lane, String(nonce), String(wei)])

const ending = ({ dryRun, open, reconciled }: Report): string => {
  if (dryRun) return "dry run: nothing was booked"
  if (!reconciled) return "not reconciled: builders are not paid before the items above are settled"
  return open.length === 0
    ? "reconciled: payouts are possible"
    : "reconciled: payouts are possible, but the items above remain"
}

/** The report as tables. Lists only what the books did not have. */
export const shown = (report: Report): string =>
  [
    `restored to ${new Date(report.restoredToMs).toISOString()}`,
    `payments of the vaults\n${table(["CHAIN", "TRANSACTION", "TOKEN", "TO", "AMOUNT", "OUTCOME", "BATCH"], paymentRows(report))}`,
    `forgotten sweeps\n${table(["CHAIN", "SWEEP", "TOKEN", "FEE", "BUILDER FEE", "BUILDER"], sweepRows(report))}`,
    `not in the treasury's books\n${table(["CHAIN", "TOKEN", "COLLECTED", "SOLD"], treasuryRows(report))}`,
    `builder fees to assign\n${table(["CHAIN", "SWEEP", "TOKEN", "AMOUNT", "STATE"], unassignedRows(report))}`,
    `forgotten transactions of lanes\n${table(["CHAIN", "TRANSACTION", "LANE", "NONCE", "WEI"], transactionRows(report))}`,
    `open\n${report.open.length === 0 ? "none" : report.open.map(({ text }) => `- ${text}`).join("\n")}`,
    ending(report)
  ].join("\n\n")
