/** `docs/reference/settings.md`: every setting with its default and its meaning, from their declarations. */
import { asMarkdown } from "../../src/cli/SettingsTables.ts"
import { GENERATED } from "./Table.ts"

/** The page as Markdown. */
export const settingsPage = (): string =>
  [
    "# Settings",
    "",
    GENERATED,
    "",
    "For operators: every environment variable that is read, with its default and its meaning. `./sweep settings` prints the same. A setting without a default is unset. A service checks all settings when it starts, and names every malformed one.",
    "",
    "Keep secrets out of files that are committed or copied into images.",
    "",
    asMarkdown().replaceAll(/^### /gm, "## ")
  ].join("\n")
