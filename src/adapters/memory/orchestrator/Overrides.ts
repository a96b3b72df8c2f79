/** {@link Overrides} in memory, for tests. */
import { Clock, Effect, Layer, PubSub, Ref, Stream } from "effect"
import { type Override, Overrides } from "../../../ports/orchestrator/Overrides.ts"
import { OrchestratorState, type State } from "./OrchestratorState.ts"

export const layer = Layer.effect(
  Overrides,
  Effect.gen(function* () {
    const { state } = yield* OrchestratorState
    const overrides = yield* Ref.make<ReadonlyMap<string, Override>>(new Map())
    const changed = yield* PubSub.sliding<void>(1)

    const set: Overrides["Service"]["set"] = Effect.fnUntraced(function* ({ expected, name, reason, value }, record) {
      const sinceMs = yield* Clock.currentTimeMillis
      const isChanged = yield* Ref.modify(overrides, (current): readonly [boolean, ReadonlyMap<string, Override>] => {
        const former = current.get(name)?.value
        if (former === value || (expected !== undefined && expected.value !== former)) return [false, current]
        const others = [...current].filter(([each]) => each !== name)
        const own: ReadonlyArray<readonly [string, Override]> =
          value === undefined ? [] : [[name, { name, value, actor: record.actor, reason, sinceMs }]]
        return [true, new Map([...others, ...own])]
      })
      if (!isChanged) return false
      yield* Ref.update(state, (current: State) => ({
        ...current,
        operatorLog: [{ ...record, id: String(current.operatorLog.length + 1), atMs: sinceMs }, ...current.operatorLog]
      }))
      yield* PubSub.publish(changed, undefined)
      return true
    })

    const restate: Overrides["Service"]["restate"] = ({ from, name, to }) =>
      Ref.modify(overrides, (current): readonly [boolean, ReadonlyMap<string, Override>] => {
        const former = current.get(name)
        return former?.value === from
          ? [true, new Map([...current, [name, { ...former, value: to }]])]
          : [false, current]
      })

    return Overrides.of({
      all: Effect.map(Ref.get(overrides), (current) =>
        [...current.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
      ),
      set,
      restate,
      changes: Stream.fromPubSub(changed)
    })
  })
).pipe(Layer.provide(OrchestratorState.layer))
