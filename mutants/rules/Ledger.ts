/** Rules of the books: accruals, reversals, revenue, and payouts of what is owed. */
import type { Mutant } from "../Mutant.ts"

const ACCRUAL = "src/domain/Accrual.ts"
const ENTRY = "src/domain/LedgerEntry.ts"
const LEDGER = "src/adapters/sql/builder/Ledger.ts"
const PAYOUT = "src/domain/Payout.ts"
const PAYOUTS = "src/adapters/sql/builder/Payouts.ts"
const OPENING = "src/adapters/sql/builder/PayoutOpening.ts"
const CHAINLESS = "migrations/builder/0025_chainless.ts"
const PAYABLE = "migrations/builder/0024_payable.ts"
const PLAN = "src/builder/payout/PaymentPlan.ts"

export const ledger: ReadonlyArray<Mutant> = [
  {
    name: "the builder is credited with the protocol's fee",
    file: ACCRUAL,
    text: "amount: builderFee,",
    replacement: "amount: feeAmount,",
    tests: ["test/domain/Accrual.test.ts"]
  },
  {
    name: "a fee that the vault received is booked as paid to the builder",
    file: ACCRUAL,
    text: 'attributed.payoutMode === "onchain" ?',
    replacement: 'attributed.payoutMode === "ledger" ?',
    tests: ["test/domain/Accrual.test.ts"]
  },
  {
    name: "a settlement's id does not tell its events apart",
    file: ACCRUAL,
    text: "`${txHash}_${eventIndex}`",
    replacement: "`${txHash}_${0 * eventIndex}`",
    tests: ["test/domain/Accrual.test.ts"]
  },
  {
    name: "what was paid is still owed",
    file: ENTRY,
    text: "totals.earned - totals.paid",
    replacement: "totals.earned",
    tests: ["test/domain/LedgerEntry.test.ts"]
  },
  {
    name: "a negative balance is shown as owed",
    file: ENTRY,
    text: "return value > 0n",
    replacement: "return value !== 0n",
    tests: ["test/domain/LedgerEntry.test.ts"]
  },
  {
    name: "an accrual that its sweep paid is owed again",
    file: LEDGER,
    text: "CASE WHEN ${txHash}::text IS NULL THEN 0 ELSE ${amount}::numeric END",
    replacement: "CASE WHEN ${txHash}::text IS NULL THEN 0 ELSE 0 * ${amount}::numeric END",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a reversal takes back what was earned, and not what was paid",
    file: LEDGER,
    text: "token, -earned, -paid,",
    replacement: "token, -earned, 0,",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "an accrual that was booked with another amount counts as the same",
    file: LEDGER,
    text: "AND token = ${token} AND earned = ${amount}::numeric",
    replacement: "AND token = ${token} AND ${amount}::numeric >= 0",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch claims entries of another open batch",
    file: PAYABLE,
    text: "FUNCTION builder.claim_entries() RETURNS trigger ${byKeys} AS $$\n    BEGIN",
    replacement: "FUNCTION builder.claim_entries() RETURNS trigger ${byKeys} AS $$\n    BEGIN RETURN NULL;",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch that was given up keeps its claims",
    file: PAYOUTS,
    text: "SET released = true WHERE payout_id = ${id}",
    replacement: "SET released = true WHERE payout_id = ${id} AND false",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a payment is booked without an amount",
    file: PAYOUTS,
    text: "e.token, 0, sum(e.earned - e.paid), c.payout_id",
    replacement: "e.token, 0, 0 * sum(e.earned - e.paid), c.payout_id",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a payment itself is claimed by a later batch",
    file: PAYABLE,
    text: "WHEN (NEW.kind <> 'payment' AND NEW.earned <> NEW.paid)",
    replacement: "WHEN (NEW.earned <> NEW.paid)",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch pays builders who are owed less than its minimum",
    file: OPENING,
    text: "(minAmount > 1n ? minAmount : 1n)",
    replacement: "(minAmount > 1n ? 1n : 1n)",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a payment that another batch has recorded pays this one, too",
    file: PAYOUTS,
    text: "if (recordedElsewhere.length > 0)",
    replacement: "if (recordedElsewhere.length > 1)",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch pays builders who were not chosen",
    file: OPENING,
    text: '(b.id, b.payout_address) IN (\n        SELECT payee."builderId", payee."payoutAddress"',
    replacement: 'b.payout_address IN (\n        SELECT payee."payoutAddress"',
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch pays an address that changed since it was screened",
    file: OPENING,
    text: '(b.id, b.payout_address) IN (\n        SELECT payee."builderId", payee."payoutAddress"',
    replacement: 'b.id IN (\n        SELECT payee."builderId"',
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a batch pays suspended builders",
    file: OPENING,
    text: "AND b.suspended_at IS NULL ${amongPayees",
    replacement: "AND true ${amongPayees",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "an accrual without a chain is booked on another than the default chain",
    file: LEDGER,
    text: "VALUES (${text(accrual.sweepId)}, ${defaultChainId},",
    replacement: "VALUES (${text(accrual.sweepId)}, ${defaultChainId + 1},",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "an accrual without a chain is not assigned to the default chain",
    file: LEDGER,
    text: "if (accrual.chainId !== undefined || defaultChainId === undefined)",
    replacement: "if (accrual.chainId !== undefined || defaultChainId !== -1)",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "accruals are assigned to another chain than the operator's",
    file: LEDGER,
    text: "SELECT sweep_id, ${chainId}::bigint,",
    replacement: "SELECT sweep_id, ${chainId}::bigint + 1,",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "an assignment takes accruals of other tokens",
    file: LEDGER,
    text: "FROM builder.chainless WHERE token = ${token} ORDER",
    replacement: "FROM builder.chainless WHERE ${token} <> '' ORDER",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "an assignment takes accruals that have a chain",
    file: CHAINLESS,
    text: "WHEN (NEW.kind = 'accrual' AND NEW.chain_id IS NULL)",
    replacement: "WHEN (NEW.kind = 'accrual')",
    tests: ["test/adapters/sql/builder/Payouts.test.ts"]
  },
  {
    name: "a line counts as paid with one unit less",
    file: PAYOUT,
    text: "(received.get(payoutAddress) ?? 0n) < (due.get(payoutAddress) ?? 0n)",
    replacement: "(received.get(payoutAddress) ?? 0n) + 1n < (due.get(payoutAddress) ?? 0n)",
    tests: ["test/domain/Payout.test.ts"]
  },
  {
    name: "a transfer from anybody pays a line",
    file: PAYOUT,
    text: "if (transfer?.from !== vault) continue",
    replacement: "if (transfer === undefined) continue",
    tests: ["test/domain/Payout.test.ts"]
  },
  {
    name: "a payment is booked one confirmation too early",
    file: PLAN,
    text: "const depth = head.number - paid.receipt.blockNumber + 1n",
    replacement: "const depth = head.number - paid.receipt.blockNumber + 2n",
    tests: ["test/builder/payout/PaymentPlan.test.ts"]
  },
  {
    name: "a batch is paid that the vault cannot cover",
    file: PLAN,
    text: "if (seen.balance < seen.total)",
    replacement: "if (seen.balance + 1n < seen.total)",
    tests: ["test/builder/payout/PaymentPlan.test.ts"]
  },
  {
    name: "a batch is paid again though its Permit2 nonce is spent",
    file: PLAN,
    text: 'if (seen.isSpent) return seen.isSpentConfirmed || versions.length === 0 ? { _tag: "Stray" } : { _tag: "Wait" }',
    replacement: "",
    tests: ["test/builder/payout/PaymentPlan.test.ts"]
  }
]
