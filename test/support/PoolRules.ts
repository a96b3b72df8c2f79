/**
 * Rules by which a public node takes a transaction into its pool: those of geth's `ValidateTransaction`, of its `legacypool` and
 * of `validateAuth` there, in their order and with their error texts. Pure: the pool and the accounts are given.
 */

/** A transaction as a pool knows it. Addresses are lower-case. */
export interface Pooled {
  readonly hash: string
  readonly sender: string
  readonly nonce: bigint
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Wei per gas. */
  readonly maxPriorityFeePerGas: bigint
  readonly gas: bigint
  /** Wei. */
  readonly value: bigint
  /** Length of the signed bytes. */
  readonly size: number
  /** Accounts whose authorizations it carries. */
  readonly authorities: ReadonlyArray<string>
}

/** An account in the latest block. */
export interface Account {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** True if it has code, as a delegated account does. */
  readonly hasCode: boolean
}

export interface Pool {
  readonly transactions: ReadonlyArray<Pooled>
  readonly account: (address: string) => Account
  readonly blockGasLimit: bigint
}

export interface Limits {
  /** Bytes of a transaction. */
  readonly size: number
  /** Transactions of one sender. */
  readonly accountSlots: number
  /** Transactions of the whole pool. */
  readonly slots: number
  /** Percent by which a replacement raises both fees. */
  readonly priceBump: bigint
  /** Lowest tip in wei per gas. */
  readonly tip: bigint
  /** Pending transactions that an authority may have of its own. */
  readonly ownOfAuthority: number
  /** True if an authority may be in several pending transactions. */
  readonly sharesAuthorities: boolean
}

/**
 * The strictest that public nodes are. Nethermind takes an authorization only of an account without pending transactions. Geth
 * lets the account have one, and lets transactions share an authority.
 */
export const STRICT: Limits = {
  size: 131_072,
  accountSlots: 16,
  slots: 5_120,
  priceBump: 10n,
  tip: 1n,
  ownOfAuthority: 0,
  sharesAuthorities: false
}

export const GETH: Limits = { ...STRICT, ownOfAuthority: 1, sharesAuthorities: true }

/** The pool's answer: the transaction that it replaces, if any, or the error text. */
export type Verdict = { readonly accepted: true; readonly replaces?: Pooled } | { readonly refused: string }

const refused = (text: string): Verdict => ({ refused: text })

const costOf = ({ gas, maxFeePerGas, value }: Pooled): bigint => gas * maxFeePerGas + value

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)

/** Checks that need no account. */
const ofItself = (pool: Pool, tx: Pooled, limits: Limits): string | undefined => {
  if (pool.transactions.some(({ hash }) => hash === tx.hash)) return "already known"
  if (tx.size > limits.size) return `oversized data: transaction size ${tx.size}, limit ${limits.size}`
  if (tx.gas > pool.blockGasLimit) return "exceeds block gas limit"
  if (tx.maxFeePerGas < tx.maxPriorityFeePerGas) return "max priority fee per gas higher than max fee per gas"
  return tx.maxPriorityFeePerGas < limits.tip
    ? `transaction gas price below minimum: gas tip cap ${tx.maxPriorityFeePerGas}, minimum needed ${limits.tip}`
    : undefined
}

/** Checks of the sender's nonce, balance and slots. */
const ofSender = (pool: Pool, tx: Pooled, own: ReadonlyArray<Pooled>, limits: Limits): string | undefined => {
  const { balance, nonce } = pool.account(tx.sender)
  if (tx.nonce < nonce) return `nonce too low: next nonce ${nonce}, tx nonce ${tx.nonce}`
  const cost = costOf(tx)
  const funds = "insufficient funds for gas * price + value"
  if (balance < cost) return `${funds}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
  const queued = sum(own.filter((each) => each.nonce !== tx.nonce).map(costOf))
  if (balance < queued + cost) {
    return `${funds}: balance ${balance}, queued cost ${queued}, tx cost ${cost}, overshot ${queued + cost - balance}`
  }
  const isNew = own.every((each) => each.nonce !== tx.nonce)
  return isNew && own.length >= limits.accountSlots ? `account limit exceeded: pooled ${own.length} txs` : undefined
}

/** Nonces that follow each other from the account's next one are executable; the others are queued. */
const executable = (own: ReadonlyArray<Pooled>, next: bigint): ReadonlyArray<Pooled> => {
  const nonces = new Set(own.map(({ nonce }) => nonce))
  let end = next
  while (nonces.has(end)) end += 1n
  return own.filter(({ nonce }) => nonce >= next && nonce < end)
}

/** Geth's `checkDelegationLimit` and `validateAuth`. */
const ofDelegations = (pool: Pool, tx: Pooled, own: ReadonlyArray<Pooled>, limits: Limits): string | undefined => {
  const { hasCode, nonce } = pool.account(tx.sender)
  if (hasCode || pool.transactions.some(({ authorities }) => authorities.includes(tx.sender))) {
    const pending = executable(own, nonce)
    if (pending.length === 0 && tx.nonce !== nonce) return "gapped-nonce tx from delegated accounts"
    if (pending.length > 0 && pending.every((each) => each.nonce !== tx.nonce)) {
      return "in-flight transaction limit reached for delegated accounts"
    }
  }
  const isReserved = (authority: string): boolean => {
    const others = pool.transactions.filter((each) => each.sender !== tx.sender || each.nonce !== tx.nonce)
    const sent = others.filter(({ sender }) => sender === authority).length
    return (
      sent > limits.ownOfAuthority ||
      (!limits.sharesAuthorities && others.some(({ authorities }) => authorities.includes(authority)))
    )
  }
  return tx.authorities.some(isReserved) ? "authority already reserved" : undefined
}

/** Judges a transaction as a node would that has this pool. */
export const judge = (pool: Pool, tx: Pooled, limits: Limits = STRICT): Verdict => {
  const own = pool.transactions.filter(({ sender }) => sender === tx.sender)
  const objection =
    ofItself(pool, tx, limits) ?? ofSender(pool, tx, own, limits) ?? ofDelegations(pool, tx, own, limits)
  if (objection !== undefined) return refused(objection)
  const replaces = own.find(({ nonce }) => nonce === tx.nonce)
  if (replaces === undefined) {
    return pool.transactions.length >= limits.slots ? refused("txpool is full") : { accepted: true }
  }
  const isRaised = (fee: bigint, before: bigint): boolean =>
    fee > before && 100n * fee >= (100n + limits.priceBump) * before
  return isRaised(tx.maxFeePerGas, replaces.maxFeePerGas) &&
    isRaised(tx.maxPriorityFeePerGas, replaces.maxPriorityFeePerGas)
    ? { accepted: true, replaces }
    : refused("replacement transaction underpriced")
}
