/** Writes the settings tables into the README; a test fails when they are stale. */
import { asMarkdown } from "../src/cli/SettingsTables.ts"

const file = new URL("../README.md", import.meta.url)
const readme = await Bun.file(file).text()
const updated = readme.replace(
  /(<!-- settings[^>]*-->\n)[^]*?(<!-- \/settings -->)/,
  (_, start: string, end: string) => `${start}\n${asMarkdown()}\n\n${end}`
)
await Bun.write(file, updated)
