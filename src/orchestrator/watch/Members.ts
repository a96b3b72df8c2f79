/** Keeps the sweeps of transactions until these end. */
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Finished } from "./Booking.ts"
import * as PerTransaction from "./PerTransaction.ts"

type Member = Pick<Finished, "intent" | "isSettled">

/**
 * Sweeps of transactions that are not concluded yet: those that are decided leave their transaction while it waits for others, and their
 * part of its cost is booked with it.
 */
export const make = () => {
  /** By the transaction's id, then by the intent's. */
  const kept = PerTransaction.make<ReadonlyMap<string, Member>>()

  const of = (id: string): ReadonlyArray<Member> => [...(kept.get(id)?.values() ?? [])]

  /** Adds sweeps to those that the transaction has, in the place of earlier ones with their ids. */
  const add = (transaction: Pick<RelayTransaction, "chainId" | "id">, carried: ReadonlyArray<Member>): void => {
    const added = carried.map((member) => [member.intent.id, member] as const)
    kept.set(transaction, new Map([...(kept.get(transaction.id) ?? []), ...added]))
  }

  return { add, forget: kept.delete, of, retain: kept.retain }
}
