/** A real process raises and clears an alert, and tells it to servers of the operator. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { OneChain } from "../support/OneChain.ts"
import * as OrchestratorProcess from "../support/OrchestratorProcess.ts"
import { migratedDatabase, TestDatabase } from "../support/Postgres.ts"
import { type Seen, StubServer } from "../support/StubServer.ts"

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

interface Body {
  readonly type: string
  readonly data: { readonly kind: string; readonly since: string }
}

const environment = Layer.mergeAll(
  OneChain.layer,
  migratedDatabase,
  // Slack hangs, which must not delay the webhook.
  StubServer.answering(({ path }) => (path === "/slack" ? { status: 200, silent: true } : { status: 204 }))
).pipe(Layer.provideMerge(BunServices.layer))

layer(environment, { excludeTestServices: true })("Alerts of a real process", (it) => {
  it.effect("reach a webhook when a lane runs low and when it is funded, while another destination hangs", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const server = yield* StubServer
      const sql = yield* PgClient.PgClient
      const lane = generatePrivateKey()
      yield* OrchestratorProcess.start({
        port: yield* Ports.free,
        chainsFile: yield* ChainsFile.write([dev], ({ rpcUrl }) => rpcUrl),
        databaseUrl: (yield* TestDatabase).url,
        relayerKeys: [lane],
        env: {
          ALERT_SLACK_URL: `${server.url}/slack`,
          ALERT_WEBHOOK_SECRET: SECRET,
          ALERT_WEBHOOK_URL: `${server.url}/hook`,
          HEARTBEAT_URL: `${server.url}/beat`
        }
      })
      /** Verified messages about the lane, with the time at which the stub had them at the latest. */
      const heard = Effect.map(server.seen, (seen) =>
        seen
          .filter(({ path }) => path === "/hook")
          .map(({ body, headers }: Seen) => new Webhook(SECRET).verify(body, Object.fromEntries(headers)) as Body)
          .filter(({ data }) => data.kind === "lane_low")
      )
      const until = (type: string) =>
        heard.pipe(
          Effect.repeat({
            schedule: Schedule.spaced("20 millis"),
            until: (bodies) => bodies.some((body) => body.type === type)
          }),
          Effect.timeout("30 seconds")
        )
      const [first] = yield* until("alert.raised")
      assert.isBelow(Date.now() - Date.parse(first?.data.since ?? ""), 60_000)
      yield* dev.node.ask("fund the lane", (node) =>
        node.setBalance({ address: privateKeyToAccount(lane).address, value: parseEther("100") })
      )
      const all = yield* until("alert.resolved")
      assert.deepStrictEqual(
        all.map(({ type }) => type),
        ["alert.raised", "alert.resolved"]
      )
      assert.include(
        (yield* server.seen).map(({ method, path }) => `${method} ${path}`),
        "GET /beat"
      )
      // The process stores the receiver's answer after the receiver has given it.
      const rows = yield* sql<{ accepted: number; closed: boolean }>`
        SELECT accepted, closed FROM orchestrator.alert_notices n
        JOIN orchestrator.alerts a ON a.id = n.alert_id WHERE destination = 'webhook' AND kind = 'lane_low'`.pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: ([row]) => row?.closed === true }),
        Effect.timeout("30 seconds")
      )
      assert.deepStrictEqual(rows, [{ accepted: 2, closed: true }])
    })
  )
})
