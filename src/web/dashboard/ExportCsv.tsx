/** Exports a whole list as a CSV file, even if the page shows only a part. */
import { useMutation } from "@tanstack/react-query"
import { MINE } from "../api/queries.ts"
import { download } from "../lib/csv.ts"
import { Button } from "../ui/Button.tsx"
import { toast } from "../ui/Toast.tsx"

/** Maximum number of rows that a spreadsheet opens. */
const MOST_ROWS = 100_000

export interface ExportCsvProps {
  readonly fileName: string
  readonly disabled: boolean
  /** Reads up to this number of rows and returns the text of the file. */
  readonly make: (most: number) => Promise<string>
}

export function ExportCsv({ disabled, fileName, make }: ExportCsvProps) {
  const csv = useMutation({
    mutationKey: [MINE, "file", fileName],
    mutationFn: () => make(MOST_ROWS),
    onSuccess: (text) => download(fileName, "text/csv", text),
    onError: toast.failed
  })
  return (
    <Button busy={csv.isPending} disabled={disabled} icon="download" onClick={() => csv.mutate()}>
      Export CSV
    </Button>
  )
}
