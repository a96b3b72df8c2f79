import { assert, describe, it } from "@effect/vitest"
import { outcome } from "../../src/adapters/evm/chains/Refusals.ts"
import { type Account, GETH, judge, type Limits, type Pool, type Pooled, STRICT } from "./PoolRules.ts"

const LANE = "0xaa"
const OWNER = "0xbb"

const transaction = (changes: Partial<Pooled> = {}): Pooled => {
  const made: Pooled = {
    hash: "",
    sender: LANE,
    nonce: 0n,
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 10n,
    gas: 100_000n,
    value: 0n,
    size: 500,
    authorities: [],
    ...changes
  }
  const fees = `${made.maxFeePerGas}/${made.maxPriorityFeePerGas}`
  return { ...made, hash: `${made.sender} ${made.nonce} ${fees} ${made.authorities.join()}` }
}

const pool = (transactions: ReadonlyArray<Pooled> = [], accounts: Record<string, Partial<Account>> = {}): Pool => ({
  transactions,
  account: (address) => ({ nonce: 0n, balance: 10n ** 18n, hasCode: false, ...accounts[address] }),
  blockGasLimit: 30_000_000n
})

interface Case {
  readonly name: string
  readonly pool?: Pool
  readonly tx: Pooled
  readonly limits?: Limits
  /** Absent: accepted. */
  readonly refused?: string
  /** Reason by which the service knows the refusal. */
  readonly reason?: string
}

const stacked = (count: number, sender = LANE) =>
  Array.from({ length: count }, (_, nonce) => transaction({ sender, nonce: BigInt(nonce) }))

