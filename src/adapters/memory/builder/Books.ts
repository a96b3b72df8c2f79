/** State that the ledger and the payouts share in memory: entries and batches. */
import { Clock, Context, Effect, Layer } from "effect"
import type { LedgerEntry, LedgerTotals } from "../../../domain/LedgerEntry.ts"
import type { PayoutBatch } from "../../../domain/Payout.ts"

export interface Batch extends PayoutBatch {
  /** Entries that the batch claims, or claimed before it failed. */
  readonly claims: ReadonlyArray<LedgerEntry>
}

export class Books extends Context.Service<
  Books,
  {
    readonly entries: Array<LedgerEntry>
    readonly batches: Map<string, Batch>
  }
>()("sweep/adapters/memory/Books") {
  static readonly layer = Layer.effect(
    Books,
    Effect.sync(() => ({ entries: [], batches: new Map() }))
  )
}

const chainKey = (chainId: number | undefined): number => chainId ?? 0

/** Sums per token and chain, ordered by token, then chain; the unknown chain comes first. */
export const totalsOf = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<LedgerTotals> => {
  const sums = new Map<string, LedgerTotals>()
  for (const { chainId, earned, paid, token } of entries) {
    const key = `${token}:${chainKey(chainId)}`
    const sum = sums.get(key) ?? { token, earned: 0n, paid: 0n, ...(chainId === undefined ? {} : { chainId }) }
    sums.set(key, { ...sum, earned: sum.earned + earned, paid: sum.paid + paid })
  }
  return [...sums.values()].sort((a, b) =>
    a.token === b.token ? chainKey(a.chainId) - chainKey(b.chainId) : a.token < b.token ? -1 : 1
  )
}

export const owing = ({ earned, paid }: LedgerEntry): bigint => earned - paid

/** The batch that claims an entry, by the id of the entry. A failed batch claims nothing. */
export const standingClaims = ({ batches }: Books["Service"]): Map<string, Batch> =>
  new Map(
    [...batches.values()]
      .filter(({ status }) => status !== "failed")
      .flatMap((batch) => batch.claims.map((entry) => [entry.id, batch] as const))
  )

export const add = ({ entries }: Books["Service"], entry: Omit<LedgerEntry, "id" | "createdAtMs">) =>
  Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
    entries.push({ ...entry, id: String(entries.length + 1), createdAtMs })
  })
