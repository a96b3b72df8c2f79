/** `./sweep settings`: prints every setting that the services read from the environment. */
import { Console } from "effect"
import { Command, Flag } from "effect/cli"
import * as SettingsTables from "./SettingsTables.ts"

const markdown = Flag.Boolean("markdown").pipe(Flag.withDescription("Print Markdown tables"), Flag.withDefault(false))

export const settingsCommand = Command.make("settings", { markdown }, ({ markdown }) =>
  Console.log(markdown ? SettingsTables.asMarkdown() : SettingsTables.asText())
).pipe(Command.withDescription("List every setting with its default and its meaning"))
