/** State that the ledger and the payouts share in memory: entries and batches. */
import { Clock, Context, Effect, Layer } from "effect"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { LedgerEntry, LedgerTotals } from "../../../domain/LedgerEntry.ts"
import type { PayoutBatch } from "../../../domain/Payout.ts"

export interface Batch extends PayoutBatch {
  /** Entries that the batch claims, or claimed before it failed. */
  readonly claims: ReadonlyArray<LedgerEntry>
}

export class Books extends Context.Service<
  Books,
  {
    /** Entries as they were booked. {@link entriesOf} shows them with their chains. */
    readonly booked: Array<LedgerEntry>
    /** Chains of accruals that were booked without one, by sweep id. */
    readonly chains: Map<string, ChainId>
    readonly batches: Map<string, Batch>
  }
>()("sweep/adapters/memory/Books") {
  static readonly layer = Layer.effect(
    Books,
    Effect.sync(() => ({ booked: [], chains: new Map(), batches: new Map() }))
  )
}

/** Entries with the chains that they were booked with, or assigned to later. */
export const entriesOf = ({ booked, chains }: Books["Service"]): ReadonlyArray<LedgerEntry> =>
  booked.map((entry) => {
    const chainId = entry.chainId ?? chains.get(entry.sweepId ?? "")
    return chainId === undefined ? entry : { ...entry, chainId }
  })

const chainKey = (chainId: number | undefined): number => chainId ?? 0

/** Sums per token and chain, ordered by token, then chain; accruals without a chain come first. */
export const totalsOf = (
  entries: ReadonlyArray<LedgerEntry>,
  claims: ReadonlyMap<string, Batch>
): ReadonlyArray<LedgerTotals> => {
  const sums = new Map<string, LedgerTotals>()
  for (const entry of entries) {
    const { chainId, earned, id, paid, token } = entry
    const key = `${token}:${chainKey(chainId)}`
    const none = { token, earned: 0n, paid: 0n, claimed: 0n, ...(chainId === undefined ? {} : { chainId }) }
    const sum = sums.get(key) ?? none
    const claimed = claims.get(id)?.status === "open" ? owing(entry) : 0n
    sums.set(key, {
      ...sum,
      earned: sum.earned + earned,
      paid: sum.paid + paid,
      claimed: sum.claimed + claimed
    })
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

export const add = ({ booked }: Books["Service"], entry: Omit<LedgerEntry, "id" | "createdAtMs">) =>
  Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
    booked.push({ ...entry, id: String(booked.length + 1), createdAtMs })
  })
