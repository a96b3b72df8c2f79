/** Reviews every chain of this process in a loop of its own, so that a chain without an answer delays no other. */
import { Effect, Layer } from "effect"
import { worksOn } from "../../domain/Role.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Background from "../../runtime/Background.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import * as ChainReview from "./ChainReview.ts"

const PAUSE_MILLIS = 5_000

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Chains
    const share = yield* ProcessShare
    for (const client of all) {
      const { id, name } = client.chain
      if (!worksOn(share, "watch", id)) continue
      const supervised = Background.supervisor("chain review", { chain: name, chainId: id })
      yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, yield* ChainReview.make(client))
    }
  })
).pipe(Layer.provide(RenewedAlerts.layer))
