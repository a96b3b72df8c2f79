/** {@link LaneBook} in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Option, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import { LaneBook, type Withdrawal } from "../../../ports/orchestrator/LaneBook.ts"
import type { NewOperatorRecord } from "../../../ports/shared/Overrides.ts"
import { OrchestratorState, type State } from "./OrchestratorState.ts"

const unfinished = (state: State, lane: string) =>
  Array.from(HashMap.values(state.transactions)).filter((each) => each.lane === lane && each.status !== "final")

const recorded = (state: State, record: NewOperatorRecord, atMs: number): State => ({
  ...state,
  operatorLog: [{ ...record, id: String(state.operatorLog.length + 1), atMs }, ...state.operatorLog]
})

export const layer = Layer.effect(
  LaneBook,
  Effect.gen(function* () {
    const { state } = yield* OrchestratorState

    const move: LaneBook["Service"]["move"] = Effect.fnUntraced(function* (lane, from, to, record, others) {
      const sinceMs = yield* Clock.currentTimeMillis
      return yield* Ref.modify(state, (current): readonly [boolean, State] => {
        const stateOf = (each: Address.Address) => current.laneStates.get(each)?.state ?? "active"
        const now = stateOf(lane)
        const isLast = from === "active" && others !== undefined && others.every((each) => stateOf(each) !== "active")
        const isBusy = to === "retired" && unfinished(current, lane).length > 0
        if (now !== from || isBusy || isLast) return [false, current]
        const laneStates = new Map([...current.laneStates, [lane, { state: to, sinceMs }]])
        return [true, recorded({ ...current, laneStates }, record, sinceMs)]
      })
    })

    const withdraw: LaneBook["Service"]["withdraw"] = Effect.fnUntraced(function* (wanted, record) {
      const atMs = yield* Clock.currentTimeMillis
      return yield* Ref.modify(state, (current): readonly [Option.Option<Withdrawal>, State] => {
        if (current.laneStates.get(wanted.lane)?.state !== "retired") return [Option.none(), current]
        const stored = current.withdrawals.find(
          ({ chainId, lane, nonce }) => chainId === wanted.chainId && lane === wanted.lane && nonce === wanted.nonce
        )
        if (stored !== undefined) return [Option.some(stored), current]
        const withdrawals = [...current.withdrawals, wanted]
        return [Option.some(wanted), recorded({ ...current, withdrawals }, record, atMs)]
      })
    })

    return LaneBook.of({
      states: Effect.map(Ref.get(state), ({ laneStates }) => laneStates),
      inFlight: (lane) =>
        Effect.map(Ref.get(state), (current) => {
          const byChain = Map.groupBy(unfinished(current, lane), ({ chainId }) => chainId)
          return new Map([...byChain].map(([chainId, each]) => [chainId, each.length]))
        }),
      move,
      withdrawal: (chainId, lane, nonce) =>
        Effect.map(Ref.get(state), ({ withdrawals }) =>
          Option.fromUndefinedOr(
            withdrawals.find((each) => each.chainId === chainId && each.lane === lane && each.nonce === nonce)
          )
        ),
      lastWithdrawals: (address) =>
        Effect.map(Ref.get(state), ({ withdrawals }) => {
          const last = new Map<ChainId, bigint>()
          for (const { chainId, lane, nonce } of withdrawals) {
            if (lane === address && nonce > (last.get(chainId) ?? -1n)) last.set(chainId, nonce)
          }
          return last
        }),
      withdraw,
      note: (record) =>
        Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
          Ref.update(state, (current) => recorded(current, record, atMs))
        ),
      log: (limit) => Effect.map(Ref.get(state), ({ operatorLog }) => operatorLog.slice(0, limit))
    })
  })
).pipe(Layer.provide(OrchestratorState.layer))
