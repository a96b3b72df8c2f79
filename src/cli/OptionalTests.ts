/** `./sweep test image` and its siblings: tests that need more than a checkout, or minutes, so that `./sweep test` does not run them. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

/** The output above has the cause. */
export class OptionalTestFailed extends Schema.TaggedError<OptionalTestFailed>()("OptionalTestFailed", {
  name: Schema.String
}) {
  override get message(): string {
    return `the test \`${this.name}\` failed, see above`
  }
}

const run = Effect.fnUntraced(function* (name: string, script: string, args: ReadonlyArray<string>) {
  if ((yield* ProjectScript.run(script, args)) !== 0) return yield* new OptionalTestFailed({ name })
})

const image = Command.make("image", {}, () => run("image", "scripts/check-image.ts", [])).pipe(
  Command.withDescription(
    "Build the image, measure it, and sweep once through both services in containers. Needs Linux, root, podman, buildah and runc, and is left out without them"
  )
)

const versions = Flag.String("versions").pipe(
  Flag.withDescription("Major versions, separated by commas. Default: 15,16,17,18"),
  Flag.withDefault("15,16,17,18")
)

const postgres = Command.make("postgres", { versions }, ({ versions }) =>
  run("postgres", "scripts/try-postgres.ts", ["--versions", versions])
).pipe(
  Command.withDescription(
    "Run migrations, the suites of all stores and sweeps on several versions of PostgreSQL, whose binaries it gets from npm"
  ),
  Command.withExamples([{ command: "sweep test postgres --versions 15", description: "The oldest one" }])
)

const pgbouncer = Command.make("pgbouncer", {}, () => run("pgbouncer", "scripts/try-pgbouncer.ts", [])).pipe(
  Command.withDescription(
    "Sweep through PgBouncer in transaction mode, before the embedded PostgreSQL and those that are installed. Needs an installed PgBouncer"
  )
)

const redis = Command.make("redis", {}, () => run("redis", "scripts/try-redis.ts", [])).pipe(
  Command.withDescription(
    "Run the tests of replicas that share a Redis on a real one. Needs an installed Redis or Valkey"
  )
)

const from = Flag.String("from").pipe(
  Flag.withDescription("Tag or commit of the release before. Default: the newest tag"),
  Flag.optional
)

const previous = Command.make("previous", { from }, ({ from }) =>
  run(
    "previous",
    "scripts/check-previous.ts",
    Option.match(from, { onNone: () => [], onSome: (ref) => ["--from", ref] })
  )
).pipe(
  Command.withDescription(
    "Sweep with the program of the release before on the schema of this one, alone and beside this one. Needs the history of the repository"
  ),
  Command.withExamples([{ command: "sweep test previous --from v0.1.0", description: "An upgrade from a release" }])
)

const operate = Command.make("operate", {}, () => run("operate", "scripts/operate/main.ts", [])).pipe(
  Command.withDescription(
    "Operate a deployment by the commands of the guides, from an empty folder: kill replicas and Redis, rotate a lane, pause a chain, provoke alerts, and restore a backup that is an hour old, under load. Needs pg_dump of an installed PostgreSQL, uses Redis and promtool if they are installed, and takes many minutes"
  )
)

/** Subcommands of `./sweep test`. */
export const all = [image, postgres, pgbouncer, redis, previous, operate] as const
