/** The command tree as a whole. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Console, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { commandHelp } from "../../scripts/docs/CommandHelp.ts"
import * as SweepCommand from "../../src/cli/SweepCommand.ts"

/** A command of which only the parsing is run, so that its services do not matter. */
type Bare = Command.Command<string, unknown, object, never, never>

interface Found {
  readonly path: string
  readonly command: Bare
}

const below = (command: Bare, path: string): ReadonlyArray<Found> => [
  { path, command },
  ...command.subcommands.flatMap(({ commands }) =>
    commands.flatMap((each) => below(each as Command.Command.Any as Bare, `${path} ${each.name}`))
  )
]

/** The first flag or argument that a command misses when none is given. Undefined if it can be run so. */
const missing = (command: Bare) =>
  Command.runWith(
    Command.withHandler(command, () => Effect.void),
    { version: "", renderErrors: false }
  )([]).pipe(
    Effect.as(undefined),
    Effect.catch((error) =>
      Effect.succeed(
        CliError.isCliError(error) && error._tag === "ShowHelp"
          ? error.errors.flatMap((each) => (each._tag === "MissingOption" ? [each.option] : []))[0]
          : undefined
      )
    ),
    Effect.provideService(Console.Console, { ...globalThis.console, log: () => undefined, error: () => undefined })
  )

layer(BunServices.layer, { excludeTestServices: true })("every command", (it) => {
  it.effect("needs no flag that is only true or false", () =>
    Effect.gen(function* () {
      const help = yield* commandHelp
      const tree = (yield* Effect.promise(SweepCommand.load)) as Command.Command.Any as Bare
      const found = below(tree, "sweep")
      assert.lengthOf(found, help.length)
      const needed = yield* Effect.forEach(found, ({ command, path }) =>
        Effect.map(missing(command), (option) => {
          const { doc } = help.find((each) => ["sweep", ...each.path].join(" ") === path) ?? {}
          const isBoolean = doc?.flags.some(({ name, type }) => name === option && type === "boolean") === true
          return isBoolean ? [`${path} --${option}`] : []
        })
      )
      assert.deepStrictEqual(needed.flat(), [])
    })
  )
})
