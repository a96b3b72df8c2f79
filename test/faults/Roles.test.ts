/** The roles of the service in processes of their own, on one database. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. */
const TIMEOUT = 300_000

/** Without the wake-up of another process, the relayer would look for work after this time only. */
const ASLEEP = { RELAYER_POLL_MILLIS: "3600000" }

const LIFETIME = { ROLE_LIFETIME_SECONDS: "5" }

layer(Scene.layer, { excludeTestServices: true })("Roles", (it) => {
  it.effect(
    "deliver a sweep together, and an alert tells of the death of one",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const route = yield* scene.route
        const start = (roles: string, env: Readonly<Record<string, string>> = {}) =>
          scene.orchestrator(route, { ...LIFETIME, ...env }, { args: ["--roles", roles] })
        const [api, relay, watch] = yield* Effect.all([start("api"), start("relay", ASLEEP), start("watch,outbox")], {
          concurrency: "unbounded"
        })
        const alerts = Effect.map(
          scene.sql<{ key: string }>`SELECT key FROM orchestrator.alerts
            WHERE kind = 'role_unserved' AND cleared_at IS NULL ORDER BY key`,
          (rows) => rows.map(({ key }) => key)
        )

        const sweep = yield* scene.quote(api.client)
        yield* scene.submit(api.client, sweep)
        yield* scene.delivered(api.client, sweep)
        yield* scene.check
        const said = (process: typeof api, event: string) =>
          Effect.map(process.output, (lines) => lines.some((line) => line.includes(event)))
        assert.isTrue(yield* said(relay, "relay.broadcast"))
        assert.isTrue(yield* said(watch, "outbox.offered"))
        for (const event of ["relay.broadcast", "outbox.offered"]) assert.isFalse(yield* said(api, event))
        const refused = yield* Effect.promise(() => fetch(`${relay.url}/chains`))
        assert.strictEqual(refused.status, 503)
        assert.deepStrictEqual(yield* alerts, [])

        yield* relay.kill
        const dead = yield* alerts.pipe(
          Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (keys) => keys.length > 0 }),
          Effect.timeout("30 seconds")
        )
        assert.isTrue(dead.every((key) => key.startsWith("role_unserved:relay:")))

        yield* start("relay")
        yield* alerts.pipe(
          Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (keys) => keys.length === 0 }),
          Effect.timeout("30 seconds")
        )
      }),
    TIMEOUT
  )
})
