/** Payout batches as text for a terminal. */
import type { Position } from "../domain/LedgerEntry.ts"
import type { LeftOut, OpenedPayout, PayoutBatch } from "../domain/Payout.ts"
import { facts, table } from "./Table.ts"

const outcome = ({ failureReason, status, txHash }: PayoutBatch): string =>
  [
    status,
    ...(txHash === undefined ? [] : [`by ${txHash}`]),
    ...(failureReason === undefined ? [] : [failureReason])
  ].join(" ")

export const asTable = (batches: ReadonlyArray<PayoutBatch>): string =>
  table(
    ["BATCH", "CHAIN", "TOKEN", "TOTAL", "BUILDERS", "OPENED", "STATUS"],
    batches.map((batch) => [
      batch.id,
      String(batch.chainId),
      batch.token,
      batch.total.toString(),
      String(batch.lines.length),
      new Date(batch.createdAtMs).toISOString().slice(0, 19),
      batch.status
    ]),
    "no batches"
  )

/** A batch with its lines. */
export const asFacts = (batch: PayoutBatch): string =>
  [
    facts([
      ["batch", batch.id],
      ["chain", String(batch.chainId)],
      ["token", batch.token],
      ["total", batch.total.toString()],
      ["status", outcome(batch)]
    ]),
    "",
    table(
      ["BUILDER", "ADDRESS", "AMOUNT"],
      batch.lines.map(({ amount, builderId, payoutAddress }) => [builderId, payoutAddress, amount.toString()])
    )
  ].join("\n")

/** Builders who are owed enough, but are not in a batch. */
export const asLeftOut = (leftOut: ReadonlyArray<LeftOut>): string =>
  [
    "left out, and still owed:",
    table(
      ["BUILDER", "ADDRESS", "AMOUNT", "REASON"],
      leftOut.map(({ amount, builderId, payoutAddress, reason }) => [
        builderId,
        payoutAddress,
        amount.toString(),
        reason
      ])
    )
  ].join("\n")

/** A part of a builder's amount is in the batch, so that the rest of it may be less than `--min-amount`. */
const REST =
  "the batch is full, and more is owed: open another one for the rest.\n" +
  "A builder whose rest is below the minimum amount is left out until it reaches it. A smaller --min-amount pays it now."

/** A batch that was opened now, and what is not in it. */
export const asOpened = ({ leftOut, more, ...batch }: OpenedPayout): string =>
  [
    asFacts(batch),
    ...(leftOut.length === 0 ? [] : ["", asLeftOut(leftOut)]),
    ...(more === undefined ? [] : ["", REST])
  ].join("\n")

/** Sums of the ledger per token and chain, with the balances of the vaults. */
export const asPositions = (positions: ReadonlyArray<Position & { readonly vaultBalance?: bigint }>): string => {
  const unassigned = positions.some(({ chainId }) => chainId === undefined)
  return [
    table(
      ["CHAIN", "TOKEN", "EARNED", "PAID", "OWED", "CLAIMED", "UNCLAIMED", "VAULT HOLDS"],
      positions.map(({ chainId, claimed, earned, owed, paid, token, unclaimed, vaultBalance }) => [
        String(chainId ?? "unassigned"),
        token,
        ...[earned, paid, owed, claimed, unclaimed].map(String),
        vaultBalance?.toString() ?? "unknown"
      ]),
      "nothing earned yet"
    ),
    ...(unassigned ? ["", UNASSIGNED] : [])
  ].join("\n")
}

const UNASSIGNED =
  "unassigned: reported without a chain. No batch pays these amounts until `sweep payouts assign` gives them one."
