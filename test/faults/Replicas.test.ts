/** Two processes of the service on one database and the same lanes. */
import { assert, layer } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { hold, holdReply, isSend, pass } from "../support/FaultProxy.ts"
import * as Scene from "./Scene.ts"

const TIMEOUT = 120_000

layer(Scene.layer, { excludeTestServices: true, timeout: "60 seconds" })("Replicas", (it) => {
  it.effect(
    "share the work, and relay each sweep once",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const processes = yield* Effect.all([scene.orchestrator(route), scene.orchestrator(route)], { concurrency: 2 })
        const clientOf = (index: number) => processes[index % 2]!.client
        const sweeps = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => clientOf(index)),
          scene.quote,
          { concurrency: 4 }
        )
        yield* Effect.forEach(sweeps, (sweep, index) => scene.submit(clientOf(index), sweep), {
          concurrency: "unbounded"
        })
        for (const [index, sweep] of sweeps.entries()) yield* scene.delivered(clientOf(index + 1), sweep)
        const { mined, settlements, transactions } = yield* scene.check
        assert.lengthOf(settlements, sweeps.length)
        assert.lengthOf(mined, sweeps.length)
        assert.lengthOf(transactions, sweeps.length)
        // Both had something to do.
        for (const { output } of processes) {
          assert.isTrue((yield* output).some((line) => line.includes("transaction broadcast")))
        }
      }),
    TIMEOUT
  )

  it.effect(
    "take over from one that stands still, which changes nothing when it goes on",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const slow = yield* scene.route
        const frozen = yield* scene.orchestrator(slow)
        const sweeps = yield* Effect.replicateEffect(scene.quote(frozen.client), 4, { concurrency: 2 })
        const [simulated, , signed] = sweeps
        assert.isDefined(simulated)
        assert.isDefined(signed)

        // It stands still with two sweeps that it found good to send, and two that it signed and stored.
        const resume = yield* Latch.make()
        const before = (yield* slow.alpha.calls).length
        const simulations = () =>
          Effect.map(
            slow.alpha.calls,
            (calls) =>
              calls.slice(before).filter(({ forwarded, method }) => forwarded && method === "eth_simulateV1").length
          )
        let seen = 0
        yield* slow.alpha.react((call) => {
          if (isSend(call)) return hold(resume.await)
          if (call.method !== "eth_simulateV1") return pass
          seen += 1
          return seen <= 2 ? holdReply(resume.await) : pass
        })
        yield* Effect.forEach(sweeps, (sweep) => scene.submit(frozen.client, sweep), { concurrency: "unbounded" })
        yield* simulations().pipe(Effect.delay("10 millis"), Effect.repeat({ until: (count) => count >= 4 }))
        yield* slow.alpha.awaitCall(isSend)
        yield* frozen.signal("SIGSTOP")

        const other = yield* scene.orchestrator(yield* scene.route)
        yield* scene.endLeases
        for (const sweep of sweeps) yield* scene.delivered(other.client, sweep)
        const finished = yield* scene.check

        yield* resume.open
        yield* frozen.signal("SIGCONT")
        // The one that stood still notices, and works like before.
        const next = yield* scene.quote(frozen.client)
        yield* scene.submit(frozen.client, next)
        yield* scene.delivered(frozen.client, next)
        const after = yield* scene.check
        assert.lengthOf(after.settlements, finished.settlements.length + 1)
        assert.lengthOf(after.transactions, finished.transactions.length + 1)
      }),
    TIMEOUT
  )
})
