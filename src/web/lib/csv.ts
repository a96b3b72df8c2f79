/** CSV files (RFC 4180) and downloads. */

type Cell = string | number | bigint

/** Escapes cells that a spreadsheet would run as a formula. Numbers are not escaped. */
const inert = (text: string): string => (/^[=+@\t\r\n]|^-(?!\d+(?:\.\d+)?$)/.test(text) ? `'${text}` : text)

const cell = (value: Cell): string => {
  const text = inert(String(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const toCsv = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")

/** Downloads text as a file. */
export const download = (name: string, contentType: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: contentType }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
