/** Endpoints that get the versions of a transaction. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as SendScope from "../../../src/ports/shared/SendScope.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** Notes the scopes of what is sent. */
const noting = (scopes: Array<SendScope.SendScope>) =>
  layerOnNodes((client) => ({
    ...client,
    send: (raw) =>
      Effect.flatMap(SendScope.Current, (scope) => {
        scopes.push(scope)
        return client.send(raw)
      })
  }))

it.effect("the first send asks one endpoint, and what is sent again, replaced or cancelled goes to all", () => {
  const scopes: Array<SendScope.SendScope> = []
  return Effect.gen(function* () {
    const { chain, client, passDeadline, unfinished } = yield* sentSweep()
    assert.deepStrictEqual(scopes, ["first"])
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual((yield* tick).rebroadcast, 1)
    assert.deepStrictEqual(scopes, ["first", "everywhere"])

    const market = yield* client.feesPerGas
    yield* chain.setFees({ ...market, maxFeePerGas: (market.maxFeePerGas * 11n) / 10n })
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* tick).replaced, 1)
    assert.deepStrictEqual(scopes, ["first", "everywhere", "everywhere"])

    yield* passDeadline
    assert.strictEqual((yield* tick).replaced, 1)
    assert.deepStrictEqual(
      (yield* unfinished).map(({ kind }) => kind),
      ["cancel"]
    )
    assert.deepStrictEqual(scopes, ["first", "everywhere", "everywhere", "everywhere"])
  }).pipe(Effect.provide(noting(scopes)))
})
