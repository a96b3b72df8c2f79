/** Stores during an outage of their database and after it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import * as Net from "node:net"
import {
  Clock,
  Context,
  Deferred,
  Duration,
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
import * as SilentPostgres from "../../../support/SilentPostgres.ts"
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

it.live("a restart of the database fails what runs, and nothing after it", () =>
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
    const stopped = yield* Deferred.make<void>()
    const allocate = (sign: Effect.Effect<void>) =>
      Context.get(here, RelayTransactions).allocate({
        chainId: 1,
        lane: address(9),
        chainNonce: 0n,
        intentIds: ["a"],
        sign: () => Effect.as(sign, attempt("a"))
      })
    const interrupted = yield* Effect.forkChild(
      Effect.flip(allocate(Effect.andThen(Deferred.succeed(signing, undefined), Deferred.await(stopped))))
    )
    yield* Deferred.await(signing)
    yield* first.stop
    yield* Deferred.succeed(stopped, undefined)
    expect(yield* Effect.flip(intents.find("a"))).toMatchObject(unavailable)
    expect(yield* Effect.flip(intents.submit("b", submission()))).toMatchObject(unavailable)
    expect(yield* Fiber.join(interrupted)).toMatchObject(unavailable)

    yield* start
    expect(yield* intents.counts).toMatchObject({ quoted: 1, submitted: 1 })
    expect(yield* allocate(Effect.void)).toMatchObject({ nonce: 0n, intentIds: ["a"] })

    // Both processes listen again, after a while, and wake each other.
    const woken = yield* Context.get(there, Intents)
      .wakes(1)
      .pipe(Stream.take(2), Stream.runDrain, Effect.forkChild({ startImmediately: true }))
    const began = yield* Clock.currentTimeMillis
    yield* Effect.gen(function* () {
      const id = `${yield* Clock.currentTimeMillis}`
      yield* Effect.provide(submitted({ id, owner: 3 }), here)
    }).pipe(Effect.repeat({ schedule: Schedule.spaced("300 millis") }), Effect.raceFirst(Fiber.join(woken)))
    expect((yield* Clock.currentTimeMillis) - began).toBeLessThan(60_000)
  }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
)

it.live("a database that hangs fails what runs within the limits, and the pool recovers when it answers again", () =>
  Effect.gen(function* () {
    const server = yield* Postgres.start({ durable: false })
    const url = Redacted.make(yield* server.createDatabase("hanging"))
    // One connection, which two operations wait for.
    const database = yield* Layer.build(Database.layer({ url, poolSize: 1, statementTimeoutMillis: 1_000 }))
    const sql = Context.get(database, PgClient.PgClient)
    const guarded = Database.guarded("asking")
    yield* sql`SELECT 1`

    const hangs = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    // Its COMMIT is sent when the server hangs already, and cannot be interrupted.
    const committing = yield* Effect.forkChild(
      Effect.flip(
        guarded(
          sql.withTransaction(
            Effect.andThen(sql`SELECT 1`, Effect.andThen(Deferred.succeed(hangs, undefined), Deferred.await(goOn)))
          )
        )
      )
    )
    yield* Deferred.await(hangs)
    const resume = yield* SilentPostgres.suspend(server.pid)
    const [elapsed, failures] = yield* Effect.timed(
      Effect.gen(function* () {
        yield* Deferred.succeed(goOn, undefined)
        const waiting = yield* Effect.forkChild(Effect.flip(guarded(sql`SELECT 2`)))
        return [yield* Fiber.join(committing), yield* Fiber.join(waiting)]
      })
    )
    expect(failures).toMatchObject([unavailable, unavailable])
    expect(failures[0]?.detail).toContain("no answer within 1.5 s")
    // A statement, and the attempt at a new connection: 2.5 seconds without a busy machine. The server would hang for ever.
    expect(Duration.toSeconds(elapsed)).toBeLessThan(30)

    yield* resume
    expect(yield* guarded(sql`SELECT 3 AS three`)).toEqual([{ three: 3 }])
  }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
)

it.live("an operation does not wait for a connection without an end", () =>
  Effect.gen(function* () {
    const server = yield* Postgres.start({ durable: false })
    const url = Redacted.make(yield* server.createDatabase("busy"))
    // The server ends a transaction that does nothing for twice as long.
    const database = yield* Layer.build(Database.layer({ url, poolSize: 1, statementTimeoutMillis: 20_000 }))
    const sql = Context.get(database, PgClient.PgClient)
    const taken = yield* Deferred.make<void>()
    yield* Effect.forkScoped(sql.withTransaction(Effect.andThen(Deferred.succeed(taken, undefined), Effect.never)))
    yield* Deferred.await(taken)
    const failure = yield* Effect.flip(Database.guarded("waiting")(sql`SELECT 1`))
    expect(failure).toMatchObject({ ...unavailable, detail: "no answer within 10 s" })
  }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
)

it.live("an encrypted connection is limited in the same way", () =>
  Effect.gen(function* () {
    // A server that agrees to encryption and then is silent: no connection is made within the limit.
    const silent = yield* Effect.acquireRelease(
      Effect.callback<Net.Server>((resume) => {
        const listening = Net.createServer((socket) => socket.once("data", () => socket.write("S")))
        listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (listening) => Effect.sync(() => listening.close())
    )
    const address = silent.address()
    const port = typeof address === "object" ? address?.port : undefined
    const url = Redacted.make(`postgres://postgres@127.0.0.1:${port}/none?sslmode=require`)
    const options = { url, statementTimeoutMillis: 500, connectTimeout: "30 seconds" } as const
    const database = yield* Layer.build(Database.layer(options))
    const sql = Context.get(database, PgClient.PgClient)
    const failure = yield* Effect.flip(Database.guarded("asking")(sql`SELECT 1`))
    expect(failure).toMatchObject({ ...unavailable, detail: expect.stringContaining("no answer within 1 s") })
  }).pipe(Effect.scoped)
)
