/** Reviews every chain in a loop of its own, so that a chain without an answer delays no other. */
import { Effect, Layer } from "effect"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Background from "../../runtime/Background.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as ChainReview from "./ChainReview.ts"

const PAUSE_MILLIS = 5_000

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const client of (yield* Chains).all) {
      const { id, name } = client.chain
      const supervised = Background.supervisor("chain review", { chain: name, chainId: id })
      yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, yield* ChainReview.make(client))
    }
  })
).pipe(Layer.provide(StandingAlerts.layer))
