/**
 * Starts the PostgreSQL server of a test run in vitest's own process, and stops it when all tests have ended. With TEST_POSTGRES_URL, the
 * server of this URL is used instead: `postgres://user:password@host:port` of a superuser, without a database. With TEST_PGBOUNCER_URL
 * too, the services of e2e tests reach it through this PgBouncer.
 */
import { statfsSync } from "node:fs"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect, Exit, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as Postgres from "../../src/devnet/Postgres.ts"

/** A directory in memory saves most of the time that creating databases takes. Default: the system's temporary directory. */
const MEMORY = "/dev/shm"
const NEEDED_BYTES = 3 * 2 ** 30

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}

export default async ({ provide }: TestProject) => {
  provide("proxy", process.env["TEST_PGBOUNCER_URL"] ?? "")
  const running = process.env["TEST_POSTGRES_URL"]
  if (running !== undefined) return provide("postgres", running)
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(
    Postgres.start({ durable: false, ...(hasMemory() ? { temporaryParent: MEMORY } : {}) }).pipe(
      Scope.provide(scope),
      Effect.provide(BunServices.layer)
    )
  )
  provide("postgres", server.url("").replace(/\/$/, ""))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
