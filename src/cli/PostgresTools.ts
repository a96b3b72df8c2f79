/** Finds and runs PostgreSQL's own programs for dumps. The npm packages of the embedded server do not have them. */
import { Effect, FileSystem, Path, Redacted, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"

/** A program is missing, too old, or failed. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export type Tool = "pg_dump" | "pg_restore"

/** Directories, beside those of PATH, in which packages of PostgreSQL install the programs of each version. */
const VERSIONED = [
  { parent: "/usr/lib/postgresql", bin: "bin" },
  { parent: "/usr/local/opt", bin: "bin" },
  { parent: "/opt/homebrew/opt", bin: "bin" }
]

/** Output of a program, which must exit with 0. The password is in its environment, since others can read its arguments. */
const run = Effect.fnUntraced(
  function* (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
    const handle = yield* ChildProcess.make(command, args, {
      stdin: "ignore",
      env: { LC_ALL: "C", TZ: "UTC", ...env },
      extendEnv: true
    })
    const text = <E>(stream: Stream.Stream<Uint8Array, E>) => stream.pipe(Stream.decodeText(), Stream.mkString)
    const [out, error, code] = yield* Effect.all([text(handle.stdout), text(handle.stderr), handle.exitCode], {
      concurrency: "unbounded"
    })
    if (code === 0) return out
    return yield* new ToolFailed({ detail: `${command} failed: ${error.trim() || `exit code ${code}`}` })
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", (error) => Effect.fail(new ToolFailed({ detail: error.message })))
)

/** Major version of a program; undefined if it cannot be run. */
const versionOf = (command: string) =>
  run(command, ["--version"]).pipe(
    Effect.map((text) => Number(/\(PostgreSQL\) (\d+)/.exec(text)?.[1])),
    Effect.map((major) => (Number.isNaN(major) ? undefined : major)),
    Effect.orElseSucceed(() => undefined)
  )

const candidates = Effect.fnUntraced(function* (tool: Tool) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found: Array<string> = [tool]
  for (const { bin, parent } of VERSIONED) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(parent), (): Array<string> => [])
    for (const name of names) {
      const file = path.join(parent, name, bin, tool)
      if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) found.push(file)
    }
  }
  return found
})

/**
 * The program for a server of this major version: the oldest that is not older than the server, since a newer one may use settings
 * that the server does not know.
 */
export const find = Effect.fnUntraced(function* (tool: Tool, serverMajor: number) {
  const seen: Array<{ readonly command: string; readonly major: number }> = []
  for (const command of yield* candidates(tool)) {
    const major = yield* versionOf(command)
    if (major !== undefined) seen.push({ command, major })
  }
  const [best] = seen.filter(({ major }) => major >= serverMajor).toSorted((a, b) => a.major - b.major)
  if (best !== undefined) return best
  const installed = seen.length === 0 ? "none is installed" : `installed: ${seen.map(({ major }) => major).join(", ")}`
  return yield* new ToolFailed({
    detail: `the server is PostgreSQL ${serverMajor}, which needs ${tool} ${serverMajor} or later (${installed}). Install PostgreSQL's client programs, e.g. the package postgresql-client-${serverMajor} of https://apt.postgresql.org`
  })
})

/** Parameters of a URL that nobody else may read. */
const SECRETS = new Set(["password", "sslpassword", "oauth_client_secret"])

const nameOf = (parameter: string): string => decodeURIComponent(parameter.split("=", 1)[0] ?? "")

const valueOf = (parameter: string): string => decodeURIComponent(parameter.slice(parameter.indexOf("=") + 1))

/** Name of the service in the file that has the secrets. */
const SERVICE = "token_sweep"

/**
 * The arguments and the environment by which a program connects to a database. Secrets of the URL are not among the arguments. libpq reads
 * only the password from the environment, and the others from a service file.
 */
const connection = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const parsed = new URL(Redacted.value(url))
  const parameters = parsed.search === "" ? [] : parsed.search.slice(1).split("&")
  const secrets = parameters.filter((each) => SECRETS.has(nameOf(each)))
  const given = secrets.find((each) => nameOf(each) === "password")
  const password = given === undefined ? decodeURIComponent(parsed.password) : valueOf(given)
  parsed.password = ""
  parsed.search = parameters.filter((each) => !secrets.includes(each)).join("&")
  const others = secrets.filter((each) => nameOf(each) !== "password")
  return {
    name: parsed.toString(),
    env: {
      ...(password === "" ? {} : { PGPASSWORD: password }),
      ...(others.length === 0 ? {} : yield* service(others))
    }
  }
})

/** Writes parameters to a service file that is deleted with the scope. Returns the environment by which libpq finds it. */
const service = Effect.fnUntraced(
  function* (parameters: ReadonlyArray<string>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-service-" }), "pg_service.conf")
    const lines = parameters.map((each) => `${nameOf(each)}=${valueOf(each)}`)
    yield* fs.writeFileString(file, [`[${SERVICE}]`, ...lines, ""].join("\n"), { mode: 0o600 })
    return { PGSERVICEFILE: file, PGSERVICE: SERVICE }
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(new ToolFailed({ detail: error.message })))
)

/** Schemas of the services. Everything that they store is in them. */
export const SCHEMAS = ["orchestrator", "builder"] as const

/** Writes both schemas as they are in one snapshot into a file. */
export const dump = Effect.fnUntraced(function* (command: string, url: Redacted.Redacted, file: string) {
  const { env, name } = yield* connection(url)
  const schemas = SCHEMAS.map((schema) => `--schema=${schema}`)
  return yield* run(command, ["--format=custom", ...schemas, `--file=${file}`, `--dbname=${name}`], env)
}, Effect.scoped)

/**
 * Line of a table of contents. A dump stores the local time of its machine, and `sweep backup` makes it in UTC. Programs run with UTC here, too.
 */
const CREATED = /^; *Archive created at (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) UTC$/m

/**
 * Tables whose data a dump has, as `schema.table`, and the UNIX milliseconds at which it was begun, if it tells them. Fails if its table of
 * contents cannot be read.
 */
export const contents = (command: string, file: string) =>
  Effect.map(run(command, ["--list", file]), (text) => {
    const [, day, time] = CREATED.exec(text) ?? []
    const createdAtMs = Date.parse(`${day}T${time}Z`)
    return {
      tables: [...text.matchAll(/^\d+; \d+ \d+ TABLE DATA (\S+) (\S+) /gm)].map(
        ([, schema, table]) => `${schema}.${table}`
      ),
      createdAtMs: Number.isNaN(createdAtMs) ? undefined : createdAtMs
    }
  })

/** Tables whose data a dump has, as `schema.table`. */
export const tables = (command: string, file: string) => Effect.map(contents(command, file), ({ tables }) => tables)

/**
 * Restores a dump into a database, all of it or nothing. Owners and grants stay out, since the server may not have their roles: one grant
 * to an unknown role would fail the whole restore.
 */
export const restore = Effect.fnUntraced(function* (command: string, url: Redacted.Redacted, file: string) {
  const { env, name } = yield* connection(url)
  const flags = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
  return yield* run(command, [...flags, `--dbname=${name}`, file], env)
}, Effect.scoped)
