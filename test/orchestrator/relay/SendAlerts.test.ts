/** Alerts about transactions that cannot be signed or sent, from their cause to their end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import { SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayerKeys, SigningFailed } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { layer, onDemandIn, scene, settings, worldOnNodes } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"

describe("alerts about a send", () => {
  it.effect(
    "a transaction that a node rejects for good is offered again, and its alert ends when the node takes it",
    () =>
      Effect.gen(function* () {
        const { alertKinds, chain, sent, submit } = yield* scene
        yield* submit({ id: "a" })
        yield* chain.onSend(() =>
          Effect.fail(new SendRejected({ chainId: source.id, reason: "Invalid", detail: "no" }))
        )
        yield* relay
        assert.deepStrictEqual(yield* alertKinds, ["transaction_rejected"])
        const [first] = yield* sent
        yield* chain.onSend((raw) => Effect.succeed(keccak256(raw)))
        yield* TestClock.adjust(settings.relayer.rebroadcastMillis)
        yield* tick
        assert.strictEqual((yield* sent).at(-1)?.raw, first?.raw)
        assert.deepStrictEqual(yield* alertKinds, [])
      }).pipe(Effect.provide(layer))
  )

  it.effect("a sweep whose lane cannot sign waits, with an alert that ends when the lane signs again", () => {
    let canSign = false
    const keys = Layer.effect(
      RelayerKeys,
      Effect.map(RelayerKeys, (real) => ({
        ...real,
        sign: (lane, transaction) =>
          canSign
            ? real.sign(lane, transaction)
            : Effect.fail(new SigningFailed({ lane, detail: "the signer refuses" }))
      }))
    ).pipe(Layer.provideMerge(worldOnNodes((client) => client)))
    return Effect.gen(function* () {
      const { alertKinds, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, 0)
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      assert.strictEqual((yield* intent("a")).status, "submitted")
      canSign = true
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(onDemandIn(keys)))
  })
})
