/** A transfer of a lane's rest while one of two endpoints lies. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { lying } from "../../support/TwoEndpoints.ts"
import { CHANGE, confirmed, layer, reasonOf, retired } from "./LaneScene.ts"

it.effect("a transfer does not end by a transaction count that only one of two endpoints gives", () =>
  Effect.gen(function* () {
    const { chain, desk, lane, other } = yield* retired
    yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
    yield* confirmed(chain)
    const { all } = yield* Chains
    const nodes = all.map((client) => lying(client, { transactionCount: () => Effect.succeed(1n) }))
    const deceived = yield* Effect.map(Layer.build(Layer.fresh(LaneDesk.layer)), Context.get(LaneDesk)).pipe(
      Effect.updateService(Chains, (own) => ({ ...own, all: nodes }))
    )
    assert.strictEqual(yield* reasonOf(deceived.move(lane, "active", CHANGE)), "in_flight")
  }).pipe(Effect.provide(layer))
)
