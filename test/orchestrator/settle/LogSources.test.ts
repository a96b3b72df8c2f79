/** The alert about a chain's logs, seen by several processes. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { LogSources } from "../../../src/orchestrator/settle/LogSources.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"

const failure = new ChainUnavailable({ chainId: source.id, method: "eth_getLogs", detail: "no logs" })

/** A process of its own. */
const start = Effect.map(Layer.build(Layer.fresh(LogSources.layer)), (context) => Context.get(context, LogSources))

describe("the alert about logs", () => {
  it.effect("is not cleared by a process that read none, and is cleared by it when they are back", () =>
    Effect.gen(function* () {
      const { alerts, client } = yield* scene
      let isFailing = true
      const node: typeof client = {
        ...client,
        logs: (filter) => (isFailing ? Effect.fail(failure) : client.logs(filter))
      }
      const [failing, idle] = [yield* start, yield* start]
      const since = Effect.map(alerts.list, (all) => all.map(({ sinceMs }) => sinceMs))
      yield* failing.note(node, failure)
      yield* TestClock.adjust("1 minute")
      yield* failing.review(node)
      const raised = yield* since
      assert.lengthOf(raised, 1)
      for (let round = 0; round < 20; round++) {
        yield* TestClock.adjust("10 seconds")
        yield* idle.review(node)
        assert.deepStrictEqual(yield* since, raised)
      }
      // The process that raised it is gone.
      isFailing = false
      yield* TestClock.adjust("10 seconds")
      yield* (yield* start).review(node)
      assert.deepStrictEqual(yield* since, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
