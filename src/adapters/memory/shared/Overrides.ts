/** {@link Overrides} in memory, for tests. */
import { Clock, Effect, PubSub, Ref, Stream } from "effect"
import { type NewOperatorRecord, type Override, Overrides } from "../../../ports/shared/Overrides.ts"

/** `append` adds a record to the log of the service. */
export const make = Effect.fnUntraced(function* <E>(
  append: (record: NewOperatorRecord, atMs: number) => Effect.Effect<void, E>
) {
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
    yield* Effect.orDie(append(record, sinceMs))
    yield* PubSub.publish(changed, undefined)
    return true
  })

  const restate: Overrides["Service"]["restate"] = ({ from, name, to }) =>
    Ref.modify(overrides, (current): readonly [boolean, ReadonlyMap<string, Override>] => {
      const former = current.get(name)
      return former?.value === from ? [true, new Map([...current, [name, { ...former, value: to }]])] : [false, current]
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
