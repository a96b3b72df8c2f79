/** Lines of `.env` that Bun, Docker Compose and shells read alike. Pure. */

/** One line, or several if a quoted value goes on. */
export interface Line {
  /** Undefined for a comment, an empty line, and text that is no setting. */
  readonly name: string | undefined
  /** Without its quotes. Variables in it are not replaced. */
  readonly value: string
  /** The line as it stands in the file. */
  readonly text: string
}

/** A quoted value, which ends at its quote and otherwise is none. As for Bun, a backslash hides a quote in every kind of quotes. */
const QUOTED = /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|`(?:\\[^]|[^`\\])*`/.source

/** Bun ignores what follows a quoted value on its line, and skips empty lines before one. */
const SETTING = new RegExp(
  String.raw`^[ \t]*(?:export[ \t]+)?([\w.-]+)\s*(?:=|:(?=\s))(?:\s*(${QUOTED})|([^\r\n#]*))[^\r\n]*`
)

const LINE = /^[^\r\n]*/

/** Bun replaces these two in double quotes and keeps every other backslash. */
const unescaped = (value: string): string =>
  value.replaceAll(/\\[^]/g, (pair) => (pair === String.raw`\n` ? "\n" : pair === String.raw`\r` ? "\r" : pair))

const unquoted = (quoted: string): string => {
  const value = quoted.slice(1, -1).replaceAll(/\r\n?/g, "\n")
  return quoted.startsWith('"') ? unescaped(value) : value
}

export const parse = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let rest = text
  while (rest !== "") {
    const found = SETTING.exec(rest)
    const line = found?.[0] ?? LINE.exec(rest)?.[0] ?? ""
    const [, name, quoted, plain = ""] = found ?? []
    lines.push({ name, value: quoted === undefined ? plain.trim() : unquoted(quoted), text: line })
    rest = rest.slice(line.length).replace(/^(?:\r\n|\r|\n)/, "")
  }
  return lines
}

/** Value of a setting, of which the last line counts. Undefined if it is missing or empty. */
export const valueOf = (lines: ReadonlyArray<Line>, name: string): string | undefined => {
  const value = lines.findLast((line) => line.name === name)?.value
  return value === "" ? undefined : value
}

/** Value with the other settings of the file that it names. Variables that the file lacks stay as they are. */
export const expandedValueOf = (lines: ReadonlyArray<Line>, name: string): string | undefined =>
  valueOf(lines, name)?.replaceAll(/\\\$|\$(?:\{(\w+)\}|(\w+))/g, (found, braced?: string, bare?: string) =>
    found === "\\$" ? "$" : (valueOf(lines, braced ?? bare ?? "") ?? found)
  )

/** Bun replaces `$NAME` also within single quotes. A quote or a backslash at the end of a value is read in three ways. */
const UNLIKE = /[$'\\\r\n]/

/** False for a value that the readers of the file would read differently. */
export const isWritable = (value: string): boolean => !UNLIKE.test(value)

const PLAIN = /^[\w@%+=:,./?-]*$/

/** The line of a setting. The value stands in quotes if a shell would not read it as it is. It must be writable. */
export const assignment = (name: string, value: string): string =>
  PLAIN.test(value) ? `${name}=${value}` : `${name}='${value}'`

/** The same URL without characters that some reader of the file takes for its own. */
export const plainUrl = (url: string): string =>
  url.replaceAll(
    /[$'"\\`\s]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
  )
