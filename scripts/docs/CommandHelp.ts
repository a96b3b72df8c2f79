/** The help of every command of `./sweep`, from the command tree itself. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Layer } from "effect"
import { CliOutput, Command, type HelpDoc } from "effect/cli"
import * as SweepCommand from "../../src/cli/SweepCommand.ts"

const sweepCommand = await SweepCommand.load()

/** The help that `sweep <path> --help` prints. */
const helpOf = (path: ReadonlyArray<string>): Effect.Effect<HelpDoc.HelpDoc> =>
  Effect.suspend(() => {
    let shown: HelpDoc.HelpDoc | undefined
    const formatter: CliOutput.Formatter = {
      ...CliOutput.defaultFormatter({ colors: false }),
      formatHelpDoc: (doc) => {
        shown = doc
        return ""
      }
    }
    const silent = { ...globalThis.console, log: () => undefined } as Console.Console
    return Command.runWith(sweepCommand, { version: "" })([...path, "--help"]).pipe(
      Effect.provide(Layer.mergeAll(CliOutput.layer(formatter), BunServices.layer)),
      Effect.provideService(Console.Console, silent),
      Effect.orDie,
      Effect.map(() => {
        if (shown === undefined) throw new Error(`sweep ${path.join(" ")} --help shows nothing`)
        return shown
      })
    )
  })

/** A command with its help. */
export interface CommandHelp {
  /** Names of the commands that lead to it. Empty for the root. */
  readonly path: ReadonlyArray<string>
  readonly doc: HelpDoc.HelpDoc
}

/** The help of a command and of everything below it. */
const tree = (path: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<CommandHelp>> =>
  Effect.gen(function* () {
    const doc = yield* helpOf(path)
    const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
    const below = yield* Effect.forEach(names, (name) => tree([...path, name]))
    return [{ path, doc }, ...below.flat()]
  })

/** Every command, parents first. */
export const commandHelp = tree([])
