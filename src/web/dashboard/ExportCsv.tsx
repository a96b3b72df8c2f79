/** Exports a whole list as a CSV file, even if the page shows only a part. */
import { useMutation } from "@tanstack/react-query"
import type { Rows } from "../api/everyPage.ts"
import { MINE } from "../api/queries.ts"
import { download } from "../lib/csv.ts"
import { Button } from "../ui/Button.tsx"
import { toast } from "../ui/Toast.tsx"

/** Maximum number of rows of a file: about as many as a spreadsheet opens with ease. */
const MOST_ROWS = 100_000

export interface ExportCsvProps<Row> {
  readonly fileName: string
  readonly disabled: boolean
  /** Reads up to this number of rows, newest first. */
  readonly read: (most: number) => Promise<Rows<Row>>
  /** Text of the file. */
  readonly toFile: (rows: ReadonlyArray<Row>) => string
}

export function ExportCsv<Row>({ disabled, fileName, read, toFile }: ExportCsvProps<Row>) {
  const csv = useMutation({
    mutationKey: [MINE, "file", fileName],
    mutationFn: async () => {
      const { isCut, rows } = await read(MOST_ROWS)
      return { isCut, text: toFile(rows) }
    },
    onSuccess: ({ text }) => download(fileName, "text/csv", text),
    onError: toast.failed
  })
  return (
    <>
      <p className="text-sm text-muted" role="status">
        {csv.data?.isCut === true &&
          `The file has the newest ${MOST_ROWS.toLocaleString()} rows. Narrow the dates for the rest.`}
      </p>
      <Button busy={csv.isPending} disabled={disabled} icon="download" onClick={() => csv.mutate()}>
        Export CSV
      </Button>
    </>
  )
}
