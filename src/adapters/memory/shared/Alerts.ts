/** Alerts in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Option, Ref } from "effect"
import { type Alert, Alerts } from "../../../ports/shared/Alerts.ts"

interface Board {
  readonly raised: number
  readonly standing: HashMap.HashMap<string, Alert>
}

const make = Effect.gen(function* () {
  const board = yield* Ref.make<Board>({ raised: 0, standing: HashMap.empty() })

  const raise: Alerts["Service"]["raise"] = Effect.fnUntraced(function* (alert) {
    const now = yield* Clock.currentTimeMillis
    yield* Ref.update(board, ({ raised, standing }) => {
      const { id, sinceMs } = Option.getOrElse(HashMap.get(standing, alert.key), () => ({
        id: String(raised + 1),
        sinceMs: now
      }))
      return { raised: raised + 1, standing: HashMap.set(standing, alert.key, { ...alert, id, sinceMs }) }
    })
  })

  return Alerts.of({
    raise,
    clear: (key) => Ref.update(board, ({ raised, standing }) => ({ raised, standing: HashMap.remove(standing, key) })),
    list: Effect.map(Ref.get(board), ({ standing }) =>
      Array.from(HashMap.values(standing)).toSorted(
        (a, b) =>
          Number(b.severity === "critical") - Number(a.severity === "critical") ||
          a.sinceMs - b.sinceMs ||
          Number(a.id) - Number(b.id)
      )
    )
  })
})

export const layer = Layer.effect(Alerts, make)
