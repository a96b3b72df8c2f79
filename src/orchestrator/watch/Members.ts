/** Keeps the sweeps of transactions until these end. */
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Finished } from "./Booking.ts"

type Member = Pick<Finished, "intent" | "isSettled">

/**
 * Sweeps of transactions that are not concluded yet: those that are decided leave their transaction while it waits for others, and their
 * part of its cost is booked with it.
 */
export const make = () => {
  /** By the transaction's id, then by the intent's. */
  const kept = new Map<string, { readonly chainId: number; readonly sweeps: ReadonlyMap<string, Member> }>()

  const of = (id: string): ReadonlyArray<Member> => [...(kept.get(id)?.sweeps.values() ?? [])]

  /** Adds sweeps to those that the transaction has, in the place of earlier ones with their ids. */
  const add = ({ chainId, id }: Pick<RelayTransaction, "chainId" | "id">, carried: ReadonlyArray<Member>): void => {
    const added = carried.map((member) => [member.intent.id, member] as const)
    kept.set(id, { chainId, sweeps: new Map([...(kept.get(id)?.sweeps ?? []), ...added]) })
  }

  const forget = (id: string): void => {
    kept.delete(id)
  }

  /** Drops what was kept of a chain's other transactions, which another process has ended, except of those that this one still decides. */
  const retain = (
    chainId: number,
    unfinished: ReadonlyArray<Pick<RelayTransaction, "id">>,
    isDeciding: (id: string) => boolean
  ): void => {
    if (kept.size === 0) return
    const ids = new Set(unfinished.map(({ id }) => id))
    for (const [id, each] of kept) if (each.chainId === chainId && !ids.has(id) && !isDeciding(id)) kept.delete(id)
  }

  return { add, forget, of, retain }
}
