/**
 * Writes the reference pages that follow from the code: settings, errors, metrics, log events, findings of doctor, performance, both HTTP APIs, the command line, and parts of the pages
 * about scaling, the client and the MCP tools: `bun scripts/docs.ts`. With `--check` it writes nothing, and fails when a page is stale. `scripts/openapi.ts` writes
 * the OpenAPI documents.
 */
import { Effect } from "effect"
import { type FormatConfig, format } from "oxfmt"
import style from "../.oxfmtrc.json"
import { apiPage } from "./docs/ApiPage.ts"
import { cliPage } from "./docs/CliPage.ts"
import { clientReference } from "./docs/ClientPage.ts"
import { contracts } from "./docs/Contract.ts"
import { doctorPage } from "./docs/DoctorPage.ts"
import { errorsPage } from "./docs/ErrorsPage.ts"
import { eventsPage } from "./docs/EventsPage.ts"
import { mcpTools } from "./docs/McpTools.ts"
import { metricsPage } from "./docs/MetricsPage.ts"
import { performancePage } from "./docs/PerformancePage.ts"
import { settingsPage } from "./docs/SettingsPage.ts"
import * as Scaling from "../bench/scaling/Table.ts"

const root = `${import.meta.dir}/..`

/** Replaces what stands between `<!-- generated: name -->` and `<!-- /generated -->`. */
const withPart = async (file: string, name: string, text: string): Promise<string> => {
  const page = await Bun.file(`${root}/${file}`).text()
  const pattern = new RegExp(`(<!-- generated: ${name} -->\n)[^]*?(<!-- /generated -->)`)
  if (!pattern.test(page)) throw new Error(`${file} has no place for the generated part "${name}"`)
  return page.replace(pattern, (_, start: string, end: string) => `${start}\n${text}\n\n${end}`)
}

const pages: Readonly<Record<string, string>> = {
  "docs/reference/settings.md": settingsPage(),
  "docs/reference/errors.md": errorsPage(),
  "docs/reference/metrics.md": metricsPage(),
  "docs/reference/log-events.md": eventsPage(),
  "docs/reference/doctor.md": doctorPage(),
  "docs/explanation/performance.md": performancePage(await Bun.file(`${root}/bench/history/releases.jsonl`).text()),
  "docs/explanation/scaling.md": await withPart(
    "docs/explanation/scaling.md",
    "loads",
    [Scaling.costs(), "", ...Scaling.table(Scaling.SHOWN)].join("\n")
  ),
  ...Object.fromEntries(contracts.map((contract) => [`docs/reference/${contract.name}-api.md`, apiPage(contract)])),
  "docs/reference/cli.md": await Effect.runPromise(cliPage),
  "docs/reference/sdk.md": await withPart("docs/reference/sdk.md", "client", await clientReference()),
  "docs/reference/mcp.md": await withPart("docs/reference/mcp.md", "tools", await Effect.runPromise(mcpTools))
}

const check = process.argv.includes("--check")

const stale = await Promise.all(
  Object.entries(pages).map(async ([file, markdown]) => {
    const { code: text, errors } = await format(file, markdown, style as FormatConfig)
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`)
    const written = Bun.file(`${root}/${file}`)
    if ((await written.exists()) && (await written.text()) === text) return []
    if (check) return [file]
    await Bun.write(`${root}/${file}`, text)
    return []
  })
)

for (const file of stale.flat()) process.stderr.write(`${file}: stale; run bun scripts/docs.ts\n`)
process.exitCode = stale.flat().length > 0 ? 1 : 0
