/** A table that begins with its first rows and shows more at the press of a button, so that a long one does not slow the page. */
import { useState } from "react"
import { Button } from "./Button.tsx"
import { Table, type TableProps } from "./Table.tsx"
import { useFocusHome } from "./useFocusHome.ts"

const STEP = 50

function ShowMore({ hidden, onShow }: { readonly hidden: number; readonly onShow: () => void }) {
  const leaving = useFocusHome()
  return (
    <div className="flex justify-center border-t border-line p-3" ref={leaving}>
      <Button onClick={onShow} small>
        Show more ({hidden.toLocaleString()} left)
      </Button>
    </div>
  )
}

export function LongTable<Row>({ rows, ...table }: TableProps<Row>) {
  const [most, setMost] = useState(STEP)
  const hidden = (rows?.length ?? 0) - most
  return (
    <>
      <Table {...table} rows={rows?.slice(0, most)} />
      {hidden > 0 && <ShowMore hidden={hidden} onShow={() => setMost(most + STEP)} />}
    </>
  )
}
