/**
 * Tells when a standing alert is renewed by no process any more. Processes that see its condition raise it again and again, with
 * `renewedAtMs` in its details. One that does not see it may clear it only then.
 */
import { Effect, Layer } from "effect"
import { Alerts } from "../ports/shared/Alerts.ts"
import * as Background from "./Background.ts"

/** Looks in a row without a renewal after which no process has the alert any more. Each that has it renews it per look. */
const LEFT_LOOKS = 3

/** Makes the look at the alert with this key, once per round of its review. It returns true if the alert stands and is left. */
export const make = Effect.fnUntraced(function* (key: string) {
  const alerts = yield* Alerts
  /** The newest renewal of the standing alert, with the looks since then. */
  let seen = { renewal: "", looks: 0 }

  return Effect.gen(function* () {
    const alert = (yield* alerts.list).find((each) => each.key === key)
    const renewal = alert === undefined ? "" : `${alert.id} ${alert.details["renewedAtMs"]}`
    seen = { renewal, looks: renewal === seen.renewal ? seen.looks + 1 : 0 }
    return alert !== undefined && seen.looks >= LEFT_LOOKS
  })
})

/**
 * Clears the alert with this key once no process renews it. For processes whose settings lack its subject, so that nothing raises it in
 * them. `name`: that of the loop, which runs until the scope closes.
 */
export const layerClearing = (key: string, name: string, pauseMillis: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { clear } = yield* Alerts
      const isLeft = yield* make(key)
      const round = Effect.flatMap(isLeft, (left) => (left ? clear(key) : Effect.void))
      yield* Background.loop(Background.supervisor(name), { pauseMillis }, round)
    })
  )
