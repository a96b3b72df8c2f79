/** A table. If it is wider than the screen it scrolls, by keyboard too. Rows below the first screen are drawn after it. */
import type { ReactNode } from "react"
import { classes } from "../lib/classes.ts"
import { Skeleton } from "./States.tsx"
import { useDrawn } from "./useDrawn.ts"
import { useIsWide } from "./useIsWide.ts"

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: "right"
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean
}

export interface TableProps<Row> {
  /** Description of the rows, for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<NoInfer<Row>>>
  /** Undefined while loading. */
  readonly rows: ReadonlyArray<Row> | undefined
  readonly rowKey: (row: Row) => string
  /** Number of placeholder rows while loading, so that the layout does not shift. */
  readonly placeholders?: number
}

const cellClasses = <Row,>(column: Column<Row>): string =>
  classes(
    "px-4 py-2.5 whitespace-nowrap first:pl-4 sm:first:pl-5 last:pr-4 sm:last:pr-5",
    column.align === "right" ? "text-right" : "text-left"
  )

export function Table<Row>({ caption, columns: all, placeholders = 5, rowKey, rows }: TableProps<Row>) {
  const isWide = useIsWide()
  const columns = isWide ? all : all.filter(({ wideOnly }) => wideOnly !== true)
  const drawn = useDrawn(rows?.length ?? 0)
  return (
    // A region that scrolls must be reachable with the keyboard (WCAG 2.1.1).
    <div
      aria-busy={rows === undefined}
      aria-label={caption}
      className="relative overflow-x-auto"
      role="region"
      tabIndex={0}
    >
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-xs font-medium text-muted">
          <tr>
            {columns.map((column) => (
              <th className={cellClasses(column)} key={column.title} scope="col">
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line tabular-nums">
          {rows === undefined
            ? Array.from({ length: placeholders }, (_, index) => (
                <tr key={index}>
                  {columns.map((column) => (
                    <td className={cellClasses(column)} key={column.title}>
                      <Skeleton />
                    </td>
                  ))}
                </tr>
              ))
            : rows.slice(0, drawn).map((row) => (
                <tr className="hover:bg-canvas" key={rowKey(row)}>
                  {columns.map((column) => (
                    <td className={cellClasses(column)} key={column.title}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}
