/** Text tables for a terminal. */

/** Rows under a header. Each column is as wide as its widest cell. Without rows, the text is `empty`. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  empty = "none"
): string => {
  if (rows.length === 0) return empty
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)))
  return all
    .map((row) =>
      widths
        .map((width, column) => (row[column] ?? "").padEnd(width))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Names with their values, one per line. */
export const facts = (pairs: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
