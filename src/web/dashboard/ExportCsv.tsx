/** Takes a whole list home as a file, however much of it is shown. */
import { useMutation } from "@tanstack/react-query"
import { MINE } from "../api/queries.ts"
import { download } from "../lib/csv.ts"
import { Button } from "../ui/Button.tsx"
import { toast } from "../ui/Toast.tsx"

/** A file of more would not open in a spreadsheet. */
const MOST_ROWS = 100_000

export interface ExportCsvProps {
  readonly fileName: string
  readonly disabled: boolean
  /** Reads at most so many rows and returns the file's text. */
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
