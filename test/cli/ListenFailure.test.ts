/** A service that cannot listen says so in one sentence. */
import { createServer } from "node:net"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path } from "effect"
import { address } from "../support/FakeChain.ts"
import { TestDatabase, migratedDatabaseUrl } from "../support/Postgres.ts"
import { sweep } from "./sweep.ts"

/** A port that another server listens on. */
const taken = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly close: () => void }>((resolve, reject) => {
        const server = createServer()
        server.on("error", reject)
        server.listen(0, "127.0.0.1", () => {
          const bound = server.address()
          if (bound === null || typeof bound === "string") return reject(new Error("no port"))
          resolve({ port: bound.port, close: () => server.close() })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

layer(Layer.merge(BunServices.layer, migratedDatabaseUrl), { excludeTestServices: true })("a service", (it) => {
  it.effect("says in one sentence why it cannot listen", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const { url } = yield* TestDatabase
      const { port } = yield* taken
      const CHAINS_FILE = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
      yield* fs.writeFileString(
        CHAINS_FILE,
        JSON.stringify([
          { id: 8453, rpcUrls: ["http://127.0.0.1:1"], feeRecipient: address(0xf1), guardOwner: address(0x99) }
        ])
      )
      const common = { CHAINS_FILE, DATABASE_URL: url, SERVE_WEB: "false", LOG_LEVEL: "Error" }
      const cases = [
        [{ BUILDER_PORT: String(port) }, /^sweep: cannot listen: the port is in use\. Stop the process/],
        [
          { BUILDER_PORT: String(port), HOST: "192.0.2.1" },
          /^sweep: cannot listen: this machine does not have the address/
        ],
        [{ BUILDER_PORT: String(port), HOST: "nowhere.invalid" }, /^sweep: cannot listen: /]
      ] as const
      for (const [env, expected] of cases) {
        const { code, err } = yield* sweep(["builder-backend"], { ...common, ...env })
        assert.strictEqual(code, 1, err)
        assert.match(err, expected)
        assert.match(err, /^sweep: [^\n]+\n$/)
      }
    }).pipe(Effect.scoped)
  )
})
