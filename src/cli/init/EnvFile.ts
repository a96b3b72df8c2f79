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

const SETTING = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*("(?:\\[^]|[^"\\])*"|'[^']*'|[^\r\n]*)[^\r\n]*/

const LINE = /^[^\r\n]*/

/** An unquoted value ends before a comment. */
const unquoted = (value: string): string => {
  const quote = value[0]
  if (quote === "'" || quote === '"') return value.slice(1, -1)
  return value.replace(/\s#.*$/, "").trim()
}

export const parse = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let rest = text
  while (rest !== "") {
    const found = SETTING.exec(rest)
    const line = found?.[0] ?? LINE.exec(rest)?.[0] ?? ""
    lines.push({ name: found?.[1], value: unquoted(found?.[2] ?? ""), text: line })
    rest = rest.slice(line.length).replace(/^\r?\n/, "")
  }
  return lines
}

/** Value of a setting, of which the last line counts. Undefined if it is missing or empty. */
export const valueOf = (lines: ReadonlyArray<Line>, name: string): string | undefined => {
  const value = lines.findLast((line) => line.name === name)?.value
  return value === "" ? undefined : value
}

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
