/** Decodes rows one by one, so that one that cannot be read holds no other. */

export interface Unreadable {
  readonly id: string
  /** Reason why the row cannot be read. */
  readonly detail: string
}

export interface Decoded<A> {
  readonly values: ReadonlyArray<A>
  readonly failures: ReadonlyArray<Unreadable>
}

/** `read` throws for a row that it cannot decode. Keeps the order of the rows. */
export const decodeEach = <Row extends { readonly id: string | bigint }, A>(
  rows: ReadonlyArray<Row>,
  read: (row: Row) => A
): Decoded<A> => {
  const values: Array<A> = []
  const failures: Array<Unreadable> = []
  for (const row of rows) {
    try {
      values.push(read(row))
    } catch (cause) {
      failures.push({ id: String(row.id), detail: String(cause) })
    }
  }
  return { values, failures }
}
