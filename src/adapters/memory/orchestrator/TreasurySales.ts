/** {@link TreasurySales} in memory. Collected fees come from the intents of the shared in-memory state. */
import { Clock, Effect, HashMap, Layer, Option, Ref } from "effect"
import { isOpen, type NewSale, type SaleFailure, type StoredSale } from "../../../domain/Treasury.ts"
import { type CollectedBy, type Refusal, TreasurySales } from "../../../ports/orchestrator/TreasurySales.ts"
import { OrchestratorState, type StoredIntent } from "./OrchestratorState.ts"

interface Entry {
  readonly sale: StoredSale
  readonly dueAtMs: number
}

interface State {
  /** In the order of their ids. */
  readonly entries: ReadonlyArray<Entry>
  readonly failures: ReadonlyArray<SaleFailure>
  readonly lastRoundAtMs: number | undefined
  readonly firstDueAtMs: number | undefined
}

const hasSettled = ({ intent: { failureReason, status } }: StoredIntent): boolean =>
  status === "settled_source" || status === "delivered" || failureReason === "bridge_refunded"

const collectedOf = (intents: ReadonlyArray<StoredIntent>): ReadonlyArray<CollectedBy> => {
  const sums = new Map<string, CollectedBy>()
  for (const { intent } of intents) {
    const { sourceChainId: chainId, settlementAddress: delegate } = intent.quote
    const { feeAmount, tokenIn: token } = intent.order
    const key = [chainId, delegate, token].join(" ")
    const { amount, sweeps } = sums.get(key) ?? { amount: 0n, sweeps: 0 }
    sums.set(key, { chainId, delegate, token, amount: amount + feeAmount, sweeps: sweeps + 1 })
  }
  return Array.from(sums.values())
}

const soldOf = (entries: ReadonlyArray<Entry>) => {
  const sums = new Map<string, Effect.Success<TreasurySales["Service"]["sold"]>[number]>()
  for (const { sale } of entries) {
    const { amount, amountOut = 0n, asset, chainId, feeAmount = 0n, seller, state, token } = sale
    if (state !== "settled") continue
    const key = [chainId, seller, token, asset].join(" ")
    const before = sums.get(key) ?? { chainId, seller, token, asset, amount: 0n, amountOut: 0n, sales: 0 }
    sums.set(key, {
      ...before,
      amount: before.amount + amount - feeAmount,
      amountOut: before.amountOut + amountOut,
      sales: before.sales + 1
    })
  }
  return Array.from(sums.values())
}

const withSale = (state: State, sale: NewSale, nowMs: number, dueAtMs: number): State => {
  const isTaken = state.entries.some(
    ({ sale: other }) => isOpen(other) && other.chainId === sale.chainId && other.token === sale.token
  )
  if (isTaken) return state
  const { amount, asset, chainId, rest, seller, token } = sale
  const id = String(state.entries.length + 1)
  const times = { openedAtMs: nowMs, updatedAtMs: nowMs }
  const stored: StoredSale = { id, chainId, seller, token, asset, amount, rest, state: "planned", version: 0, ...times }
  return { ...state, entries: [...state.entries, { sale: stored, dueAtMs }] }
}

const isOf = (sale: Pick<NewSale, "chainId" | "token">) => (failure: SaleFailure) =>
  failure.chainId === sale.chainId && failure.token === sale.token

const withFailure = (state: State, of: Pick<NewSale, "chainId" | "token">, why: Refusal, failedAtMs: number): State => {
  const failures = (state.failures.find(isOf(of))?.failures ?? 0) + 1
  const { detail, reason } = why
  const failure = { chainId: of.chainId, token: of.token, failures, reason, detail, failedAtMs }
  return { ...state, failures: [...state.failures.filter((each) => !isOf(of)(each)), failure] }
}

/** Changes the sale if it is still of this version and open. */
const change =
  (state: Ref.Ref<State>) =>
  (
    sale: StoredSale,
    to: (current: StoredSale, nowMs: number) => StoredSale,
    after: (state: State, nowMs: number) => State = (same) => same,
    from: ReadonlyArray<StoredSale["state"]> = ["planned", "offered"]
  ) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Ref.modify(state, (current): readonly [StoredSale | undefined, State] => {
        const found = current.entries.find((entry) => entry.sale.id === sale.id)
        if (found === undefined || found.sale.version !== sale.version || !from.includes(found.sale.state)) {
          return [undefined, current]
        }
        const changed = { ...to(found.sale, nowMs), version: sale.version + 1, updatedAtMs: nowMs }
        const entries = current.entries.map((entry) => (entry === found ? { ...entry, sale: changed } : entry))
        return [changed, after({ ...current, entries }, nowMs)]
      })
    )

