/** Refunds of bridged deposits that nobody filled: which payment of the bridge returns which deposits. */
import type * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"

/** A refund that a bridge owes to the owner of a sweep, on the source chain. */
export interface ExpectedRefund {
  readonly token: Address.Address
  /** In the smallest unit of the token. */
  readonly amount: bigint
  /** UNIX seconds. The bridge refunds nothing before. */
  readonly notBefore: number
}

/** A refund that was paid. */
export interface Refund {
  /** Token that was returned: the deposited one. */
  readonly token: Address.Address
  /** In the smallest unit of the token. */
  readonly amount: bigint
  readonly txHash: Hash
}

/** Token that arrived on the destination chain instead of the wanted one. */
export interface ArrivedInstead {
  readonly token: Address.Address
  /** In the smallest unit of the token. */
  readonly amount: bigint
}

/** One payment of the bridge to one account. The position identifies it. */
export interface RefundLine {
  readonly txHash: Hash
  readonly blockNumber: bigint
  /** Position of the log in its block. */
  readonly logIndex: number
  /** Position of the payment in the log. */
  readonly entry: number
  readonly token: Address.Address
  readonly account: Address.Address
  readonly amount: bigint
}

/** A deposit whose refund is looked for. */
export interface Waiting {
  /** Id of the intent. */
  readonly id: string
  readonly account: Address.Address
  readonly token: Address.Address
  readonly amount: bigint
  readonly notBefore: number
  /** First block that may have the refund. */
  readonly fromBlock: bigint
}

/** Deposits that one payment returns. Their amounts sum up to its amount. */
export interface Assignment {
  readonly line: RefundLine
  readonly ids: ReadonlyArray<string>
}

const inOrder = (a: RefundLine, b: RefundLine): number =>
  Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex || a.entry - b.entry

const byDeadline = (a: Waiting, b: Waiting): number => a.notBefore - b.notBefore || (a.id < b.id ? -1 : 1)

/** The first run of neighbours, in the order of their deadlines, whose amounts sum up to `amount`. */
const runOf = (candidates: ReadonlyArray<Waiting>, amount: bigint): ReadonlyArray<Waiting> => {
  for (let first = 0; first < candidates.length; first++) {
    let sum = 0n
    for (let end = first; end < candidates.length && sum < amount; end++) {
      sum += candidates[end]?.amount ?? 0n
      if (sum === amount) return candidates.slice(first, end + 1)
    }
  }
  return []
}

/**
 * Assigns payments to deposits. A payment that equals one deposit returns that one. Otherwise it may return several deposits of the
 * same account and token, since bridges pay an account once for each token and period. Each payment is assigned completely or not
 * at all, and each deposit at most once.
 */
export const assign = (
  waiting: ReadonlyArray<Waiting>,
  lines: ReadonlyArray<RefundLine>
): ReadonlyArray<Assignment> => {
  const open = new Map(waiting.map((each) => [each.id, each]))
  const assignments: Array<Assignment> = []
  for (const line of lines.toSorted(inOrder)) {
    if (line.amount <= 0n) continue
    const candidates = Array.from(open.values())
      .filter(
        ({ account, amount, fromBlock, token }) =>
          account === line.account && token === line.token && amount > 0n && fromBlock <= line.blockNumber
      )
      .toSorted(byDeadline)
    const single = candidates.find(({ amount }) => amount === line.amount)
    const ids = (single === undefined ? runOf(candidates, line.amount) : [single]).map(({ id }) => id)
    if (ids.length === 0) continue
    for (const id of ids) open.delete(id)
    assignments.push({ line, ids })
  }
  return assignments
}
