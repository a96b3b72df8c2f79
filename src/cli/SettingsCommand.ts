/** `./sweep settings`: what can be set in the environment. */
import { Console } from "effect"
import { Command, Flag } from "effect/cli"
import * as Settings from "./Settings.ts"

const markdown = Flag.Boolean("markdown").pipe(
  Flag.withDescription("Print the tables that the README holds"),
  Flag.withDefault(false)
)

export const settingsCommand = Command.make("settings", { markdown }, ({ markdown }) =>
  Console.log(markdown ? Settings.asMarkdown() : Settings.asText())
).pipe(Command.withDescription("List every setting with its default and its meaning"))
