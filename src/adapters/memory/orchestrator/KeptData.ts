/** Deletes old quotes and messages of the in-memory stores. Their other rows end with the process. */
import { Effect, HashMap, Layer, Ref } from "effect"
import { KeptData } from "../../../ports/orchestrator/KeptData.ts"
import { topicOf } from "../../../ports/orchestrator/Outbox.ts"
import { OrchestratorState, type State } from "./OrchestratorState.ts"

/** The map without its oldest entries: those of an age from before `beforeMs`. Ages that are undefined do not count. */
const without = <A>(
  map: HashMap.HashMap<string, A>,
  since: (value: A) => number | undefined,
  beforeMs: number,
  limit: number
) => {
  const old = HashMap.toEntries(map)
    .flatMap(([key, value]) => {
      const at = since(value)
      return at !== undefined && at < beforeMs ? [{ key, at }] : []
    })
    .toSorted((a, b) => a.at - b.at)
    .slice(0, limit)
  return {
    count: old.length,
    rest: HashMap.removeMany(
      map,
      old.map(({ key }) => key)
    )
  }
}

const make = Effect.gen(function* () {
  const { state } = yield* OrchestratorState

  const prune: KeptData["Service"]["prune"] = (kind, beforeMs, limit) =>
    Ref.modify(state, (current): readonly [number, State] => {
      if (kind === "quotes") {
        const { count, rest } = without(
          current.intents,
          ({ intent }) => (intent.status === "quoted" ? intent.createdAtMs : undefined),
          beforeMs,
          limit
        )
        return [count, { ...current, intents: rest }]
      }
      if (kind === "messages") {
        const { count, rest } = without(current.outbox, ({ deliveredAtMs }) => deliveredAtMs, beforeMs, limit)
        return [count, { ...current, outbox: rest }]
      }
      if (kind === "rejections") {
        const { count, rest } = without(
          current.outbox,
          ({ message, rejectedAtMs, state: is }) =>
            is === "rejected" && topicOf(message) === "events" ? rejectedAtMs : undefined,
          beforeMs,
          limit
        )
        return [count, { ...current, outbox: rest }]
      }
      return [0, current]
    })

  return KeptData.of({ prune, addMonths: Effect.void, dropMonths: () => Effect.succeed(0), sumUp: Effect.void })
})

export const layerNoDeps = Layer.effect(KeptData, make)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = layerNoDeps.pipe(Layer.provide(OrchestratorState.layer))
