/** Reads a list page by page, for files that hold more than one page shows. */
import { repeated } from "./retries.ts"

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Cursor of the next page. Undefined on the last page. */
  readonly nextCursor: string | undefined
}

export interface Rows<Row> {
  readonly rows: ReadonlyArray<Row>
  /** True if the list has more rows than the maximum. */
  readonly isCut: boolean
}

/** The first rows of a list, up to a maximum number. A page that fails for a moment is requested again. */
export const everyPage = async <Row>(
  most: number,
  ask: (cursor: string | undefined) => Promise<Page<Row>>
): Promise<Rows<Row>> => {
  const found: Array<Row> = []
  let cursor: string | undefined
  do {
    const from = cursor
    // The cursor of a page is in the page before it.
    // oxlint-disable-next-line no-await-in-loop
    const { nextCursor, rows } = await repeated(() => ask(from))
    for (const row of rows) found.push(row)
    cursor = nextCursor
  } while (cursor !== undefined && found.length < most)
  return { rows: found.slice(0, most), isCut: cursor !== undefined || found.length > most }
}
