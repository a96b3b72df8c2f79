/** Texts and errors of the admin console's endpoints. */
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
  "In the order of their ids. `search` matches parts of the id, name and payout address, ignoring case.",
  read,
  Examples.builders
)

export const registerBuilder = endpoint(
  "Register a builder",
  "Same as `POST /builders`.",
  [[409, "already_registered", "the id is taken, or the wallet already owns a builder"], ...write],
  Examples.registerBuilder
)

export const builder = endpoint(
  "Get a builder",
  "Includes the prefix of the API key and the time of its last use.",
  [notFound, ...always],
  Examples.builder
)

export const patchBuilder = endpoint(
  "Change a builder",
  "Changes the name, the markup within its cap, the cap, the payout mode, the suspension or the chain of a contract wallet. The key of a suspended builder attributes nothing. Amounts that it earned stay owed. A suspension, or another chain, ends the builder's sessions.",
  [notFound, ...write],
  Examples.patchBuilder
)

export const builderAccruals = endpoint(
  "Get the totals of a builder",
  "Per token and chain. `owed` is negative after a paid accrual was reversed. A line without `chainId` has accruals that are assigned to no chain.",
  [notFound, ...always],
  Examples.builderAccruals
)

export const builderEntries = endpoint(
  "List the ledger entries of a builder",
  "Oldest first.",
  [notFound, ...read],
  Examples.builderEntries
)

export const reverseAccrual = endpoint(
  "Reverse an accrual",
  "Adds one entry with the opposite amounts, for a sweep that a deep reorganization removed or that was reported wrongly.",
  [notFound, ...write],
  Examples.reverseAccrual
)

export const assignAccruals = endpoint(
  "Assign accruals to a chain",
  "Assigns all accruals of a token that were reported without a chain, with their reversals. Until then no payout includes them. With `DEFAULT_SOURCE_CHAIN`, such accruals are assigned to that chain when they are booked. An assigned accrual keeps its chain. A request assigns what it can within two seconds: while the response has `more`, repeat it. Safe to repeat.",
  write,
  Examples.assignAccruals
)

export const payouts = endpoint("List payout batches", "Newest first.", read, Examples.payouts)

export const openPayout = endpoint(
  "Open a payout batch",
  "Claims all amounts owed in one token on one chain to every builder who is owed `minAmount` or more. Leaves out the builders in `exclude`, suspended builders, and those whose payout address sanctions screening does not clear; `leftOut` names them, and their amounts stay owed. One batch claims at most 10,000 ledger entries: `more` says that the rest needs another batch. A claimed amount is in no other batch until the batch fails. An opened batch pays the addresses of its lines, also if a builder is suspended or its payout address changes later: to pay differently, give the batch up and open another.",
  [[409, "nothing_owed", "no builder who can be paid is owed the minimum amount: see `leftOut`"], ...write],
  Examples.openPayout
)

export const payout = endpoint("Get a payout batch", "Includes its lines.", [notFound, ...always], Examples.payout)

export const payoutCsv = endpoint(
  "Export a batch as CSV",
  "One line per builder.",
  [notFound, ...always],
  Examples.payoutCsv
)

const inFlight: ErrorRow = [409, "payment_in_flight", "a recorded payment was mined, or may still be"]
const chainDown: ErrorRow = [502, "internal error", "the chain does not answer"]

export const payoutSafe = endpoint(
  "Export a batch for the vault's Safe",
  "A file that the Safe's Transaction Builder imports: one transfer per builder, run as one transaction. Only of an open batch without a recorded payment that was mined or may still be: any other file would pay its amounts again.",
  [
    notFound,
    [409, "payout_closed", "the batch is paid or failed"],
    inFlight,
    [409, "restore_unreconciled", "the database was restored and not reconciled: run `./sweep reconcile`"],
    ...always,
    chainDown
  ],
  Examples.payoutSafe
)

export const recordPayment = endpoint(
  "Record a signed payment",
  "Record a payment before it is sent, so that it can be sent again after a crash. The transaction must be signed by the vault's key and pay exactly this batch through Permit2. Its Permit2 nonce is derived from the batch id, so the batch can be paid only once. Safe to repeat.",
  [
    notFound,
    [409, "payout_closed", "the batch is paid or failed"],
    [
      409,
      "payment_in_flight",
      "`known` is not the number of recorded payments: read the batch again. Or one by another signer may still be mined"
    ],
    [413, "request body too large", "the body is longer than 1 MiB"],
    ...read,
    chainDown
  ],
  Examples.recordPayment
)

export const markPayoutPaid = endpoint(
  "Book the payment of a batch",
  "Verifies on chain that the transaction succeeded, has enough confirmations, and transferred the amount of each line from the vault to its builder. Safe to repeat.",
  [
    notFound,
    [409, "payout_closed", "the batch failed, or was paid by another transaction"],
    inFlight,
    [409, "payment_taken", "the transaction pays another batch of the same token: see `batchId`, if that one is open"],
    [409, "payment_unproven", "the chain does not prove the payment: see `reason` and `builderIds`"],
    ...write,
    chainDown
  ],
  Examples.markPayoutPaid
)

export const failPayout = endpoint(
  "Give up a batch",
  "For a batch that was not and will not be paid. Its amounts are owed again. A batch with a recorded payment can be given up once the chain is past the deadline and shows that the payment was not mined.",
  [notFound, [409, "payout_closed", "the batch is paid"], inFlight, ...write, chainDown],
  Examples.failPayout
)

export const revenue = endpoint(
  "Get the protocol revenue",
  "By UTC day, chain and token. Default: the last 30 days.",
  read,
  Examples.revenue
)

export const treasury = endpoint(
  "Compare liabilities with vault balances",
  "Amounts earned, paid, owed and claimed by open batches, and the balance of the chain's vault. The balance is absent if the chain does not answer.",
  always,
  Examples.treasury
)

export const audit = endpoint(
  "Read the audit log",
  "Newest first. A record must meet every filter.",
  read,
  Examples.audit
)

export const alerts = endpoint("List standing alerts", "Critical first, then oldest first.", always, Examples.alerts)

export const clearAlert = endpoint(
  "Clear an alert",
  "The alert is raised again if its cause persists.",
  [[404, "not found", "no alert with this key stands"], ...write],
  Examples.clearAlert
)
