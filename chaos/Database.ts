/** A PostgreSQL server that can be killed and started again over the same data. */
import { Effect, Exit, FileSystem, Path, Scope } from "effect"
import * as Ports from "../src/devnet/Ports.ts"
import * as Postgres from "../src/devnet/Postgres.ts"

/** A place for a server: a port of its own, and data that outlive it for as long as the scope. */
export const place = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-faults-" })
  // Root starts it as another user.
  yield* fs.chmod(root, 0o755)
  const port = yield* Ports.free
  const scope = yield* Effect.scope
  const start = Effect.gen(function* () {
    const life = yield* Scope.fork(scope)
    const server = yield* Postgres.start({ dataDirectory: path.join(root, "data"), port }).pipe(
      Effect.provideService(Scope.Scope, life)
    )
    return {
      server,
      stop: Scope.close(life, Exit.void),
      /** SIGKILL for all of its processes; done when they are gone. */
      crash: Effect.andThen(
        Effect.sync(() => process.kill(-server.pid, "SIGKILL")),
        server.exited
      )
    }
  })
  return { start }
})
