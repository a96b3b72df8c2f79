/** A real process whose database comes up after it, and that is told to stop. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { connect, createServer, type Socket } from "node:net"
import { Effect, FileSystem, Layer, Option, Path, Schedule } from "effect"
import * as Ports from "../../src/devnet/Ports.ts"
import { address } from "../support/FakeChain.ts"
import * as OrchestratorProcess from "../support/OrchestratorProcess.ts"
import { migratedDatabaseUrl, TestDatabase } from "../support/Postgres.ts"

/** Connections that are closed at once, as by a server that is not up yet. */
const REFUSED = 1

/** A server in front of the database that is not up for its first connections. */
const comingUp = Effect.fnUntraced(function* (databaseUrl: string) {
  const { hostname, pathname, port, username, password } = new URL(databaseUrl)
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    if (connections <= REFUSED) return socket.destroy()
    const database = connect(Number(port), hostname)
    for (const each of [socket, database]) {
      open.add(each)
      each.on("error", () => each.destroy())
      each.on("close", () => void open.delete(each))
    }
    socket.pipe(database)
    return database.pipe(socket)
  })
  const proxyPort = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        resume(Effect.succeed(typeof at === "object" && at !== null ? at.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  return `postgres://${username}:${password}@127.0.0.1:${proxyPort}${pathname}`
})

const chainsFile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
  const entry = {
    id: 8_453,
    rpcUrls: ["http://127.0.0.1:9"],
    feeRecipient: address(0xf1),
    guardOwner: address(0x99)
  }
  yield* fs.writeFileString(file, JSON.stringify([entry]))
  return file
})

interface Readiness {
  readonly status: number
  readonly unready: ReadonlyArray<string> | undefined
}

const readiness = (url: string): Effect.Effect<Readiness | undefined> =>
  Effect.promise(() =>
    fetch(`${url}/readyz`).then(
      async (response) => ({
        status: response.status,
        unready: ((await response.json()) as { readonly unready?: ReadonlyArray<string> }).unready
      }),
      () => undefined
    )
  )

layer(Layer.provideMerge(migratedDatabaseUrl, BunServices.layer), { excludeTestServices: true })(
  "A process whose database comes up after it",
  (it) => {
    it.effect("waits for it, and is not ready any more before it stops", () =>
      Effect.gen(function* () {
        const { exitCode, output, signal, url } = yield* OrchestratorProcess.start({
          command: "builder-backend",
          port: yield* Ports.free,
          chainsFile: yield* chainsFile,
          databaseUrl: yield* comingUp((yield* TestDatabase).url),
          relayerKeys: [],
          env: { DRAIN_SECONDS: "1", SERVE_WEB: "false" }
        })
        assert.isTrue((yield* output).some((line) => line.includes("database.waiting")))
        assert.deepStrictEqual(yield* readiness(url), { status: 200, unready: undefined })

        const began = Date.now()
        yield* signal("SIGTERM")
        const seen = yield* readiness(url).pipe(
          Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (answer) => answer?.status !== 200 })
        )
        assert.deepStrictEqual(seen, { status: 503, unready: ["stopping"] })
        assert.isTrue(Option.isSome(yield* exitCode))
        assert.isBelow(Date.now() - began, 10_000)
      })
    )
  }
)
