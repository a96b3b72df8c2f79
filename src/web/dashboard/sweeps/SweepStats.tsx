/** Number of recent sweeps and share of delivered ones, for the overview. */
import { useQuery } from "@tanstack/react-query"
import { RECENT_DAYS } from "../../api/queries.ts"
import { percent } from "../../lib/amounts.ts"
import { Stat } from "../../ui/Card.tsx"
import { Skeleton } from "../../ui/States.tsx"
import { overview } from "./overview.ts"

export function SweepStats() {
  const { data, isError } = useQuery(overview)
  const show = (value: string | undefined) =>
    value ?? (isError ? <span className="text-muted">Unknown</span> : <Skeleton className="h-6 w-16" />)
  const ended = data === undefined ? 0 : data.delivered + data.failed
  return (
    <>
      <Stat
        label={`Sweeps, ${RECENT_DAYS} days`}
        note={
          data === undefined ? "" : `${data.inFlight.toLocaleString()} on ${data.inFlight === 1 ? "its" : "their"} way`
        }
        value={show(data?.sweeps.toLocaleString())}
      />
      <Stat
        label="Success rate"
        note={
          data === undefined
            ? ""
            : ended === 0
              ? "none has ended yet"
              : `${data.delivered.toLocaleString()} of ${ended.toLocaleString()} arrived`
        }
        value={show(data && (data.successRateBps === null ? "–" : percent(data.successRateBps)))}
      />
    </>
  )
}
