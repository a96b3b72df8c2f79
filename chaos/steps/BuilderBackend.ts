/** The real builder backend as its own process, for steps about payouts and webhooks. */
import { appendFileSync } from "node:fs"
import { ConfigProvider, Effect } from "effect"
import * as BuilderClient from "../../src/cli/BuilderClient.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as ChainsFile from "../../test/support/ChainsFile.ts"
import * as OrchestratorProcess from "../../test/support/OrchestratorProcess.ts"
import type { World } from "../World.ts"
import type { Target } from "./Prober.ts"
import { CONFIRMATIONS } from "./Vault.ts"

export const TOKEN = "machine"

/** Starts it until the scope closes, on the same database server and chains as the orchestrators. */
export const start = Effect.fn("BuilderBackend.start")(function* (world: World, logFile: string) {
  const port = yield* Ports.free
  const chains = [world.alpha.dev, world.beta.dev].map((dev) => ({
    ...dev,
    chain: { ...dev.chain, confirmations: CONFIRMATIONS }
  }))
  const process = yield* OrchestratorProcess.start({
    command: "builder-backend",
    port,
    chainsFile: yield* ChainsFile.write(chains, ({ rpcUrl }) => rpcUrl),
    databaseUrl: world.databaseUrl,
    relayerKeys: [],
    env: { ADMIN_TOKEN: TOKEN, SERVE_WEB: "false", WEBHOOKS_ALLOW_PRIVATE: "true" }
  })
  yield* Effect.addFinalizer(() =>
    Effect.map(process.output, (lines) => appendFileSync(logFile, lines.map((line) => `builder ${line}\n`).join("")))
  )
  const url = process.url
  const connection = yield* BuilderClient.connect.pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ BUILDER_URL: url, BUILDER_ADMIN_TOKEN: TOKEN })
    )
  )

  /** Calls a machine route. Fails with the response's text unless it is a success. */
  const post = (path: string, body: unknown, method = "POST") =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text) as unknown
    })

  const target: Target = { name: "builder", url, isUp: () => true, generation: () => 1 }
  return { connection, post, target }
})

export type BuilderBackend = Effect.Success<ReturnType<typeof start>>