const due = (state: State, id: string, dueAtMs: number): State => ({
  ...state,
  entries: state.entries.map((entry) => (entry.sale.id === id ? { ...entry, dueAtMs } : entry))
})

const makeRounds = (state: Ref.Ref<State>): Pick<TreasurySales["Service"], "openRound" | "claim"> => ({
  openRound: ({ refused, sales, unlessSinceMs }) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Ref.modify(state, (current): readonly [Option.Option<ReadonlyArray<StoredSale>>, State] => {
        const { lastRoundAtMs } = current
        if (lastRoundAtMs !== undefined && unlessSinceMs !== undefined && lastRoundAtMs >= unlessSinceMs) {
          return [Option.none(), current]
        }
        const planned = sales.reduce((all, sale) => withSale(all, sale, nowMs, nowMs), current)
        const next = refused.reduce((all, why) => withFailure(all, why, why, nowMs), planned)
        const opened = next.entries.slice(current.entries.length).map(({ sale }) => sale)
        return [Option.some(opened), { ...next, lastRoundAtMs: nowMs }]
      })
    ),
  claim: ({ leaseMillis, limit }) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Ref.modify(state, (current): readonly [ReadonlyArray<StoredSale>, State] => {
        const ready = current.entries
          .filter(({ dueAtMs, sale }) => isOpen(sale) && dueAtMs <= nowMs)
          .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
          .slice(0, limit)
          .map(({ sale }) => sale)
        return [
          ready.toSorted((a, b) => Number(a.id) - Number(b.id)),
          ready.reduce((all, { id }) => due(all, id, nowMs + leaseMillis), current)
        ]
      })
    )
})

const make = Effect.gen(function* () {
  const shared = yield* OrchestratorState
  const state = yield* Ref.make<State>({ entries: [], failures: [], lastRoundAtMs: undefined, firstDueAtMs: undefined })
  const move = change(state)
  const read = <A>(of: (state: State) => A) => Effect.map(Ref.get(state), of)

  return TreasurySales.of({
    collected: Effect.gen(function* () {
      const own = new Set((yield* Ref.get(state)).entries.map(({ sale }) => sale.intentId))
      const intents = Array.from(HashMap.values((yield* Ref.get(shared.state)).intents))
      return collectedOf(intents.filter((stored) => hasSettled(stored) && !own.has(stored.intent.id)))
    }),
    sold: read(({ entries }) => soldOf(entries)),
    open: read(({ entries }) => entries.map(({ sale }) => sale).filter(isOpen)),
    recent: (limit) =>
      read(({ entries }) =>
        entries
          .map(({ sale }) => sale)
          .toReversed()
          .slice(0, limit)
      ),
    failures: read(({ failures }) => failures),
    lastRoundAtMs: read(({ lastRoundAtMs }) => Option.fromUndefinedOr(lastRoundAtMs)),
    firstDueAtMs: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Ref.modify(state, (current): readonly [number, State] => {
        const { firstDueAtMs = nowMs } = current
        return [firstDueAtMs, { ...current, firstDueAtMs }]
      })
    ),
    ...makeRounds(state),
    postpone: ({ id, version }, dueAtMs) =>
      Ref.update(state, (current) =>
        current.entries.some(({ sale }) => sale.id === id && sale.version === version && isOpen(sale))
          ? due(current, id, dueAtMs)
          : current
      ),
    offer: (sale, intent) =>
      Effect.map(
        move(sale, (current) => ({ ...current, ...intent, state: "offered" }), undefined, ["planned"]),
        Option.fromUndefinedOr
      ),
    replan: (sale, dueAtMs) =>
      Effect.map(
        move(
          sale,
          ({ feeAmount: _fee, intentId: _intent, ...current }) => ({ ...current, state: "planned" }),
          (current) => due(current, sale.id, dueAtMs),
          ["offered"]
        ),
        (changed) => changed !== undefined
      ),
    settle: (sale, proof, next) =>
      Effect.map(
        move(
          sale,
          (current) => ({ ...current, ...proof, state: "settled" }),
          (current, nowMs) => {
            const paid = { ...current, failures: current.failures.filter((each) => !isOf(sale)(each)) }
            return next === undefined ? paid : withSale(paid, { ...sale, ...next }, nowMs, next.dueAtMs)
          },
          ["offered"]
        ),
        (changed) => changed !== undefined
      ),
    fail: (sale, { detail, reason }) =>
      Effect.map(
        move(
          sale,
          (current) => ({ ...current, reason, detail, state: "failed" }),
          (current, nowMs) => withFailure(current, sale, { reason, detail }, nowMs)
        ),
        (changed) => changed !== undefined
      ),
    sumUp: Effect.void
  })
})

export const layerNoDeps = Layer.effect(TreasurySales, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
