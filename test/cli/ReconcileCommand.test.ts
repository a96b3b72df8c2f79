/** `sweep reconcile` from the command line: the moments that it takes, and the database that it reads. */
import { PgClient } from "@effect/sql-pg"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { withLiveClock } from "../support/LiveClock.ts"
import { migratedDatabase, TestDatabase } from "../support/Postgres.ts"
import { sweepHere } from "./inProcess.ts"

layer(Layer.provideMerge(migratedDatabase, BunServices.layer), { excludeTestServices: true })(
  "sweep reconcile",
  (it) => {
    it.effect("takes no moment without a zone, which would depend on the machine", () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const given = (since: string) =>
          withLiveClock(
            sweepHere(["reconcile", "--dry-run", "--since", since], { DATABASE_URL: url, CHAINS_FILE: "/nowhere.json" })
          )
        for (const wrong of ["2026-01-31T12:00:00", "2026-01-31", "Jan 31 2026 12:00", "2026-02-30T12:00:00Z", "1"]) {
          const { err } = yield* given(wrong)
          assert.include(err, "expected a time with Z or an offset, such as 2026-01-31T12:00:00Z", wrong)
        }
        for (const right of ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00", "2026-01-31T12:00-08:00"]) {
          const { err } = yield* given(right)
          assert.include(err, "/nowhere.json", right)
        }
      })
    )

    it.effect("reads the database by the direct URL alone, whose statements may take longer", () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const sql = yield* PgClient.PgClient
        // Plays a proxied role. It may connect and read nothing.
        const role = `proxied_${crypto.randomUUID().replaceAll("-", "")}`
        yield* Effect.acquireRelease(sql`CREATE ROLE ${sql(role)} LOGIN`, () =>
          Effect.orDie(sql`DROP ROLE ${sql(role)}`)
        )
        // As on managed servers. The start of the server still tells which one it is.
        yield* sql`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`
        const { code, err } = yield* withLiveClock(
          sweepHere(["reconcile", "assign", "--builder", "nobody", "0x00_7"], {
            DATABASE_URL: url.replace("postgres@", `${role}@`),
            DATABASE_LISTEN_URL: url
          })
        )
        assert.strictEqual(code, 1)
        assert.include(err, "no fee waits for these sweeps")
        assert.notInclude(err, "permission denied")
      })
    )
  }
)
