/** A titled region of a page. */
import type { ReactNode, Ref } from "react"
import { classes } from "../lib/classes.ts"

export interface CardProps {
  readonly title?: string
  /** Takes the focus when the page shows this region. */
  readonly heading?: Ref<HTMLHeadingElement> | undefined
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** Content without padding, such as a table. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Card({ actions, children, description, flush = false, heading, title }: CardProps) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface shadow-card">
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-3 sm:px-5">
          <div className="min-w-0">
            <h2
              className="rounded-sm text-lg font-semibold outline-none"
              ref={heading}
              {...(heading === undefined ? {} : { tabIndex: -1 })}
            >
              {title}
            </h2>
            {description !== undefined && <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={classes(!flush && "p-4 sm:p-5")}>{children}</div>
    </section>
  )
}

/** One number with its label. */
export function Stat({
  label,
  note,
  value
}: {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
}) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-4 shadow-card sm:px-5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="mt-1 truncate text-lg font-semibold tracking-tight tabular-nums sm:text-xl">{value}</dd>
      <dd className="mt-0.5 min-h-5 truncate text-sm text-muted">{note}</dd>
    </div>
  )
}

export function Stats({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">{children}</dl>
}
