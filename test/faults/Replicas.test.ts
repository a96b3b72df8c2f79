/** Two processes of the service on one database and the same lanes. */
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Schedule } from "effect"
import { hold, holdReply, isSend, isSimulation, pass } from "../support/FaultProxy.ts"
import { ADMIN_TOKEN } from "../support/OrchestratorProcess.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 400_000

/** Every sweep a transaction of its own, so that there is as much to share as there are sweeps. */
const ALONE = { RELAYER_BATCH: "1" }

/** Sweeps that one process sends at a time: two for each of its two lanes. */
const PLACES = 4

/** Sets the state of everything through a replica. */
const set = ({ url }: { readonly url: string }, state: "paused" | "running") =>
  Effect.promise(() =>
    fetch(`${url}/admin/pauses`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ subject: { scope: "all" }, state })
    }).then((answer) => assert.strictEqual(answer.status, 200))
  )

/** Waits until a replica shows all chains as paused or running. */
const shows = ({ url }: { readonly url: string }, state: "paused" | "running") =>
  Effect.promise(() =>
    fetch(`${url}/chains`)
      .then((answer) => answer.json())
      .then(({ chains }: { readonly chains: ReadonlyArray<{ readonly paused: boolean }> }) =>
        chains.every(({ paused }) => paused === (state === "paused"))
      )
  ).pipe(Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (isSo) => isSo }), Effect.timeout("20 seconds"))

/** A pause through one replica soon holds on the other, and so does its end. `KeptOverrides.test` shows how soon. */
const pausesFollow = Effect.fnUntraced(function* (one: { readonly url: string }, other: { readonly url: string }) {
  for (const state of ["paused", "running"] as const) {
    yield* set(one, state)
    yield* shows(other, state)
  }
})

layer(Scene.layer, { excludeTestServices: true })("Replicas", (it) => {
  it.effect(
    "share the work, and relay each sweep once",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        // All is there before either of them claims anything: more than one of them takes at a time.
        const gathered = yield* Latch.make()
        yield* route.alpha.react((call) => (scene.looksAtLane(call) ? hold(gathered.await) : pass))
        const processes = yield* Effect.all([scene.orchestrator(route, ALONE), scene.orchestrator(route, ALONE)], {
          concurrency: 2
        })
        const clientOf = (index: number) => processes[index % 2]!.client
        const sweeps = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => clientOf(index)),
          scene.quote,
          { concurrency: 4 }
        )
        yield* Effect.forEach(sweeps, (sweep, index) => scene.submit(clientOf(index), sweep), {
          concurrency: "unbounded"
        })
        // No node answers before both have sent something: neither can finish the queue alone.
        const shared = yield* Latch.make()
        yield* route.alpha.react((call) => (isSend(call) ? hold(shared.await) : pass))
        yield* gathered.open
        yield* route.alpha.sent.pipe(
          Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (sent) => new Set(sent).size > PLACES })
        )
        yield* shared.open
        for (const [index, sweep] of sweeps.entries()) yield* scene.delivered(clientOf(index + 1), sweep)
        const [one, other] = processes
        if (one === undefined || other === undefined) return yield* Effect.die("a process is missing")
        yield* pausesFollow(one, other)
        const { mined, settlements, transactions } = yield* scene.check
        assert.lengthOf(settlements, sweeps.length)
        assert.lengthOf(mined, sweeps.length)
        assert.lengthOf(transactions, sweeps.length)
        // Both had something to do.
        for (const { output } of processes) {
          assert.isTrue((yield* output).some((line) => line.includes("relay.broadcast")))
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
        // The relayer looks at its lanes before it claims anything: so it claims all sweeps at once.
        const gathered = yield* Latch.make()
        yield* slow.alpha.react((call) => (scene.looksAtLane(call) ? hold(gathered.await) : pass))
        const frozen = yield* scene.orchestrator(slow, ALONE)
        const sweeps = yield* Effect.replicateEffect(scene.quote(frozen.client), 4, { concurrency: 2 })
        yield* Effect.forEach(sweeps, (sweep) => scene.submit(frozen.client, sweep), { concurrency: "unbounded" })

        // It stands still with two sweeps that it found good to send, and two that it signed and stored.
        const resume = yield* Latch.make()
        const found = new Set<string>()
        const undecided = sweeps.slice(0, 2).map(({ owner }) => owner.slice(2).toLowerCase())
        yield* slow.alpha.react((call) => {
          if (isSend(call)) return hold(resume.await)
          if (!isSimulation(call)) return pass
          const simulated = JSON.stringify(call.params).toLowerCase()
          const owner = undecided.find((each) => simulated.includes(each))
          if (owner === undefined) return pass
          found.add(owner)
          return holdReply(resume.await)
        })
        yield* gathered.open
        const isStuck = Effect.map(slow.alpha.sent, (sent) => new Set(sent).size === 2 && found.size === 2)
        yield* isStuck.pipe(Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (stuck) => stuck }))
        yield* frozen.signal("SIGSTOP")

        const other = yield* scene.orchestrator(yield* scene.route, ALONE)
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
