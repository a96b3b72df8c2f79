/** Values that this process keeps of relay transactions until these end, in whichever process. */
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"

export interface PerTransaction<A> {
  readonly get: (id: string) => A | undefined
  readonly set: (transaction: Pick<RelayTransaction, "chainId" | "id">, value: A) => void
  readonly delete: (id: string) => void
  /** Drops the values of the chain's transactions that are not among these. `isKept`: also of which ids to keep them. Default: none. */
  readonly retain: (
    chainId: number,
    unfinished: ReadonlyArray<Pick<RelayTransaction, "id">>,
    isKept?: (id: string) => boolean
  ) => void
}

export const make = <A>(): PerTransaction<A> => {
  const kept = new Map<string, { readonly chainId: number; readonly value: A }>()
  return {
    get: (id) => kept.get(id)?.value,
    set: ({ chainId, id }, value) => void kept.set(id, { chainId, value }),
    delete: (id) => void kept.delete(id),
    retain: (chainId, unfinished, isKept = () => false) => {
      if (kept.size === 0) return
      const ids = new Set(unfinished.map(({ id }) => id))
      for (const [id, each] of kept) if (each.chainId === chainId && !ids.has(id) && !isKept(id)) kept.delete(id)
    }
  }
}
