/** Balances of a builder per token and chain. */
import type { AccrualsView } from "../../api/builder/AccountSchemas.ts"
import { tokenKey } from "../lib/tokenKey.ts"

/** Amounts in the token's smallest unit. */
export interface BalanceLine {
  readonly chainId: number | undefined
  readonly token: string
  /** Negative after the reversal of a paid accrual: a debt that later earnings reduce. */
  readonly owed: bigint
  readonly paid: bigint
  readonly lifetime: bigint
  /** True if no payout batch pays what is owed, since the builder's contract wallet is on another chain. */
  readonly isHeld: boolean
}

/** One line for each token and chain with an amount. A backend of an earlier release sends no `paid`, and cannot show debts. */
export const linesOf = ({
  balances,
  lifetime,
  paid,
  walletChainId
}: typeof AccrualsView.Type): ReadonlyArray<BalanceLine> => {
  const keyed = (amounts: typeof balances) =>
    new Map(amounts.map((balance) => [tokenKey(balance.chainId, balance.token), balance]))
  const [earned, owing] = [keyed(lifetime), keyed(balances)]
  const payments = paid === undefined ? undefined : keyed(paid)
  return [...new Map([...earned, ...(payments ?? [])])].map(([key, { chainId, token }]) => {
    const total = earned.get(key)?.amount ?? 0n
    const owedNow = owing.get(key)?.amount ?? 0n
    const paidOut = payments === undefined ? total - owedNow : (payments.get(key)?.amount ?? 0n)
    const owed = total - paidOut
    const isElsewhere = walletChainId !== undefined && chainId !== undefined && chainId !== walletChainId
    return { chainId, token, owed, paid: paidOut, lifetime: total, isHeld: isElsewhere && owed > 0n }
  })
}
