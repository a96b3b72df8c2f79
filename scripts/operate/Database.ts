/** A PostgreSQL whose version `pg_dump` of this machine can dump. */
import { Effect, FileSystem, Option, Path } from "effect"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { failed } from "./Report.ts"
import { spoken } from "./Tools.ts"

/** Directories of servers in packages of distributions, by major version. */
const SERVERS = (major: string) => [`/usr/lib/postgresql/${major}`, `/usr/pgsql-${major}`]

/** Major version of the server's binaries that npm installs with the checkout. */
const EMBEDDED = 18

/** A directory in the form of the npm package, over the binaries of the distribution. */
const packageOf = Effect.fnUntraced(function* (server: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-postgres-binaries-" })
  // PostgreSQL does not run as root.
  yield* fs.chmod(directory, 0o755)
  yield* fs.symlink(server, path.join(directory, "native"))
  return directory
})

export const start = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const said = Option.getOrElse(yield* spoken("pg_dump", ["--version"]), () => "")
  const major = /(\d+)/.exec(said)?.[1]
  if (major === undefined) {
    return yield* failed("pg_dump is not installed. Install PostgreSQL with its client, as Debian's package postgresql")
  }
  const servers = yield* Effect.filter(SERVERS(major), (directory) => fs.exists(`${directory}/bin/postgres`))
  const [server] = servers
  if (server === undefined && Number(major) < EMBEDDED) {
    return yield* failed(
      `pg_dump is of PostgreSQL ${major}, whose server is not installed. Install Debian's package postgresql-${major}`
    )
  }
  const postgres = yield* Postgres.start(server === undefined ? {} : { packageDirectory: yield* packageOf(server) })
  return { create: postgres.createDatabase, version: `PostgreSQL ${server === undefined ? EMBEDDED : major}` }
})
