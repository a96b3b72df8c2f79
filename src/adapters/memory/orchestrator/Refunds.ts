/** {@link Refunds} in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Ref } from "effect"
import { Refunds } from "../../../ports/orchestrator/Refunds.ts"
import { lookup, OrchestratorState, type StoredRefund } from "./OrchestratorState.ts"

type Shape = Refunds["Service"]

const isOfLine = (line: NonNullable<StoredRefund["line"]>) => (stored: StoredRefund) =>
  stored.line !== undefined &&
  stored.line.txHash === line.txHash &&
  stored.line.logIndex === line.logIndex &&
  stored.line.entry === line.entry

const make = Effect.map(OrchestratorState, ({ state }) => {
  const expect: Shape["expect"] = Effect.fnUntraced(function* (refund) {
    const lookAtMs = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (current) =>
      HashMap.has(current.refunds, refund.id)
        ? current
        : { ...current, refunds: HashMap.set(current.refunds, refund.id, { ...refund, lookAtMs, looks: 0 }) }
    )
  })

  const due: Shape["due"] = Effect.fnUntraced(function* (chainId, limit, sinceMs) {
    const now = yield* Clock.currentTimeMillis
    const { refunds } = yield* Ref.get(state)
    const open = Array.from(HashMap.values(refunds)).filter(
      (stored) => stored.chainId === chainId && stored.line === undefined && stored.notBefore * 1_000 >= sinceMs
    )
    const dueOnes = open
      .filter(({ lookAtMs }) => lookAtMs <= now)
      .toSorted((a, b) => a.lookAtMs - b.lookAtMs || (a.account < b.account ? -1 : 1))
    const accounts = new Set([...new Set(dueOnes.map(({ account }) => account))].slice(0, limit))
    return open
      .filter(({ account }) => accounts.has(account))
      .toSorted((a, b) => a.notBefore - b.notBefore || (a.id < b.id ? -1 : 1))
      .map(({ account, amount, id, looks, notBefore, searchFrom, token }) => ({
        id,
        account,
        token,
        amount,
        notBefore,
        looks,
        ...(searchFrom === undefined ? {} : { searchFrom })
      }))
  })

  const note: Shape["note"] = (chainId, { ids, line }) =>
    Ref.modify(state, (current) => {
      const found = ids.map((id) => lookup(current.refunds, id))
      const isFree = found.every(
        (stored) => stored !== undefined && stored.chainId === chainId && stored.line === undefined
      )
      const isTaken = Array.from(HashMap.values(current.refunds)).some(
        (stored) => stored.chainId === chainId && isOfLine(line)(stored)
      )
      if (!isFree || isTaken) return [false, current]
      const refunds = found.reduce(
        (all, stored) => (stored === undefined ? all : HashMap.set(all, stored.id, { ...stored, line })),
        current.refunds
      )
      return [true, { ...current, refunds }]
    })

  const postpone: Shape["postpone"] = (looked) =>
    Ref.update(state, (current) => ({
      ...current,
      refunds: looked.reduce((all, { id, lookAtMs, searchFrom }) => {
        const stored = lookup(all, id)
        return stored === undefined || stored.line !== undefined
          ? all
          : HashMap.set(all, id, { ...stored, lookAtMs, searchFrom, looks: stored.looks + 1 })
      }, current.refunds)
    }))

  const noteInstead: Shape["noteInstead"] = (id, arrived) =>
    Ref.update(state, (current) =>
      HashMap.has(current.arrivals, id) ? current : { ...current, arrivals: HashMap.set(current.arrivals, id, arrived) }
    )

  return Refunds.of({ expect, due, note, noteInstead, postpone })
})

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = Layer.effect(Refunds, make).pipe(Layer.provide(OrchestratorState.layer))
