/** A table that begins with its first rows and shows more at the press of a button, so that a long one does not slow the page. */
import { useState } from "react"
import { Button } from "./Button.tsx"
import { Table, type TableProps } from "./Table.tsx"

const STEP = 50

export function LongTable<Row>({ rows, ...table }: TableProps<Row>) {
  const [most, setMost] = useState(STEP)
  const hidden = (rows?.length ?? 0) - most
  return (
    <>
      <Table {...table} rows={rows?.slice(0, most)} />
      {hidden > 0 && (
        <div className="flex justify-center border-t border-line p-3">
          <Button onClick={() => setMost(most + STEP)} small>
            Show more ({hidden.toLocaleString()} left)
          </Button>
        </div>
      )}
    </>
  )
}
