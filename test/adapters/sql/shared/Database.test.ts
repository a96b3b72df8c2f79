/** Stores during an outage of their database and after it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import {
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  FileSystem,
  Layer,
  Path,
  Redacted,
  Schedule,
  Scope,
  Stream
} from "effect"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import * as Ports from "../../../../src/devnet/Ports.ts"
import * as Postgres from "../../../../src/devnet/Postgres.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, newIntent, submission, submitted } from "../../../support/IntentFixtures.ts"
import { stores } from "../../../support/OrchestratorStores.ts"

const process = (url: string) =>
  stores.pipe(
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 4, statementTimeoutMillis: 2_000 }))
  )

const unavailable = { _tag: "StoreUnavailable" }

it.live("what asks a database that is not there is told so", () =>
  Effect.gen(function* () {
    const port = yield* Ports.free
    const exit = yield* Effect.exit(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* Database.guarded("asking")(sql`SELECT 1`)
      }).pipe(Effect.provide(Database.layer({ url: Redacted.make(`postgres://postgres@127.0.0.1:${port}/none`) })))
    )
    expect(Exit.findErrorOption(exit)).toMatchObject({ value: { ...unavailable, operation: "asking" } })
  }).pipe(Effect.provide(BunServices.layer))
)

it.live(
  "a restart of the database fails what runs, and nothing after it",
  () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const dataDirectory = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-restart-" }), "data")
      yield* fs.chmod(path.dirname(dataDirectory), 0o777)
      const port = yield* Ports.free
      const start = Effect.gen(function* () {
        const scope = yield* Scope.fork(yield* Effect.scope)
        const server = yield* Scope.provide(Postgres.start({ dataDirectory, port, durable: false }), scope)
        return { server, stop: Scope.close(scope, Exit.void) }
      })

      const first = yield* start
      const url = yield* first.server.createDatabase("orchestrator")
      const here = yield* Layer.build(process(url))
      const there = yield* Layer.build(process(url))
      const intents = Context.get(here, Intents)
      yield* Effect.provide(submitted({ id: "a" }), here)
      yield* intents.create(newIntent({ id: "b", owner: 2 }))

      const signing = yield* Deferred.make<void>()
      const allocate = (sign: Effect.Effect<void>) =>
        Context.get(here, RelayTransactions).allocate({
          chainId: 1,
          lane: address(9),
          chainNonce: 0n,
          intentIds: ["a"],
          sign: () => Effect.as(sign, attempt("a"))
        })
      const interrupted = yield* Effect.forkChild(
        Effect.flip(allocate(Effect.andThen(Deferred.succeed(signing, undefined), Effect.sleep("1 second"))))
      )
      yield* Deferred.await(signing)
      yield* first.stop
      expect(yield* Effect.flip(intents.find("a"))).toMatchObject(unavailable)
      expect(yield* Effect.flip(intents.submit("b", submission()))).toMatchObject(unavailable)
      expect(yield* Fiber.join(interrupted)).toMatchObject(unavailable)

      yield* start
      expect(yield* intents.counts).toMatchObject({ quoted: 1, submitted: 1 })
      expect(yield* allocate(Effect.void)).toMatchObject({ nonce: 0n, intentIds: ["a"] })

      // Both processes listen again, after a while, and wake each other.
      const woken = yield* Context.get(there, Intents).wakes.pipe(
        Stream.take(2),
        Stream.runDrain,
        Effect.forkChild({ startImmediately: true })
      )
      const began = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        const id = `${yield* Clock.currentTimeMillis}`
        yield* Effect.provide(submitted({ id, owner: 3 }), here)
      }).pipe(Effect.repeat({ schedule: Schedule.spaced("300 millis") }), Effect.raceFirst(Fiber.join(woken)))
      expect((yield* Clock.currentTimeMillis) - began).toBeLessThan(10_000)
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer)),
  60_000
)
