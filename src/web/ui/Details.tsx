/** Names and values, one below the other. */
import type { ReactNode } from "react"

export function Details({ children }: { readonly children: ReactNode }) {
  return <dl className="divide-y divide-line">{children}</dl>
}

export function Detail({
  children,
  label,
  note
}: {
  readonly label: string
  readonly children: ReactNode
  readonly note?: ReactNode
}) {
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-1 px-4 py-3 sm:grid-cols-[11rem_1fr] sm:px-5">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">
        <div className="min-h-6 break-words">{children}</div>
        {note !== undefined && <p className="text-sm text-muted">{note}</p>}
      </dd>
    </div>
  )
}
