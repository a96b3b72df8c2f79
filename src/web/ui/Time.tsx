/** A time as a relative text. Its tooltip has the exact time. */
import { ago, atMoment } from "../lib/time.ts"

export function Time({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={atMoment(ms)}>
      {ago(ms, Date.now())}
    </time>
  )
}
