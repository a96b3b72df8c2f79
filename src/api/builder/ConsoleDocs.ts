/** What the documentation says about the admin console's endpoints. */
import { bodyTooLarge, type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import * as Examples from "./ConsoleExamples.ts"

const invalid: ErrorRow = [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]
const notFound: ErrorRow = [404, "not found", "unknown id"]
const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]
const read: ReadonlyArray<ErrorRow> = [invalid, ...always]
const write: ReadonlyArray<ErrorRow> = [bodyTooLarge, invalid, ...always]

const endpoint = (
  summary: string,
  description: string,
  errors: ReadonlyArray<ErrorRow>,
  examples: Pick<Parameters<typeof documented>[0], "request" | "response"> = {}
) => documented({ summary, description: withErrors(description, errors), ...examples })

export const builders = endpoint(
  "List or search builders",
  "In the order of their ids. `search` finds parts of id, name and payout address in any case.",
  read,
  Examples.builders
)

export const registerBuilder = endpoint(
  "Register a builder",
  "As `POST /builders`.",
  [[409, "already_registered", "the id is taken, or the wallet already owns a builder"], ...write],
  Examples.registerBuilder
)

export const builder = endpoint(
  "One builder",
  "With the beginning of its API key and when that was last used.",
  [notFound, ...always],
  Examples.builder
)

export const patchBuilder = endpoint(
  "Change a builder",
  "Name, markup within its cap, the cap itself, payout mode, and whether it is suspended: a suspended builder's key attributes nothing, and what it earned stays owed.",
  [notFound, ...write],
  Examples.patchBuilder
)

export const builderAccruals = endpoint(
  "What a builder earned, was paid and is owed",
  "Per token and chain. Owed is negative after a paid accrual was taken back.",
  [notFound, ...always],
  Examples.builderAccruals
)

export const builderEntries = endpoint(
  "A builder's ledger entries",
  "Oldest first.",
  [notFound, ...read],
  Examples.builderEntries
)

export const reverseAccrual = endpoint(
  "Take an accrual back",
  "Adds an entry of the opposite amounts, once. For a sweep that a deep reorg removed, or one that was reported wrongly.",
  [notFound, ...write],
  Examples.reverseAccrual
)

export const payouts = endpoint("Payout batches", "Newest first.", read, Examples.payouts)

export const openPayout = endpoint(
  "Open a payout batch",
  "Claims everything owed in a token on a chain to every builder who is owed `minAmount` or more. What a batch claims is in no other batch until it fails.",
  [[409, "nothing_owed", "no builder is owed as much"], ...write],
  Examples.openPayout
)

export const payout = endpoint("One payout batch", "With its lines.", [notFound, ...always], Examples.payout)

export const payoutCsv = endpoint(
  "Export a batch as CSV",
  "One line per builder.",
  [notFound, ...always],
  Examples.payoutCsv
)

export const payoutSafe = endpoint(
  "A batch for the vault's Safe",
  "A file that the Safe's Transaction Builder imports: one transfer per builder, run as one transaction.",
  [notFound, ...always],
  Examples.payoutSafe
)

const inFlight: ErrorRow = [409, "payment_in_flight", "a recorded payment may still be mined, or was"]
const chainDown: ErrorRow = [502, "internal error", "the chain does not answer"]

export const recordPayment = endpoint(
  "Record a signed payment",
  "Before it is sent, so that whoever goes on after a crash finds it and sends the same one. The transaction must be signed by the vault's key and pay exactly this batch through Permit2, under the nonce that follows from the batch's id: whatever is signed, Permit2 lets it be paid once. Safe to repeat.",
  [
    notFound,
    [409, "payout_closed", "the batch is paid or failed"],
    [409, "payment_in_flight", "another number of payments is recorded than `known` says: read the batch again"],
    ...write
  ],
  Examples.recordPayment
)

export const markPayoutPaid = endpoint(
  "Book a batch's payment",
  "Verified on chain: the transaction succeeded, is deep enough, and transferred each line's amount from the vault to its builder. Safe to repeat.",
  [
    notFound,
    [409, "payout_closed", "the batch failed, or was paid by another transaction"],
    inFlight,
    [409, "payment_taken", "the transaction pays another batch of the same token"],
    [409, "payment_unproven", "the chain does not prove it: `reason` says why, `builderIds` whose transfer is missing"],
    ...write,
    chainDown
  ],
  Examples.markPayoutPaid
)

export const failPayout = endpoint(
  "Give a batch up",
  "Only for a batch that was not and will not be paid: what it claimed is owed again. With a recorded payment, only once the chain is past its deadline and shows that it was not mined.",
  [notFound, [409, "payout_closed", "the batch is paid"], inFlight, ...write, chainDown],
  Examples.failPayout
)

export const revenue = endpoint(
  "Protocol income",
  "By UTC day, chain and token; of the last 30 days unless `fromMs` and `toMs` say otherwise.",
  read,
  Examples.revenue
)

export const treasury = endpoint(
  "Liabilities against vault balances",
  "What builders earned, were paid and are owed, beside what the chain's vault holds; without a balance where the chain does not answer.",
  always,
  Examples.treasury
)

export const audit = endpoint("Who changed what", "Newest first.", read, Examples.audit)

export const alerts = endpoint("Standing alerts", "Critical first, then oldest first.", always, Examples.alerts)

export const clearAlert = endpoint(
  "Clear an alert",
  "It is raised again if its cause stands.",
  write,
  Examples.clearAlert
)
