/** The protocol's revenue in memory, for tests. */
import { Effect, Layer, Option } from "effect"
import type { Revenue } from "../../../domain/Accrual.ts"
import { lowerCase } from "../../../domain/Hex.ts"
import { type DailyRevenue, RevenueBook, RevenueConflict } from "../../../ports/builder/RevenueBook.ts"

const sameRevenue = (a: Revenue, b: Revenue): boolean =>
  a.chainId === b.chainId &&
  a.token === b.token &&
  a.amount === b.amount &&
  lowerCase(a.txHash) === lowerCase(b.txHash) &&
  a.settledAtMs === b.settledAtMs

const make = () => {
  const lines = new Map<string, Revenue>()
  const book = (revenue: Revenue) =>
    Effect.suspend(() => {
      const { sweepId } = revenue
      const booked = lines.get(sweepId)
      if (booked === undefined) {
        lines.set(sweepId, revenue)
        return Effect.succeed("added" as const)
      }
      return sameRevenue(booked, revenue)
        ? Effect.succeed("already_booked" as const)
        : Effect.fail(new RevenueConflict({ sweepId }))
    })
  return RevenueBook.of({
    book,
    bookAll: (revenues) =>
      Effect.map(
        Effect.forEach(revenues, (revenue) => Effect.option(Effect.as(book(revenue), revenue.sweepId))),
        (booked) => new Set(booked.flatMap(Option.toArray))
      ),
    daily: ({ fromMs, toMs }) =>
      Effect.sync(() => {
        const days = new Map<string, DailyRevenue>()
        for (const { amount, chainId, settledAtMs, token } of lines.values()) {
          if (settledAtMs < fromMs || settledAtMs >= toMs) continue
          const day = new Date(settledAtMs).toISOString().slice(0, 10)
          const key = `${day}:${chainId}:${token}`
          const sum = days.get(key) ?? { day, chainId, token, amount: 0n, sweeps: 0 }
          days.set(key, { ...sum, amount: sum.amount + amount, sweeps: sum.sweeps + 1 })
        }
        return [...days.values()].sort((a, b) =>
          a.day === b.day ? a.chainId - b.chainId || (a.token < b.token ? -1 : 1) : a.day > b.day ? -1 : 1
        )
      })
  })
}

export const layer = Layer.effect(RevenueBook, Effect.sync(make))
