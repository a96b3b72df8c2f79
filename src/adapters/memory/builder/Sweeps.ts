/** Builders' sweeps in memory, for tests. */
import { Effect, Equal, Layer, Option } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { SearchTerm } from "../../../domain/SearchTerm.ts"
import { NO_SWEEPS, RANKS, type Sweep, type SweepDay, type Volume, withEvent } from "../../../domain/Sweep.ts"
import type { SweepEvent } from "../../../domain/SweepEvent.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import { UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import { SweepConflict, type SweepFilter, Sweeps } from "../../../ports/builder/Sweeps.ts"

interface Kept {
  readonly builderId: string
  readonly position: number
  readonly sweep: Sweep
}

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const volumeOf = (sweeps: ReadonlyArray<Sweep>): ReadonlyArray<Volume> => {
  const sums = new Map<string, Volume>()
  for (const { amountIn, sourceChainId: chainId, status, tokenIn: token } of sweeps) {
    if (status !== "delivered") continue
    const sum = sums.get(`${chainId}:${token}`) ?? { chainId, token, amount: 0n, sweeps: 0 }
    sums.set(`${chainId}:${token}`, { ...sum, amount: sum.amount + amountIn, sweeps: sum.sweeps + 1 })
  }
  return [...sums.values()].sort((a, b) => a.chainId - b.chainId || (a.token < b.token ? -1 : 1))
}

const daysOf = (sweeps: ReadonlyArray<Sweep>): ReadonlyArray<SweepDay> => {
  const days = new Map<string, SweepDay>()
  for (const { startedAtMs, status } of sweeps) {
    const day = dayOf(startedAtMs)
    const sum = days.get(day) ?? { day, sweeps: 0, delivered: 0, failed: 0 }
    days.set(day, {
      day,
      sweeps: sum.sweeps + 1,
      delivered: sum.delivered + (status === "delivered" ? 1 : 0),
      failed: sum.failed + (status === "failed" ? 1 : 0)
    })
  }
  return [...days.values()].sort((a, b) => (a.day > b.day ? -1 : 1))
}

const newestFirst = (a: Kept, b: Kept): number => b.sweep.startedAtMs - a.sweep.startedAtMs || b.position - a.position

const isFound = (search: SearchTerm, { deliveryTxHash, intentId, owner, txHash }: Sweep): boolean => {
  switch (search._tag) {
    case "Address":
      return owner === search.address
    case "Hash":
      return txHash === search.hash || deliveryTxHash === search.hash
    case "Id":
      return intentId === search.id
  }
}

const isMatching = (
  { chainId, fromMs = 0, search, status, toMs = Infinity, token }: SweepFilter,
  sweep: Sweep
): boolean => {
  const isOn = (chain: ChainId, other: Address.Address) =>
    (chainId === undefined || chain === chainId) && (token === undefined || other === token)
  return (
    (status === undefined || sweep.status === status) &&
    (isOn(sweep.sourceChainId, sweep.tokenIn) || isOn(sweep.destChainId, sweep.tokenOut)) &&
    (search === undefined || isFound(search, sweep)) &&
    sweep.startedAtMs >= fromMs &&
    sweep.startedAtMs < toMs
  )
}

export const layer = Layer.effect(
  Sweeps,
  Effect.map(Builders, (builders) => {
    const events = new Map<string, SweepEvent>()
    const sweeps = new Map<string, Kept>()
    const of = (builderId: string) => [...sweeps.values()].filter((kept) => kept.builderId === builderId)

    return Sweeps.of({
      record: Effect.fnUntraced(function* (event) {
        const { builderId, id, intentId, status } = event
        const key = `${intentId}:${status}`
        const kept = events.get(key)
        if (kept !== undefined) {
          return Equal.equals(kept, event) ? ("already_booked" as const) : yield* new SweepConflict({ id })
        }
        if (Option.isNone(yield* builders.byId(builderId))) return yield* new UnknownBuilder({ builderId })
        const before = sweeps.get(intentId)
        if (before !== undefined && before.builderId !== builderId) return yield* new SweepConflict({ id })
        events.set(key, event)
        sweeps.set(intentId, {
          builderId,
          position: before?.position ?? sweeps.size + 1,
          sweep: withEvent(before?.sweep, event)
        })
        return "added" as const
      }),
      find: (builderId, intentId) =>
        Effect.sync(() =>
          Option.fromUndefinedOr(of(builderId).find(({ sweep }) => sweep.intentId === intentId)?.sweep)
        ),
      builderOf: (intentId) => Effect.sync(() => Option.fromUndefinedOr(sweeps.get(intentId)?.builderId)),
      list: (builderId, page) =>
        Effect.sync(() => {
          const own = of(builderId).toSorted(newestFirst)
          const last = own.findIndex(({ position }) => String(position) === page.before)
          return own
            .slice(last + 1)
            .filter(({ sweep }) => isMatching(page, sweep))
            .slice(0, page.limit)
            .map(({ position, sweep }) => ({ cursor: String(position), sweep }))
        }),
      ofTransactions: (builderId, txHashes) =>
        Effect.sync(() =>
          of(builderId).flatMap(({ sweep: { builderFee, intentId, txHash } }) =>
            txHash !== undefined && txHashes.includes(txHash) ? [{ intentId, txHash, builderFee }] : []
          )
        ),
      timeline: (builderId, intentId) =>
        Effect.sync(() =>
          [...events.values()]
            .filter((event) => event.intentId === intentId && event.builderId === builderId)
            .toSorted((a, b) => RANKS[a.status] - RANKS[b.status])
        ),
      totals: (builderId, { fromMs, toMs }) =>
        Effect.sync(() => {
          const started = of(builderId)
            .map(({ sweep }) => sweep)
            .filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < toMs)
          const counts = { ...NO_SWEEPS }
          for (const { status } of started) counts[status] += 1
          return { counts, volume: volumeOf(started), days: daysOf(started) }
        })
    })
  })
)
