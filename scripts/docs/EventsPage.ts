/** `docs/reference/log-events.md`: the names of all log events, from the calls that write them. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { GENERATED } from "./Table.ts"

const SRC = join(import.meta.dir, "..", "..", "src")

/** A call of a logging function with a name such as `relay.broadcast`. */
const CALL = /\b(?:Effect\.)?log(Debug|Info|Warning|Error|Fatal)\(\s*"([a-z_]+\.[a-z_.]+)"/g

/** Names that a call of {@link CALL} does not show, because a function passes them on. */
const PASSED = /\bcomplain\("([a-z_]+\.[a-z_.]+)"\)/g

const LEVELS: Readonly<Record<string, string>> = {
  Debug: "debug",
  Info: "info",
  Warning: "warning",
  Error: "error",
  Fatal: "fatal"
}

interface Found {
  readonly event: string
  readonly level: string
  readonly place: string
}

const inFile = (place: string, text: string): ReadonlyArray<Found> => [
  ...[...text.matchAll(CALL)].map(([, level = "", event = ""]) => ({ event, level: LEVELS[level] ?? level, place })),
  ...[...text.matchAll(PASSED)].map(([, event = ""]) => ({ event, level: "warning", place }))
]

/** Every event with its levels and the rooms of the code that write it, sorted by name. */
export const events = (): ReadonlyArray<{
  readonly event: string
  readonly levels: string
  readonly places: string
}> => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file))
  const found = files.flatMap((file) => inFile(dirname(file), readFileSync(join(SRC, file), "utf8")))
  const listed = (values: ReadonlyArray<string>) => [...new Set(values)].toSorted().join(", ")
  return [...new Set(found.map(({ event }) => event))].toSorted().map((event) => {
    const same = found.filter((each) => each.event === event)
    return { event, levels: listed(same.map(({ level }) => level)), places: listed(same.map(({ place }) => place)) }
  })
}

/** The page as Markdown. */
export const eventsPage = (): string =>
  [
    "# Log events",
    "",
    GENERATED,
    "",
    "For operators who search logs: the name of every log event, its level, and the room of the code that writes it. With `LOG_FORMAT=json`, each line is an object with `message` (the name), `level`, `timestamp` and `annotations` (the fields). The access log has the name `request` with `method`, `path`, `status` and `durationMs`. Names are stable: a change of one is listed in the changelog.",
    "",
    "| Event | Level | Room |",
    "| --- | --- | --- |",
    ...events().map(({ event, levels, places }) => `| \`${event}\` | ${levels} | \`${places}\` |`)
  ].join("\n")
