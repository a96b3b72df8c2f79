/** Limits of chains that an operator changes while the relayer and the watcher run. */
import { Context, Effect, Layer, Ref } from "effect"
import type { LimitChoice } from "../../../src/domain/Limit.ts"
import { LimitChoices } from "../../../src/ports/shared/LimitChoices.ts"
import { onDemandIn, world } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"

class Chosen extends Context.Service<Chosen, Ref.Ref<ReadonlyArray<LimitChoice>>>()("test/Chosen") {}

/** As the scene's layer, with {@link limitFees}. */
export const layerLimited = Layer.unwrap(
  Effect.map(Chosen, (chosen) =>
    onDemandIn(world).pipe(Layer.provideMerge(Layer.succeed(LimitChoices, Ref.get(chosen))))
  )
).pipe(Layer.provideMerge(Layer.effect(Chosen, Ref.make<ReadonlyArray<LimitChoice>>([]))))

/** Sets the maximum fee per gas of the source chain, in wei. */
export const limitFees = Effect.fnUntraced(function* (wei: bigint) {
  yield* Ref.set(yield* Chosen, [{ chainId: source.id, limit: "maxFeePerGasWei", wei }])
})
