/** `./sweep test image` and its siblings: tests that need more than a checkout, or minutes, so that `./sweep test` does not run them. */
import { Effect, Schema } from "effect"
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

/** Subcommands of `./sweep test`. */
export const all = [image, postgres] as const