const cases: ReadonlyArray<Case> = [
  { name: "a transaction", tx: transaction() },
  { name: "one that is there", pool: pool([transaction()]), tx: transaction(), refused: "already known" },
  { name: "128 KB", tx: transaction({ size: 131_072 }) },
  {
    name: "a byte more",
    tx: transaction({ size: 131_073 }),
    refused: "oversized data: transaction size 131073, limit 131072",
    reason: "TooLarge"
  },
  {
    name: "more gas than a block",
    tx: transaction({ gas: 30_000_001n }),
    refused: "exceeds block gas limit",
    reason: "GasAboveBlock"
  },
  {
    name: "a fee cap below the tip",
    tx: transaction({ maxFeePerGas: 9n }),
    refused: "max priority fee per gas higher than max fee per gas",
    reason: "Invalid"
  },
  {
    name: "no tip",
    tx: transaction({ maxPriorityFeePerGas: 0n }),
    refused: "transaction gas price below minimum: gas tip cap 0, minimum needed 1",
    reason: "Underpriced"
  },
  {
    name: "a used nonce",
    pool: pool([], { [LANE]: { nonce: 1n } }),
    tx: transaction(),
    refused: "nonce too low: next nonce 1, tx nonce 0",
    reason: "NonceTooLow"
  },
  {
    name: "too little balance",
    pool: pool([], { [LANE]: { balance: 9_999_999n } }),
    tx: transaction(),
    refused: "insufficient funds for gas * price + value: balance 9999999, tx cost 10000000, overshot 1",
    reason: "InsufficientFunds"
  },
  {
    name: "too little balance beside the pending ones",
    pool: pool(stacked(1), { [LANE]: { balance: 19_999_999n } }),
    tx: transaction({ nonce: 1n }),
    refused:
      "insufficient funds for gas * price + value: balance 19999999, queued cost 10000000, tx cost 10000000, overshot 1",
    reason: "InsufficientFunds"
  },
  { name: "the 16th of a sender", pool: pool(stacked(15)), tx: transaction({ nonce: 15n }) },
  {
    name: "the 17th of a sender",
    pool: pool(stacked(16)),
    tx: transaction({ nonce: 16n }),
    refused: "account limit exceeded: pooled 16 txs",
    reason: "SenderFull"
  },
  {
    name: "a replacement of one of 16",
    pool: pool(stacked(16)),
    tx: transaction({ nonce: 3n, maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
  },
  {
    name: "a replacement by 9 % more of the fee cap",
    pool: pool(stacked(1)),
    tx: transaction({ maxFeePerGas: 109n, maxPriorityFeePerGas: 11n }),
    refused: "replacement transaction underpriced",
    reason: "ReplacementUnderpriced"
  },
  {
    name: "a replacement with the same tip",
    pool: pool(stacked(1)),
    tx: transaction({ maxFeePerGas: 110n }),
    refused: "replacement transaction underpriced",
    reason: "ReplacementUnderpriced"
  },
  {
    name: "a full pool",
    pool: pool(stacked(2, OWNER)),
    tx: transaction(),
    limits: { ...STRICT, slots: 2 },
    refused: "txpool is full",
    reason: "PoolFull"
  },
  { name: "an idle authority", tx: transaction({ authorities: [OWNER] }) },
  {
    name: "an authority with a pending transaction",
    pool: pool(stacked(1, OWNER)),
    tx: transaction({ authorities: ["0xcc", OWNER] }),
    refused: "authority already reserved",
    reason: "AuthorityBusy"
  },
  {
    name: "an authority with a queued transaction",
    pool: pool([transaction({ sender: OWNER, nonce: 7n })]),
    tx: transaction({ authorities: [OWNER] }),
    refused: "authority already reserved",
    reason: "AuthorityBusy"
  },
  {
    name: "an authority with one pending transaction, at geth",
    pool: pool(stacked(1, OWNER)),
    tx: transaction({ authorities: [OWNER] }),
    limits: GETH
  },
  {
    name: "an authority with two pending transactions, at geth",
    pool: pool(stacked(2, OWNER)),
    tx: transaction({ authorities: [OWNER] }),
    limits: GETH,
    refused: "authority already reserved",
    reason: "AuthorityBusy"
  },
  {
    name: "an authority of another pending transaction",
    pool: pool([transaction({ sender: "0xcc", authorities: [OWNER] })]),
    tx: transaction({ authorities: [OWNER] }),
    refused: "authority already reserved",
    reason: "AuthorityBusy"
  },
  {
    name: "an authority of another pending transaction, at geth",
    pool: pool([transaction({ sender: "0xcc", authorities: [OWNER] })]),
    tx: transaction({ authorities: [OWNER] }),
    limits: GETH
  },
  {
    name: "an authority of the transaction that it replaces",
    pool: pool([transaction({ authorities: [OWNER] })]),
    tx: transaction({ authorities: [OWNER], maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
  },
  {
    name: "the first of a delegated account",
    pool: pool([], { [OWNER]: { hasCode: true, nonce: 3n } }),
    tx: transaction({ sender: OWNER, nonce: 3n })
  },
  {
    name: "the second of a delegated account",
    pool: pool(stacked(1, OWNER), { [OWNER]: { hasCode: true } }),
    tx: transaction({ sender: OWNER, nonce: 1n }),
    refused: "in-flight transaction limit reached for delegated accounts",
    reason: "DelegatedSender"
  },
  {
    name: "the second of an account whose delegation is pending",
    pool: pool([transaction({ authorities: [OWNER] }), ...stacked(1, OWNER)]),
    tx: transaction({ sender: OWNER, nonce: 1n }),
    limits: GETH,
    refused: "in-flight transaction limit reached for delegated accounts",
    reason: "DelegatedSender"
  },
  {
    name: "a gap of a delegated account",
    pool: pool([], { [OWNER]: { hasCode: true } }),
    tx: transaction({ sender: OWNER, nonce: 1n }),
    refused: "gapped-nonce tx from delegated accounts",
    reason: "DelegatedSender"
  },
  {
    name: "a replacement of a delegated account's only one",
    pool: pool(stacked(1, OWNER), { [OWNER]: { hasCode: true } }),
    tx: transaction({ sender: OWNER, maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
  }
]

describe("the rules of a public pool", () => {
  it.each(cases)("for $name", ({ limits, pool: given = pool(), reason, refused, tx }) => {
    const verdict = judge(given, tx, limits)
    assert.strictEqual("refused" in verdict ? verdict.refused : undefined, refused)
    if (refused === undefined) return
    const known = outcome({ code: -32_000, text: refused })
    assert.strictEqual(known?._tag === "Rejected" ? known.reason : undefined, reason)
  })

  it("name the transaction that is replaced", () => {
    const before = transaction()
    const verdict = judge(pool([before]), transaction({ maxFeePerGas: 110n, maxPriorityFeePerGas: 11n }))
    assert.deepStrictEqual(verdict, { accepted: true, replaces: before })
  })
})
