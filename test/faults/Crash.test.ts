/** The service dies at every step of a sweep, as by SIGKILL or a power cut, and another process carries on. */
import { assert, layer } from "@effect/vitest"
import { Effect, Queue, Random } from "effect"
import { isSend, isSimulation, loseReply, pass, swallow } from "../support/FaultProxy.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 400_000

layer(Scene.layer, { excludeTestServices: true })("A crash", (it) => {
  it.effect(
    "between storing and broadcasting sends the same bytes later",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const cut = yield* scene.route
        yield* cut.alpha.react((call) => (isSend(call) ? swallow : pass))
        const first = yield* scene.orchestrator(cut)
        const sweep = yield* scene.quote(first.client)
        yield* scene.submit(first.client, sweep)
        yield* cut.alpha.awaitCall(isSend)
        yield* first.kill
        const [unsent] = yield* cut.alpha.sent

        const clean = yield* scene.route
        const second = yield* scene.orchestrator(clean)
        yield* scene.delivered(second.client, sweep)
        assert.deepStrictEqual([...new Set(yield* clean.alpha.sent)], [unsent])
        const { mined, settlements } = yield* scene.check
        assert.lengthOf(mined, 1)
        assert.lengthOf(settlements, 1)
      }),
    TIMEOUT
  )

  it.effect(
    "after broadcasting, before the node's reply, sends nothing else",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const lossy = yield* scene.route
        yield* lossy.alpha.react((call) => (isSend(call) ? loseReply : pass))
        const first = yield* scene.orchestrator(lossy)
        const sweep = yield* scene.quote(first.client)
        yield* scene.submit(first.client, sweep)
        yield* lossy.alpha.awaitCall((call) => isSend(call) && call.forwarded)
        yield* first.kill
        const sent = yield* lossy.alpha.sent

        const clean = yield* scene.route
        const second = yield* scene.orchestrator(clean)
        yield* scene.delivered(second.client, sweep)
        assert.lengthOf(new Set([...sent, ...(yield* clean.alpha.sent)]), 1)
        const { mined } = yield* scene.check
        assert.lengthOf(mined, 1)
      }),
    TIMEOUT
  )

  it.effect(
    "right after the answer to a submission, before any work on it, loses nothing",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const cut = yield* scene.route
        yield* cut.alpha.react((call) => (scene.looksAtLane(call) ? swallow : pass))
        const first = yield* scene.orchestrator(cut)
        const sweep = yield* scene.quote(first.client)
        yield* scene.submit(first.client, sweep)
        yield* first.kill

        const second = yield* scene.orchestrator(yield* scene.route)
        yield* scene.delivered(second.client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "while a claimed sweep is simulated leaves it to others once the lease has ended",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const cut = yield* scene.route
        const first = yield* scene.orchestrator(cut)
        const sweep = yield* scene.quote(first.client)
        yield* cut.alpha.react((call) => (isSimulation(call) ? swallow : pass))
        const before = (yield* cut.alpha.calls).length
        yield* scene.submit(first.client, sweep)
        yield* cut.alpha.awaitCall((call, index) => index >= before && isSimulation(call))
        yield* first.kill

        // The start of a process may take longer than a lease on a busy machine.
        yield* scene.sql`UPDATE orchestrator.intent_queue SET lease_until = now() + interval '1 hour'`
        const second = yield* scene.orchestrator(yield* scene.route)
        yield* Effect.sleep("500 millis")
        assert.strictEqual(yield* scene.status(second.client, sweep), "submitted")
        yield* scene.endLeases
        yield* scene.delivered(second.client, sweep)
        yield* scene.check
      }),
    TIMEOUT
  )

  it.effect(
    "while it is down, a settlement is booked once, later",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const { node } = scene.alpha.dev
        const route = yield* scene.route
        const first = yield* scene.orchestrator(route)
        const sweep = yield* scene.quote(first.client)
        yield* Effect.acquireUseRelease(
          node.ask("mine nothing", (client) => client.setAutomine(false)),
          () =>
            Effect.gen(function* () {
              yield* scene.submit(first.client, sweep)
              yield* route.alpha.awaitCall((call) => isSend(call) && call.forwarded)
              yield* first.kill
              yield* node.ask("mine", (client) => client.mine({ blocks: 1 }))
            }),
          () => Effect.orDie(node.ask("mine at once", (client) => client.setAutomine(true)))
        )
        const second = yield* scene.orchestrator(yield* scene.route)
        yield* scene.delivered(second.client, sweep)
        const { outbox, settlements } = yield* scene.check
        assert.lengthOf(settlements, 1)
        assert.deepStrictEqual(outbox.map(({ key }) => key.split(":")[0]).toSorted(), ["accrual", "revenue"])
      }),
    TIMEOUT
  )

  it.effect(
    "at any moment keeps every submission that was acknowledged",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const rounds = 5
        const perRound = 4
        let running = yield* scene.orchestrator(route)
        const sweeps: Array<Scene.Sweep> = []
        const answers: Array<number> = []
        for (let round = 0; round < rounds; round++) {
          const offered = yield* Effect.replicateEffect(scene.quote(running.client), perRound, { concurrency: 2 })
          const { client, kill } = running
          const answered = yield* Queue.unbounded<number>()
          // Counted in answers, since on a slow machine any fixed time is over before the first one.
          const crash = Effect.replicateEffect(Queue.take(answered), round % perRound).pipe(
            Effect.andThen(Effect.sleep(yield* Random.nextIntBetween(0, 40))),
            Effect.andThen(kill)
          )
          // Not all at once, so that a crash finds them at different stages. In the first round it precedes the last one.
          const submissions = offered.map((sweep, index) =>
            scene.offer(client, sweep).pipe(
              Effect.delay(20 * index),
              Effect.tap((status) => Queue.offer(answered, status))
            )
          )
          const [, ...statuses] = yield* Effect.all([crash, ...submissions], { concurrency: "unbounded" })
          sweeps.push(...offered)
          answers.push(...statuses.map(Number))
          running = yield* scene.orchestrator(route)
          yield* scene.endLeases
        }
        // Both occurred: crashes after an acknowledgement, and crashes that cut a submission off.
        assert.includeMembers(answers, [0, 201])

        // A submission without an acknowledgement was either accepted, or can be sent again.
        for (const sweep of sweeps) {
          const status = yield* scene.status(running.client, sweep)
          if (status === "quoted") yield* scene.submit(running.client, sweep)
        }
        for (const sweep of sweeps) yield* scene.delivered(running.client, sweep)
        const { settlements } = yield* scene.check
        assert.lengthOf(settlements, rounds * perRound)
      }).pipe(Random.withSeed("crash at any moment")),
    TIMEOUT
  )
})
